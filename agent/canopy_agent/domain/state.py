"""The state of one session: the product of its parts, and the questions that several rules ask of
it.

It holds no rule of its own about turns or children; those live with the parts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from canopy_agent.domain.async_tasks import AsyncTasks
from canopy_agent.domain.autonomous_task import AutonomousTask
from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.cancellation import CancelWindow
from canopy_agent.domain.child_options import ChildOptions
from canopy_agent.domain.children import Children, FlatChildren
from canopy_agent.domain.compaction import Compactions
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import ToolClosed
from canopy_agent.domain.failures import Failures
from canopy_agent.domain.generations import Generations
from canopy_agent.domain.goals import Goals
from canopy_agent.domain.lineage import Launch
from canopy_agent.domain.shells import Shells
from canopy_agent.domain.subagents import Subagents
from canopy_agent.domain.tasks import TaskRegistry
from canopy_agent.domain.toolcalls import OpenCall, ToolLedger
from canopy_agent.domain.turns import Turns
from canopy_agent.domain.usage import UsageMeter
from canopy_agent.domain.work import Work

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact

MESSAGE_LIFECYCLE = "msg_lifecycle_v1"
REQUEST_MARKERS = "request_marker_lists_v1"


class Form(Enum):
    """How subagents are shown."""

    FLAT = "flat"
    AIR = "air"
    RFD = "rfd"


@dataclass(frozen=True, slots=True)
class Policy:
    """What the client's profile means for the rules. See ``ClientProfile`` for the fields'
    sources.
    """

    form: Form = Form.FLAT
    ends_turns: bool = False
    spares_background: bool = False
    child_cancel: bool = False
    child_text: bool = False
    child_deltas: bool = True
    stops_workflows: bool = False
    questions: bool = False
    follows_output: bool = False
    """The client can show output of a command while it runs."""
    keeps_terminals: bool = True
    """A command in the background keeps its terminal until it ends."""
    cwd: str | None = None
    """The root's directory with links resolved."""
    async_tasks: bool = False
    """Background tasks are told as such (AIR ``asyncTasks``)."""
    failures: bool = False
    """Failures are told as records (AIR ``sessionFailure``)."""
    advisories: bool = False
    """Warnings of ours are such records too: the client has no notices."""
    goals: bool = False
    """The goal is told (AIR)."""
    reports_work: bool = False
    """The client follows work by its state, and a prompt is answered when it is taken in."""
    lists_background: bool = False
    """States list what goes on in the background, and the client can stop it there."""


@dataclass(slots=True)
class OpenRequest:
    """A question of the CLI that the client has. ``agent`` is None for the main conversation."""

    key: str
    agent: str | None
    tool_use_id: str | None = None
    tool: str | None = None
    cancel_seen: bool = False


@dataclass(frozen=True, slots=True)
class PlanReset:
    """A plan that is to be carried out in a fresh conversation, in ``mode``."""

    plan: str
    mode: str


@dataclass(slots=True)
class PlanRefusal:
    """An ExitPlanMode that was denied: its result will stop the cycle with a diagnostic.

    ``reset`` is set when the person approved the plan for a fresh conversation.
    """

    tool_use_id: str
    result_seen: bool = False
    reset: PlanReset | None = None


@dataclass(slots=True)
class Printed:
    """The whole text that came last since the last result: a command prints in several forms."""

    text: str = ""
    by_command: bool = False

    def said(self, text: str) -> None:
        """A message had this text."""
        self.text, self.by_command = text.strip(), False

    def printed(self, text: str) -> None:
        """A command printed this text."""
        self.text, self.by_command = text.strip(), True

    def repeated_by_message(self, text: str) -> bool:
        """Whether a message only repeats what a command printed."""
        return self.by_command and text.strip() == self.text

    def repeated_by_command(self, text: str) -> bool:
        """Whether a command prints what was just shown."""
        return text.strip() == self.text


@dataclass(slots=True)
class SessionState:
    """Everything the rules know of one session. ``root`` is its ACP id."""

    root: str
    policy: Policy
    tasks: TaskRegistry
    turns: Turns
    children: Children
    ledger: ToolLedger
    window: CancelWindow
    usage: UsageMeter
    options: ChildOptions
    hidden: Recent[str, Launch] = field(default_factory=lambda: Recent(1024))
    """Calls without a card, with their input."""
    requests: dict[str, OpenRequest] = field(default_factory=dict)
    capabilities: set[str] = field(default_factory=set)
    shells: Shells = field(default_factory=Shells)
    plan_refusal: PlanRefusal | None = None
    restarting: str | None = None
    """The prompt that waits for a fresh conversation to carry out its plan."""
    requested: bool = False
    """The CLI began a model request since the last result."""
    delivered: bool = False
    """The turn has shown text of its own, so its result need not be repeated."""
    printed: Printed = field(default_factory=Printed)
    refusal: str | None = None
    """Why the model declined, when the CLI said it apart from the result."""
    informed: Recent[str, bool] = field(default_factory=lambda: Recent(512))
    """Calls about which the harness has said something."""
    compactions: Compactions = field(default_factory=Compactions)
    async_tasks: AsyncTasks | None = None
    autonomous_task: AutonomousTask | None = None
    failures: Failures | None = None
    goals: Goals | None = None
    work: Work | None = None

    # --- questions --------------------------------------------------------------------------------

    def drops(self, parent: str | None) -> bool:
        """Whether output is of work that the client saw stopped; background agents go on."""
        if parent is not None and self.tasks.is_stopped(parent):
            return True
        if not self.window.drops_output:
            return False
        return parent is None or not self.tasks.runs_under(parent)

    def place(self, fact: Fact, parent: str | None, *, streamed: bool = True) -> list[Effect]:
        """Show ``fact`` where the conversation that made it is shown."""
        if parent is None:
            return [Show(self.root, fact)]
        return self.children.show(fact, parent, streamed=streamed)

    def place_call(self, call: OpenCall, fact: Fact) -> list[Effect]:
        """Show a fact of a tool call; one that a request surfaced stays where it was put."""
        if call.pinned is not None:
            return [Show(call.pinned, fact, call.parent)]
        return self.place(fact, call.parent)

    def close_calls(self, calls: list[OpenCall], why: str) -> list[Effect]:
        """End calls that will get no result."""
        effects: list[Effect] = []
        for call in calls:
            self.ledger.closed(call.id)
            if not call.hidden:
                effects += self.place_call(call, ToolClosed(call.id, why))
        return effects

    def stoppable_calls(self) -> list[OpenCall]:
        """Open calls of cancelled work: all but those of background agents that go on."""
        return [call for call in self.ledger.open_calls() if not self.in_background(call)]

    def in_background(self, call: OpenCall) -> bool:
        """Whether a background agent made ``call``, which a cancel does not stop."""
        agent = self.maker_of(call)
        return self.tasks.get(agent) is not None and not self.tasks.blocks_foreground(agent)

    def maker_of(self, call: OpenCall) -> str | None:
        """The subagent that made ``call``; None for the main conversation or one not known yet."""
        return call.agent or self.tasks.worker_of(call.parent)

    def calls_of(self, agent: str) -> list[OpenCall]:
        """Open calls that ``agent`` made."""
        return [call for call in self.ledger.open_calls() if self.maker_of(call) == agent]

    def lost_calls(self) -> list[OpenCall]:
        """Open calls of subagents that ended: no result will come."""
        calls = self.ledger.open_calls()
        return [c for c in calls if (a := self.maker_of(c)) is not None and self.tasks.has_ended(a)]


def new_state(root: str, policy: Policy, *, resumed: bool = False, epoch: str = "") -> SessionState:
    """The state of a session that begins. ``resumed``: the CLI continues an earlier
    conversation. ``epoch``: a new UUID, for ids that no other state may give.
    """
    tasks, options = TaskRegistry(), ChildOptions()
    children: Children
    if policy.form is Form.AIR:
        children = Generations(
            root,
            options,
            cancellable=policy.child_cancel,
            spares_background=policy.spares_background,
        )
    elif policy.form is Form.RFD:
        children = Subagents(root, options, policy.cwd)
    else:
        children = FlatChildren(root, text=policy.child_text, deltas=policy.child_deltas)
    return SessionState(
        async_tasks=AsyncTasks(root) if policy.async_tasks or policy.lists_background else None,
        autonomous_task=AutonomousTask(epoch) if policy.async_tasks else None,
        failures=Failures(root, epoch) if policy.failures else None,
        goals=Goals(root) if policy.goals else None,
        work=Work(lists={} if policy.lists_background else None) if policy.reports_work else None,
        root=root,
        policy=policy,
        tasks=tasks,
        turns=Turns(tasks, ends_turns=policy.ends_turns),
        children=children,
        ledger=ToolLedger(),
        window=CancelWindow(),
        usage=UsageMeter(resumed=resumed),
        options=options,
    )
