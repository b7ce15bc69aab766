"""Subagents in the RFD form: one child session per agent for its whole life, with its states.

Source: the ACP subagents RFD (``subagent_update``, ``session_message``) as
``@agentclientprotocol/claude-agent-acp`` 0.101.0 speaks it; no state is invented that the CLI did
not report.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Logged, Show
from canopy_agent.domain.facts import (
    ChildReported,
    Delivered,
    Replied,
    ToolInputComplete,
    ToolReturned,
    ToolShownWhole,
)
from canopy_agent.domain.lineage import (
    AGENT_TOOLS,
    HAND_BACK,
    SEND_MESSAGE,
    Json,
    Launch,
    Lineage,
    Waiting,
    text_field,
)

if TYPE_CHECKING:
    from canopy_agent.domain.events import TaskStarted
    from canopy_agent.domain.facts import Fact

WORKER_RESTART = "worker_restart"


class Stage(Enum):
    """How far a child has come."""

    PENDING = "pending"
    RUNNING = "running"
    ASKING = "requires_action"
    IDLE = "idle"
    WITHDRAWN = "withdrawn"


@dataclass(slots=True)
class Child:
    """One agent. ``delegation`` is the call that gave it work last."""

    id: str
    launch: str | None
    delegation: str | None
    role: str | None = None
    prompt: str | None = None
    stage: Stage = Stage.PENDING
    parent_session: str = ""
    open_requests: int = 0
    delivered: set[str] = field(default_factory=set)
    ended_delegations: set[str] = field(default_factory=set)
    handed_back: bool = False
    failed_silently: bool = False
    anonymous_prompts: int = 0
    cwd: str | None = None
    """Its directory, when that is known to differ from its parent's."""

    @property
    def exposed(self) -> bool:
        """Whether the client knows the child."""
        return self.stage not in (Stage.PENDING, Stage.WITHDRAWN)


def _text(text: str) -> tuple[dict[str, Any], ...]:
    return ({"type": "text", "text": text},)


def idle_state(status: str, error: str | None, reason: str | None) -> dict[str, Any]:
    """The ``state`` of a child whose run ended with ``status``."""
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


class Subagents:
    """The RFD form of :class:`~canopy_agent.domain.children.Children`."""

    def __init__(self, root: str, cwd: str | None = None) -> None:
        self._root = root
        self._cwd = cwd
        self._early_cwds: Recent[str, str] = Recent(64)
        self._lineage = Lineage()
        self._waiting = Waiting()
        self._children: dict[str, Child] = {}
        self._senders: Recent[str, str | None] = Recent(256)

    # --- announcing -------------------------------------------------------------------------------

    def hides(self, tool: str) -> bool:
        return tool in AGENT_TOOLS or tool in (SEND_MESSAGE, HAND_BACK)

    def launched(self, launch: Launch) -> list[Effect]:
        self._lineage.launched(launch)
        return self._announce_ready()

    def messaged(self, id_: str, input_: Json, parent: str | None) -> None:
        self._lineage.sent(id_, input_)
        self._senders[id_] = parent

    def started(self, event: TaskStarted) -> list[Effect]:
        known = self._children.get(event.task)
        self._lineage.delegated(event.tool_use_id, event.task)
        if known is not None:
            return self._work_again(known, event.tool_use_id)
        child = Child(event.task, event.tool_use_id, event.tool_use_id)
        child.role, child.prompt = event.subagent_type, event.prompt
        self._children[event.task] = child
        return self._announce_ready()

    def _announce_ready(self) -> list[Effect]:
        effects: list[Effect] = []
        progress = True
        while progress:
            progress = False
            for child in list(self._children.values()):
                parent = self._parent_session(child) if child.stage is Stage.PENDING else None
                if parent is not None:
                    effects += self._announce(child, parent)
                    progress = True
        return effects

    def _parent_session(self, child: Child) -> str | None:
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
        child.parent_session = parent_session
        child.stage = Stage.ASKING if child.open_requests else Stage.RUNNING
        launch = self._lineage.launch(child.launch)
        input_ = launch.input if launch else {}
        role = text_field(input_, "subagent_type") or child.role
        title = text_field(input_, "name", "description") or role
        report = ChildReported(
            child.id,
            title=title,
            description=role if role != title else None,
            cancellable=True,
            state={"state": child.stage.value},
        )
        effects: list[Effect] = [Show(parent_session, report)]
        prompt = input_.get("prompt") if isinstance(input_.get("prompt"), str) else child.prompt
        effects += self._deliver_prompt(child, child.launch, prompt)
        early = self._early_cwds.pop(child.id)
        if early is not None:
            effects += self.placed(child.id, early)
        if child.launch is not None:
            held = self._waiting.release(child.launch)
            effects += [Show(child.id, fact, child.launch) for fact in held]
        return effects

    def _deliver_prompt(self, child: Child, call: str | None, text: Any) -> list[Effect]:
        """The two linked views of what the child was told; each call tells it once."""
        if not isinstance(text, str) or not text.strip():
            return []
        content = _text(text)
        parent = child.parent_session
        if call is None:
            child.anonymous_prompts += 1
            id_ = f"{child.id}:prompt:{child.anonymous_prompts}"
            return [Show(child.id, Delivered(id_, parent, child.id, content))]
        if call in child.delivered:
            return []
        child.delivered.add(call)
        sender = self._sender_session(call, child)
        outgoing = Delivered(call, sender, child.id, content, recipient_message_id=call)
        incoming = Delivered(call, sender, child.id, content, sender_message_id=call)
        return [Show(sender, outgoing), Show(child.id, incoming)]

    def _sender_session(self, call: str, child: Child) -> str:
        """A message of SendMessage comes from whoever made that call, a prompt from the parent."""
        if self._lineage.message(call) is None or call not in self._senders:
            return child.parent_session
        launch = self._senders.get(call)
        return self._root if launch is None else (self._lineage.agent_of(launch) or self._root)

    def placed(self, agent: str, cwd: str) -> list[Effect]:
        """Say once that a child works elsewhere than its parent, and once that it is back."""
        child = self._children.get(agent)
        if child is None or not child.exposed:
            self._early_cwds[agent] = cwd
            return []
        elsewhere = cwd if cwd != self._directory(child.parent_session) else None
        if elsewhere == child.cwd:
            return []
        child.cwd = elsewhere
        report = ChildReported(child.id, cwd=elsewhere, clear_cwd=elsewhere is None)
        return [Show(child.parent_session, report)]

    def _directory(self, session: str) -> str | None:
        """Where the conversation of ``session`` works."""
        child = self._children.get(session)
        if child is None:
            return self._cwd
        return child.cwd or self._directory(child.parent_session)

    # --- working and ending ----------------------------------------------------------------------

    def _work_again(self, child: Child, delegation: str | None) -> list[Effect]:
        """New work for a child, whether it is idle or not; a signal that repeats says nothing
        new.
        """
        if not child.exposed:
            return []
        if delegation is not None:
            child.delegation = delegation
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
        return [self._state(child, {"state": child.stage.value})]

    def _state(self, child: Child, state: dict[str, Any]) -> Show:
        return Show(child.parent_session, ChildReported(child.id, state=state))

    def running(self, agent: str) -> list[Effect]:
        child = self._children.get(agent)
        return self._wake(child) if child is not None else []

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        child = self._children.get(agent)
        calls = [id_ for id_ in tool_ids if self._lineage.message(id_) is not None]
        if child is None or not calls or calls[0] in child.ended_delegations:
            return []
        self._lineage.delegated(calls[0], agent)
        return self._work_again(child, calls[0])

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
        if child is None or child.stage is Stage.WITHDRAWN:
            return []
        if child.stage is Stage.PENDING:
            child.stage = Stage.WITHDRAWN
            if child.launch is not None:
                self._waiting.release(child.launch)
            return []
        if tool_use_id is not None and tool_use_id != child.delegation:
            return []  # the end of an earlier run of the same child
        if child.stage is Stage.IDLE:
            return self._late_error(child, status, error)
        child.stage = Stage.IDLE
        child.failed_silently = status == "failed" and not error
        if child.delegation is not None:
            child.ended_delegations.add(child.delegation)
        return [self._state(child, idle_state(status, error, reason))]

    def _late_error(self, child: Child, status: str, error: str | None) -> list[Effect]:
        if not (child.failed_silently and status == "failed" and error):
            return []
        child.failed_silently = False
        return [self._state(child, idle_state(status, error, None))]

    def cancelled(self) -> list[Effect]:
        return []

    def closed(self, *, cancelled: bool) -> list[Effect]:
        effects: list[Effect] = []
        for child in reversed(self._children.values()):
            if child.stage in (Stage.RUNNING, Stage.ASKING):
                child.stage = Stage.IDLE
                child.open_requests = 0
                effects.append(self._state(child, {"state": "idle"}))
        self._waiting.clear()
        return effects

    def reset(self) -> list[Effect]:
        effects = self.closed(cancelled=False)
        self._children.clear()
        self._lineage.clear()
        return effects

    # --- traffic ----------------------------------------------------------------------------------

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        child = self._children.get(self._lineage.agent_of(parent) or "")
        if child is not None and child.stage is Stage.WITHDRAWN:
            return []
        if child is None or child.stage is Stage.PENDING:
            if self._waiting.hold(parent, fact):
                return []
            return [Logged(f"dropped early output of a subagent (launch {parent})")]
        return [Show(child.id, fact, parent)]

    def _handed_back(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        """A SubagentHandback that went through is a message of the child to its parent."""
        child = self._children.get(self._lineage.agent_of(parent) or "")
        text = launch.input.get("message")
        if child is None or not child.exposed or result.is_error or not isinstance(text, str):
            return self._card(result, parent, launch)
        child.handed_back = True
        up, content = child.parent_session, _text(text)
        sent = Delivered(launch.id, child.id, up, content, recipient_message_id=launch.id)
        got = Delivered(launch.id, child.id, up, content, sender_message_id=launch.id)
        return [Show(child.id, sent), Show(up, got)]

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        if launch.tool == SEND_MESSAGE:
            return self._message_returned(result, parent, launch)
        if launch.tool == HAND_BACK:
            return self._handed_back(result, parent, launch)
        return self._launch_returned(result, parent, launch)

    def _launch_returned(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        child = self._children.get(self._lineage.agent_of(launch.id) or "")
        if child is None or not child.exposed:
            started = child is None and not result.is_error and self._started_in_background(result)
            background = launch.background or started
            if background and not result.is_error:
                return []  # the child may still be announced
            return self._card(result, parent, launch)
        if result.is_error or self._is_background(launch, result) or child.handed_back:
            return []
        reply = Replied(f"{launch.id}:reply", child.id, child.parent_session, result)
        return [Show(child.parent_session, reply)]

    @staticmethod
    def _started_in_background(result: ToolReturned) -> bool:
        structured = result.structured
        return isinstance(structured, Mapping) and structured.get("isAsync") is True

    def _is_background(self, launch: Launch, result: ToolReturned) -> bool:
        return launch.background or self._started_in_background(result)

    def _message_returned(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        """A SendMessage that reached an announced child is its messages; any other is a tool
        call.
        """
        structured = result.structured
        agent = structured.get("resumedAgentId") if isinstance(structured, Mapping) else None
        child = self._children.get(agent) if isinstance(agent, str) else None
        if child is not None and child.exposed:
            return []
        return self._card(result, parent, launch)

    def _card(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        card = ToolShownWhole(ToolInputComplete(launch.id, launch.tool, launch.input), result)
        return [Show(self._root, card)] if parent is None else self.show(card, parent)

    # --- requests -------------------------------------------------------------------------------

    def session_of(self, agent: str | None) -> str:
        child = self._children.get(agent or "")
        return child.id if child is not None and child.exposed else self._root

    def live_session(self, agent: str) -> str | None:
        child = self._children.get(agent)
        return child.id if child is not None and child.exposed else None

    def agent_of_call(self, tool_use_id: str) -> str | None:
        return self._lineage.agent_of(tool_use_id)

    def agent_of_session(self, session: str) -> str | None:
        child = self._children.get(session)
        return session if child is not None and child.exposed else None

    def request_opened(self, agent: str) -> list[Effect]:
        child = self._children.get(agent)
        if child is None:
            return []
        child.open_requests += 1
        if child.stage is not Stage.RUNNING:
            return []
        child.stage = Stage.ASKING
        return [self._state(child, {"state": "requires_action"})]

    def request_closed(self, agent: str, *, stopped: bool) -> list[Effect]:
        child = self._children.get(agent)
        if child is None or not child.open_requests:
            return []
        child.open_requests -= 1
        if child.open_requests or child.stage is not Stage.ASKING:
            return []
        child.stage = Stage.RUNNING
        # after a cancel the CLI reports the end next; a moment of "running" between would be wrong
        return [] if stopped else [self._state(child, {"state": "running"})]
