"""One subagent of the RFD form: its stage, and the words of its states and messages.

When a stage changes is decided in ``subagents``; here it is only spelled. Source: the ACP
subagents RFD (``subagent_update``, ``session_message``) as
``@agentclientprotocol/claude-agent-acp`` 0.101.0 speaks it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import ChildReported, Delivered
from canopy_agent.domain.lineage import Json, Launch, text_field
from canopy_agent.domain.tasks import WORKER_RESTART

if TYPE_CHECKING:
    from canopy_agent.domain.past import PastAgent

_CALLS = 256
"""How many delegations of one child are remembered."""


class Stage(Enum):
    """How far a child has come."""

    PENDING = "pending"
    RUNNING = "running"
    ASKING = "requires_action"
    IDLE = "idle"
    WITHDRAWN = "withdrawn"


def _remembered() -> Recent[str, bool]:
    return Recent(_CALLS)


@dataclass(slots=True)
class Child:
    """One agent. ``delegation`` is the call that gave it work last."""

    id: str
    launch: str | None
    delegation: str | None
    role: str | None = None
    prompt: str | None = None
    name: str | None = None
    stage: Stage = Stage.PENDING
    parent_session: str = ""
    open_requests: int = 0
    delivered: Recent[str, bool] = field(default_factory=_remembered)
    """Calls whose message both sides have."""
    over: Recent[str, bool] = field(default_factory=_remembered)
    """Calls whose run ended, or that a later call took over from."""
    handed_back: bool = False
    failed_silently: bool = False
    anonymous_prompts: int = 0
    cwd: str | None = None
    """Its directory, when that is known to differ from its parent's."""

    @property
    def exposed(self) -> bool:
        """Whether the client knows the child."""
        return self.stage not in (Stage.PENDING, Stage.WITHDRAWN)

    @property
    def working(self) -> bool:
        """Whether the client sees it at work."""
        return self.stage in (Stage.RUNNING, Stage.ASKING)

    def delegate(self, call: str | None) -> None:
        """``call`` gave it work."""
        if call is None or call == self.delegation:
            return
        if self.delegation is not None:
            self.over[self.delegation] = True
        self.delegation = call

    def is_stale(self, call: str | None) -> bool:
        """Whether an end that names ``call`` is that of an earlier run."""
        return call is not None and call != self.delegation and call in self.over


def idle_state(status: str, error: str | None, reason: str | None) -> dict[str, Any]:
    """The ``state`` of a child whose run ended with ``status``, "" when nobody said how."""
    if reason == WORKER_RESTART or not status:
        return {"state": "idle"}
    if status == "completed":
        return {"state": "idle", "stopReason": "end_turn"}
    if status != "failed":
        return {"state": "idle", "stopReason": "cancelled"}
    state: dict[str, Any] = {"state": "idle", "stopReason": "error"}
    if error:
        state["error"] = {"code": -32603, "message": error}
    return state


def state_shown(child: Child, state: dict[str, Any]) -> Show:
    """A state of ``child``, on its parent."""
    return Show(child.parent_session, ChildReported(child.id, state=state))


def restored(past: PastAgent) -> Child:
    """The child that a stored agent is; both sides have its first prompt from then."""
    launch = past.launch.id
    child = Child(past.id, launch, launch, past.role)
    child.delivered[launch] = True
    return child


def announcement(child: Child, launch: Launch | None, *, woken: bool = True) -> Show:
    """The first report of ``child``, with what its launch calls it; never the prompt.

    Of a stored one that was not ``woken`` neither a state nor capabilities are known.
    """
    input_: Json = launch.input if launch else {}
    role = text_field(input_, "subagent_type") or child.role
    child.name = text_field(input_, "name")
    title = child.name or text_field(input_, "description") or role
    report = ChildReported(
        child.id,
        title=title,
        description=role if role != title else None,
        cancellable=True if woken else None,
        state={"state": child.stage.value} if woken else None,
    )
    return Show(child.parent_session, report)


def linked(call: str, sender: str, recipient: str, text: str) -> list[Effect]:
    """The two views of one message, the sender's first; both carry the id of its call."""
    content = ({"type": "text", "text": text},)
    sent = Delivered(call, sender, recipient, content, recipient_message_id=call)
    got = Delivered(call, sender, recipient, content, sender_message_id=call)
    return [Show(sender, sent), Show(recipient, got)]


def anonymous_prompt(child: Child, text: str) -> list[Effect]:
    """A prompt that no known call carried: only the child has it."""
    child.anonymous_prompts += 1
    id_ = f"{child.id}:prompt:{child.anonymous_prompts}"
    content = ({"type": "text", "text": text},)
    return [Show(child.id, Delivered(id_, child.parent_session, child.id, content))]
