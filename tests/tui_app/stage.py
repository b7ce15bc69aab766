"""A host for the app without an agent: the real reducer, and a record of what the person wanted.

Scenes of a conversation are played by applying events; the agent's side of an intent is played as
far as a test needs it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from canopy_shared.content import TextContent
from canopy_shared.elicitation import parse_elicitation
from canopy_shared.ext.goal import wrap as goal_meta
from canopy_shared.permission import parse_permission_request
from canopy_shared.updates import (
    AgentMessageChunk,
    AgentThoughtChunk,
    AsyncTaskSpawned,
    AsyncTaskStateUpdate,
    SessionInfoUpdate,
    SubagentSpawned,
    SubagentStateUpdate,
    ToolCallStart,
    ToolCallUpdate,
    UsageUpdate,
)
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, PendingRequest, QueuedPrompt, Touched

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_shared.updates import Update
    from canopy_tui.view.surroundings import OnTouched, Schedule

ROOT = "root-1"
MODES = (("default", "Manual"), ("acceptEdits", "Accept edits"), ("plan", "Plan"))


class Stage:
    """The host. ``acted`` holds every intent but the changes of what is in view."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.state = ClientState()
        self.acted: list[i.Intent] = []
        self.started = 0
        self.takes_steering = True
        self._clock = clock
        self._paint: OnTouched = lambda _touched: None
        self._keys = itertools.count(1)
        self._prompts = itertools.count(1)

    @property
    def now(self) -> float:
        """The time of events."""
        return self._clock()

    def make(self, _schedule: Schedule, paint: OnTouched) -> Stage:
        """What the app calls to get its host."""
        self._paint = paint
        return self

    def start(self) -> None:
        """The app painted its first frame."""
        self.started += 1

    def apply(self, *events: e.Event) -> None:
        """Something happened."""
        touched = Touched()
        for event in events:
            touched.merge(reduce(self.state, event))
        if touched:
            self._paint(touched)

    def act(self, intent: i.Intent) -> None:
        """Play the agent's side of what the person wants."""
        if not isinstance(intent, i.Watch):
            self.acted.append(intent)
        match intent:
            case i.Watch(sessions):
                self.apply(e.Watched(sessions))
            case i.SendPrompt(session):
                self._send(session, intent)
            case i.SteerPrompt(session, text, blocks, source):
                self._steer(session, QueuedPrompt(next(self._prompts), text, blocks, source))
            case i.SteerQueued(session, number):
                for prompt in [p for p in self.state.sessions[session].queue if p.id == number]:
                    self._steer(session, prompt)
            case i.EditQueued(session, number, text, blocks, source):
                queue = self.state.sessions[session].queue
                new = [_edited(p, intent) if p.id == number else p for p in queue]
                self.apply(e.QueueChanged(session, tuple(p for p in new if p.text)))
            case i.RemoveQueued(session, number):
                queue = self.state.sessions[session].queue
                self.apply(e.QueueChanged(session, tuple(p for p in queue if p.id != number)))
            case i.AnswerPermission(key, option):
                self.apply(e.RequestAnswered(key, option, self._clock()))
            case i.AnswerElicitation(key):
                self.apply(e.RequestAnswered(key))
            case i.StopTask(task):
                self.apply(e.TaskStopping(task))
            case i.ClearGoal(session):
                self.apply(e.UpdateArrived(session, SessionInfoUpdate(meta=goal_meta(None)), 0.0))
            case i.CancelTurn(session):
                if session in self.state.roots:
                    self.end_turn("cancelled")
                else:
                    self.end_child(session, "cancelled")

    def _send(self, session: str, intent: i.SendPrompt) -> None:
        root, text, blocks = self.state.sessions[session], intent.text, intent.blocks
        if root.in_turn:
            prompt = QueuedPrompt(next(self._prompts), text, blocks, intent.source)
            self.apply(e.QueueChanged(session, (*root.queue, prompt)))
        else:
            now = self._clock()
            self.apply(e.PromptSent(session=session, text=text, blocks=blocks, at=now))

    def _steer(self, session: str, prompt: QueuedPrompt) -> None:
        self.apply(e.SteerSent(session, prompt))
        if self.takes_steering:
            self.steered("taken")

    def steered(self, outcome: str) -> None:
        """The agent says what became of the message on its way into the turn."""
        for prompt in self.state.sessions[ROOT].steering[:1]:
            now = self._clock()
            self.apply(e.SteerEnded(session=ROOT, prompt=prompt.id, outcome=outcome, at=now))

    def act_queue(self, *texts: str) -> None:
        """Messages wait for their turn."""
        queue = tuple(QueuedPrompt(next(self._prompts), text) for text in texts)
        self.apply(e.QueueChanged(ROOT, queue))

    # --- what the agent does ------------------------------------------------------------------

    def ready(self, cwd: str = "/home/ada/till", **link: Any) -> None:
        """The agent is there, with one session."""
        now = self._clock()
        self.apply(
            e.LinkChanged(status="ready", at=now, name="Claude", **{**OFFERED, **link}),
            e.SessionOpened(session=ROOT, at=now, cwd=cwd, mode="default", modes=MODES),
        )

    def update(self, update: Update, session: str = ROOT) -> None:
        """A ``session/update``."""
        self.apply(e.UpdateArrived(session, update, self._clock()))

    def say(self, text: str, session: str = ROOT, message: str = "m1") -> None:
        """Text of an answer."""
        self.update(AgentMessageChunk(TextContent(text), message_id=message), session)

    def think(self, text: str, session: str = ROOT) -> None:
        """A thought."""
        self.update(AgentThoughtChunk(TextContent(text), message_id="t1"), session)

    def call(self, call: str, title: str, session: str = ROOT, **facts: Any) -> None:
        """A tool call begins."""
        self.update(ToolCallStart(call, title, **facts), session)

    def call_update(self, call: str, session: str = ROOT, **facts: Any) -> None:
        """A tool call changes."""
        self.update(ToolCallUpdate(call, **facts), session)

    def spawn(
        self, child: str, name: str, parent: str = ROOT, *, task: str = "", stops: bool = True
    ) -> None:
        """A child begins."""
        capabilities = {"cancel": {}} if stops else {}
        self.update(SubagentSpawned(child, name, task or name, capabilities, prompt=task), parent)

    def end_child(self, child: str, state: str = "completed") -> None:
        """A child ends."""
        parent = self.state.sessions[child].parent or ROOT
        self.update(SubagentStateUpdate(child, state), parent)

    def begin_task(
        self,
        task: str,
        name: str,
        kind: str = "shell",
        session: str = ROOT,
        *,
        stops: bool = True,
        **facts: Any,
    ) -> str:
        """A background task begins; returns its key."""
        self.update(AsyncTaskSpawned(task, name, kind, can_stop=stops, **facts), session)
        return f"{ROOT}/{task}"

    def print_of_task(self, key: str, text: str) -> None:
        """The output of a task so far."""
        self.apply(e.TaskOutput(key, text))

    def end_task(self, task: str, state: str = "completed", session: str = ROOT) -> None:
        """A background task ends."""
        self.update(AsyncTaskStateUpdate(task, state), session)

    def tell(self, meta: dict[str, Any]) -> None:
        """What an extension tells of the root."""
        self.update(SessionInfoUpdate(meta=meta))

    def end_turn(self, reason: str = "end_turn") -> None:
        """The root's prompt is answered."""
        self.apply(e.TurnEnded(session=ROOT, stop_reason=reason, at=self._clock()))

    def usage(self, used: int, size: int = 200_000) -> None:
        """Context in use."""
        self.update(UsageUpdate(used, size))

    def ask_permission(
        self,
        call: str = "call-1",
        title: str = "Edit prices.py",
        session: str = ROOT,
        options: list[dict[str, str]] | None = None,
        meta: dict[str, Any] | None = None,
        **facts: Any,
    ) -> int:
        """A permission request; returns its key."""
        params = {
            "sessionId": session,
            "toolCall": {"toolCallId": call, "title": title, **facts},
            "options": OPTIONS if options is None else options,
            "_meta": meta or {},
        }
        payload = parse_permission_request(params)
        assert payload is not None
        request = PendingRequest(
            key=next(self._keys),
            session=session,
            kind="permission",
            payload=payload,
            summary=payload.title,
            at=self._clock(),
            tool_call_id=call,
        )
        self.apply(e.RequestArrived(request, payload.tool_call))
        return request.key

    def ask_form(self, schema: dict[str, Any], message: str = "?", session: str = ROOT) -> int:
        """A form; returns its key."""
        return self._elicit(
            {"mode": "form", "message": message, "requestedSchema": schema}, session
        )

    def ask_page(self, url: str, message: str = "Log in, please", session: str = ROOT) -> int:
        """A page to open; returns its key."""
        return self._elicit(
            {"mode": "url", "message": message, "url": url, "elicitationId": "e1"}, session
        )

    def _elicit(self, params: dict[str, Any], session: str) -> int:
        payload = parse_elicitation({"sessionId": session, **params})
        assert payload is not None
        request = PendingRequest(
            key=next(self._keys),
            session=session,
            kind="elicitation",
            payload=payload,
            summary=payload.message,
            at=self._clock(),
        )
        self.apply(e.RequestArrived(request))
        return request.key

    def withdraw(self, key: int) -> None:
        """The agent no longer waits."""
        self.apply(e.RequestWithdrawn(key))


def _edited(prompt: QueuedPrompt, intent: i.EditQueued) -> QueuedPrompt:
    blocks = prompt.blocks if intent.blocks is None else intent.blocks
    return QueuedPrompt(prompt.id, intent.text, blocks, intent.source)


OFFERED: dict[str, Any] = {
    "meta": {"steering": {"supported": True}},
    "capabilities": {"promptCapabilities": {"image": True, "embeddedContext": True}},
}
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "always", "name": "Yes, allow all edits in this session", "kind": "allow_always"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]
