"""Subagents in the RFD form: one child session per agent for its whole life, with its states.

What is told of one child is spelled in ``rfd_children``; no state is invented that the CLI did not
report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.domain.bounded import make_room
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    Replied,
    ToolInputComplete,
    ToolReturned,
    ToolShownWhole,
)
from canopy_agent.domain.lineage import (
    AGENT_TOOLS,
    HAND_BACK,
    KNOWN_AGENTS,
    SEND_MESSAGE,
    Json,
    Launch,
    Lineage,
    Waiting,
    says_async,
)
from canopy_agent.domain.past import Past
from canopy_agent.domain.rfd_children import (
    Child,
    Stage,
    announcement,
    anonymous_prompt,
    idle_state,
    linked,
    restored,
    state_shown,
)
from canopy_agent.domain.rfd_places import Places

if TYPE_CHECKING:
    from canopy_agent.domain.child_options import ChildOptions
    from canopy_agent.domain.events import TaskStarted
    from canopy_agent.domain.facts import Fact
    from canopy_agent.domain.past import PastAgent


class Subagents:
    """The RFD form of :class:`~canopy_agent.domain.children.Children`."""

    ends_at_cancel = False
    drops_after_end = False

    def __init__(self, root: str, options: ChildOptions, cwd: str | None = None) -> None:
        self._root = root
        self._options = options
        self._lineage = Lineage()
        self._waiting = Waiting()
        self._children: dict[str, Child] = {}
        self._pending: dict[str, Child] = {}
        self._past = Past()
        self._places = Places(cwd, self._children)

    def known(self) -> list[Child]:
        """Every child, announced or not, parents before their children."""
        return list(self._children.values())

    def standing(self) -> list[Effect]:
        """The announcement of every child that works now, for who does not know it yet."""
        working = [child for child in self._children.values() if child.working]
        return [announcement(child, self._lineage.launch(child.launch)) for child in working]

    # --- announcing -------------------------------------------------------------------------------

    def hides(self, tool: str) -> bool:
        return tool in AGENT_TOOLS or tool in (SEND_MESSAGE, HAND_BACK)

    def launched(self, launch: Launch) -> list[Effect]:
        self._lineage.launched(launch)
        return self._announce_ready()

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        self._lineage.sent(id_, input_, parent)

    def remembered(self, agents: tuple[PastAgent, ...], at: int) -> None:
        self._past.take(agents, at)

    def started(self, event: TaskStarted) -> list[Effect]:
        known = self._children.get(event.task)
        self._lineage.delegated(event.tool_use_id, event.task)
        if known is not None:
            return self._work_again(known, event.tool_use_id)
        if self._past.get(event.task) and self._lineage.message(event.tool_use_id):
            return self._restore(event.task, event.tool_use_id)
        for gone in make_room(self._children, KNOWN_AGENTS, lambda child: not child.working):
            self._pending.pop(gone, None)
        child = Child(event.task, event.tool_use_id, event.tool_use_id)
        child.role, child.prompt = event.subagent_type, event.prompt
        self._children[event.task] = self._pending[event.task] = child
        return self._announce_ready()

    def _restore(self, agent: str, call: str | None) -> list[Effect]:
        """A stored agent works again: announce it, below those of its line that nobody knows."""
        effects: list[Effect] = []
        for past in self._past.line(agent):
            if past.id in self._children:
                continue
            self._lineage.launched(past.launch)
            self._lineage.delegated(past.launch.id, past.id)
            child = self._children[past.id] = restored(past)
            child.parent_session = self._parent_session(child) or self._root
            woken = past.id == agent
            child.stage = Stage.RUNNING if woken else Stage.IDLE
            effects.append(announcement(child, past.launch, woken=woken))
            cwd = self._places.take_early(past.id) or past.cwd
            effects += self.placed(past.id, cwd) if cwd is not None else []
        child = self._children[agent]
        effects += self._options.tell(agent, self) + self._work_again(child, call)
        held = self._waiting.release(child.launch or "")
        return effects + [Show(agent, fact, child.launch) for fact in held]

    def _announce_ready(self) -> list[Effect]:
        """Announce every child whose parent is known, parents before their children."""
        effects: list[Effect] = []
        progress = True
        while progress:
            progress = False
            for child in list(self._pending.values()):
                parent = self._parent_session(child)
                if child.stage is Stage.PENDING and parent is not None:
                    effects += self._announce(child, parent)
                    progress = True
        return effects

    def _parent_session(self, child: Child) -> str | None:
        """Where to announce ``child``: None while that is not known."""
        if child.launch is None:
            return self._root
        launch = self._lineage.launch(child.launch)
        if launch is None:
            return None
        if launch.parent is None:
            return self._root
        parent = self._children.get(self._lineage.agent_of(launch.parent) or "")
        return parent.id if parent is not None and parent.exposed else None

    def _announce(self, child: Child, parent_session: str) -> list[Effect]:
        self._pending.pop(child.id, None)
        child.parent_session = parent_session
        child.stage = Stage.ASKING if child.open_requests else Stage.RUNNING
        launch = self._lineage.launch(child.launch)
        effects: list[Effect] = [announcement(child, launch)]
        given = launch.input.get("prompt") if launch is not None else None
        prompt = given if isinstance(given, str) else child.prompt
        effects += self._deliver_prompt(child, child.launch, prompt)
        early = self._places.take_early(child.id)
        if early is not None:
            effects += self.placed(child.id, early)
        effects += self._options.tell(child.id, self)
        if child.launch is not None:
            held = self._waiting.release(child.launch)
            effects += [Show(child.id, fact, child.launch) for fact in held]
        return effects

    def _deliver_prompt(self, child: Child, call: str | None, text: Any) -> list[Effect]:
        """The two linked views of what the child was told; each call tells it once."""
        if not isinstance(text, str) or not text.strip():
            return []
        if call is None:
            return anonymous_prompt(child, text)
        if call in child.delivered:
            return []
        child.delivered[call] = True
        return linked(call, self._sender_session(call, child), child.id, text)

    def _sender_session(self, call: str, child: Child) -> str:
        """A message of SendMessage comes from whoever made that call, a prompt from the parent."""
        message = self._lineage.message(call)
        if message is None:
            return child.parent_session
        if message.parent is None:
            return self._root
        return self.live_session(self._lineage.agent_of(message.parent) or "") or self._root

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        child = self._children.get(agent)
        if child is not None and child.exposed:
            return self._places.report(child, cwd)
        self._places.early(agent, cwd)
        return []

    # --- working and ending ----------------------------------------------------------------------

    def _work_again(self, child: Child, delegation: str | None) -> list[Effect]:
        """New work for a child, whether it is idle or not; a signal that repeats says nothing
        new.
        """
        child.delegate(delegation)
        if not child.exposed:
            return []
        effects = self._wake(child)
        message = self._lineage.message(delegation)
        if message is not None:
            effects += self._deliver_prompt(child, message.id, message.text)
        if delegation is not None:
            held = self._waiting.release(delegation)
            effects += [Show(child.id, fact, delegation) for fact in held]
        return effects

    def _wake(self, child: Child) -> list[Effect]:
        if child.stage is not Stage.IDLE:
            return []
        child.handed_back = child.failed_silently = False
        child.stage = Stage.ASKING if child.open_requests else Stage.RUNNING
        return [state_shown(child, {"state": child.stage.value})]

    def running(self, agent: str) -> list[Effect]:
        child = self._children.get(agent)
        return self._wake(child) if child is not None else []

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        child = self._children.get(agent)
        messages = [m for id_ in tool_ids if (m := self._lineage.message(id_)) is not None]
        past = self._past.get(agent)
        if child is None and past is None:
            return []
        name = child.name if child is not None else past.name if past is not None else None
        message = self._lineage.addressed(messages, agent, name)
        if message is None or (child is not None and message.id in child.over):
            return []
        self._lineage.delegated(message.id, agent)
        if child is None:
            return self._restore(agent, message.id)
        return self._work_again(child, message.id)

    def ended(
        self,
        agent: str,
        status: str,
        *,
        error: str | None = None,
        reason: str | None = None,
        tool_use_id: str | None = None,
    ) -> list[Effect]:
        child = self._children.get(agent)
        if child is None or child.stage is Stage.WITHDRAWN or child.is_stale(tool_use_id):
            return []
        if child.stage is Stage.PENDING:
            self._withdraw(child)
            return []
        if child.stage is Stage.IDLE:
            return self._late_error(child, status, error)
        child.stage = Stage.IDLE
        child.failed_silently = status == "failed" and not error
        if child.delegation is not None:
            child.over[child.delegation] = True
        return [state_shown(child, idle_state(status, error, reason))]

    def _withdraw(self, child: Child) -> None:
        """The client will never hear of ``child``."""
        self._pending.pop(child.id, None)
        child.stage = Stage.WITHDRAWN
        if child.launch is not None:
            self._waiting.release(child.launch)

    def _late_error(self, child: Child, status: str, error: str | None) -> list[Effect]:
        if not (child.failed_silently and status == "failed" and error):
            return []
        child.failed_silently = False
        return [state_shown(child, idle_state(status, error, None))]

    def cancelled(self) -> list[Effect]:
        return []

    def closed(self, *, cancelled: bool) -> list[Effect]:
        for child in list(self._pending.values()):
            self._withdraw(child)
        effects: list[Effect] = []
        for child in reversed(self._children.values()):
            child.open_requests = 0
            if child.working:
                child.stage = Stage.IDLE
                effects.append(state_shown(child, {"state": "idle"}))
        self._waiting.clear()
        return effects

    def reset(self) -> list[Effect]:
        effects = self.closed(cancelled=False)
        self._children.clear()
        self._lineage.clear()
        self._places.clear()
        self._past.clear()
        return effects

    # --- traffic ----------------------------------------------------------------------------------

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        child = self._children.get(self._lineage.agent_of(parent) or "")
        if child is not None and child.stage is Stage.WITHDRAWN:
            return []
        if child is None or child.stage is Stage.PENDING:
            return self._waiting.hold(parent, fact)
        return [Show(child.id, fact, parent)]

    def nobody(self, call: str) -> None:
        self._waiting.refuse(call)

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        if launch.tool == SEND_MESSAGE:
            return self._message_returned(result, parent, launch)
        if launch.tool == HAND_BACK:
            return self._handed_back(result, parent, launch)
        return self._launch_returned(result, parent, launch)

    def _handed_back(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        """A SubagentHandback that went through is a message of the child to its parent."""
        child = self._children.get(self._lineage.agent_of(parent) or "")
        text = launch.input.get("message")
        if child is None or not child.exposed or result.is_error or not isinstance(text, str):
            return self._card(result, parent, launch)
        child.handed_back = True
        return linked(launch.id, child.id, child.parent_session, text)

    def _launch_returned(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        child = self._children.get(self._lineage.agent_of(launch.id) or "")
        if child is None or not child.exposed:
            started = child is None and not result.is_error and says_async(result.structured)
            background = launch.background or started
            if background and not result.is_error:
                return []  # the child may still be announced
            if child is None:
                self._waiting.refuse(launch.id)
            return self._card(result, parent, launch)
        background = launch.background or says_async(result.structured)
        if result.is_error or background or child.handed_back:
            return []
        reply = Replied(f"{launch.id}:reply", child.id, child.parent_session, result)
        return [Show(child.parent_session, reply)]

    def _message_returned(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        """A SendMessage that reached an announced child is its messages; any other is a tool
        call.
        """
        child = self._children.get(self._lineage.agent_of(launch.id) or "")
        if child is not None and launch.id in child.delivered:
            return []
        return self._card(result, parent, launch)

    def _card(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        card = ToolShownWhole(ToolInputComplete(launch.id, launch.tool, launch.input), result)
        return [Show(self._root, card)] if parent is None else self.show(card, parent)

    # --- requests -------------------------------------------------------------------------------

    def session_of(self, agent: str | None) -> str:
        return self.live_session(agent or "") or self._root

    def live_session(self, agent: str) -> str | None:
        child = self._children.get(agent)
        return child.id if child is not None and child.exposed else None

    def agent_of_call(self, tool_use_id: str) -> str | None:
        return self._lineage.agent_of(tool_use_id)

    def agent_of_session(self, session: str) -> str | None:
        return self.live_session(session)

    def request_opened(self, agent: str) -> list[Effect]:
        child = self._children.get(agent)
        if child is None:
            return []
        child.open_requests += 1
        if child.stage is not Stage.RUNNING:
            return []
        child.stage = Stage.ASKING
        return [state_shown(child, {"state": "requires_action"})]

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        child = self._children.get(agent)
        if child is None or not child.open_requests:
            return []
        child.open_requests -= 1
        if child.open_requests or child.stage is not Stage.ASKING:
            return []
        child.stage = Stage.RUNNING
        # after a cancel the CLI reports the end next; a moment of "running" between would be wrong
        return [] if stopped else [state_shown(child, {"state": "running"})]
