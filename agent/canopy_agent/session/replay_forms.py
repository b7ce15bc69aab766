"""The two forms in which a replay shows subagents: AIR's generations and the RFD's child sessions.

Wording of names is the launch's own; what has no name of its own says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    ChildAnnounced,
    ChildEnded,
    ChildReported,
    Delivered,
    Replied,
    ToolInputComplete,
    ToolReturned,
)
from canopy_agent.domain.lineage import HAND_BACK, SEND_MESSAGE, Launch, text_field
from canopy_agent.domain.rfd_children import idle_state
from canopy_agent.history.reader import SentMessage
from canopy_agent.history.texts import COORDINATOR, origin_of, words_of
from canopy_agent.session.replay_children import (
    Outcome,
    ReplayedChild,
    ReplayedChildren,
    person_blocks,
    user_said,
)

if TYPE_CHECKING:
    from canopy_agent.history.agents import StoredAgent
    from canopy_agent.session.live_children import LiveChild

Json = Mapping[str, Any]

RESTORED, UNATTACHED = "Restored agent", "Disconnected agent"
UNKNOWN_TASK = "Delegated task"


class AirReplay(ReplayedChildren):
    """One child session per stored agent, ended once."""

    def _session(self, agent: StoredAgent, call: str) -> str:
        return f"{self._root}:replay-subagent:{call}"

    def _announce(self, child: ReplayedChild) -> list[Effect]:
        agent, input_ = child.agent, child.input
        name = text_field(input_, "name", "description", "subagent_type")
        name = name or agent.name or agent.description or agent.role
        if name is None:
            name = RESTORED if child.attached else UNATTACHED
        task = text_field(input_, "prompt", "description") or UNKNOWN_TASK
        return [Show(child.parent_session, ChildAnnounced(child.session, name, task, None))]

    def _end(self, child: ReplayedChild, how: Outcome) -> list[Effect]:
        known = how.status if child.attached else None
        return [Show(child.parent_session, ChildEnded(child.session, known or "disconnected"))]

    def _told(self, child: ReplayedChild, record: Json, blocks: tuple[Json, ...]) -> list[Effect]:
        shown = person_blocks(record, blocks, first=not child.heard)
        return [Show(child.session, user_said(record, shown), child.call)] if shown else []


class RfdReplay(ReplayedChildren):
    """One child session per agent under its live id, with the messages it got and sent."""

    def __init__(
        self,
        root: str,
        agents: Mapping[str, StoredAgent],
        live: Callable[[str], LiveChild | None],
        cwd: str | None,
    ) -> None:
        super().__init__(root, agents, live)
        self._cwd = cwd
        self._messages: list[SentMessage] = []
        self._received: set[str] = set()
        self._ended: dict[str, Json] = {}

    def hides(self, tool: str) -> bool:
        return super().hides(tool) or tool in (SEND_MESSAGE, HAND_BACK)

    def sent(self, messages: list[SentMessage]) -> None:
        """These SendMessage calls are stored in a transcript that is going to be shown."""
        self._messages += messages

    # --- announcing and ending --------------------------------------------------------------------

    def _session(self, agent: StoredAgent, call: str) -> str:
        return agent.id

    def _announce(self, child: ReplayedChild) -> list[Effect]:
        agent, input_ = child.agent, child.input
        role = text_field(input_, "subagent_type") or agent.role
        title = text_field(input_, "name", "description") or agent.name or agent.description or role
        report = ChildReported(
            child.session,
            title=title or (None if child.attached else UNATTACHED),
            description=role if role != title else None,
            state={"state": "running"},
            cwd=self._elsewhere(child),
        )
        effects: list[Effect] = [Show(child.parent_session, report)]
        prompt = input_.get("prompt")
        if isinstance(prompt, str) and prompt.strip():
            effects += self._linked(child.call, child.parent_session, child.session, prompt)
        return effects

    def _elsewhere(self, child: ReplayedChild) -> str | None:
        """Where a child worked, when that is not where its parent did."""
        cwd = child.agent.cwd
        return cwd if cwd != self._directory(child.parent_session) else None

    def _directory(self, session: str) -> str | None:
        child = next((c for c in self.children() if c.session == session), None)
        if child is None:
            return self._cwd
        return child.agent.cwd or self._directory(child.parent_session)

    def _end(self, child: ReplayedChild, how: Outcome) -> list[Effect]:
        state: Json = {"state": "unknown"}
        if child.attached or how.status is not None:
            state = idle_state(how.status or "", how.error, None)
        self._ended[child.session] = state
        return [Show(child.parent_session, ChildReported(child.session, state=state))]

    def afterwards(self) -> list[Effect]:
        effects: list[Effect] = []
        for child in self.children():
            live = self._live(child.agent.id)
            if live is not None and live.state is not None:
                now = ChildReported(child.session, cancellable=True, state={"state": live.state})
            else:
                state = self._ended.get(child.session, {"state": "idle"})
                lost = child.agent.gone and self._elsewhere(child) is not None
                now = ChildReported(child.session, state=state, clear_cwd=lost)
            effects.append(Show(child.parent_session, now))
        return effects

    # --- messages ---------------------------------------------------------------------------------

    @staticmethod
    def _linked(call: str, sender: str, recipient: str, words: str) -> list[Effect]:
        """Both views of a message."""
        content = ({"type": "text", "text": words},)
        outgoing = Delivered(call, sender, recipient, content, recipient_message_id=call)
        incoming = Delivered(call, sender, recipient, content, sender_message_id=call)
        return [Show(sender, outgoing), Show(recipient, incoming)]

    def _told(self, child: ReplayedChild, record: Json, blocks: tuple[Json, ...]) -> list[Effect]:
        words = words_of(person_blocks(record, blocks, first=not child.heard))
        if origin_of(record) == COORDINATOR:
            return self._message(child, record, words_of(blocks))
        if child.heard or not words or text_field(child.input, "prompt"):
            return []
        content = ({"type": "text", "text": words},)
        told = Delivered(f"{child.session}:prompt:1", child.parent_session, child.session, content)
        return [Show(child.session, told)]

    def _message(self, child: ReplayedChild, record: Json, words: str) -> list[Effect]:
        """A message of another agent: the first stored one that the child can have got here."""
        names = self._names(child)
        for sent in self._messages:
            if sent.id in self._received or sent.to not in names or sent.text not in words:
                continue
            self._received.add(sent.id)
            content = ({"type": "text", "text": sent.text},)
            sender = child.parent_session
            got = Delivered(sent.id, sender, child.session, content, sender_message_id=sent.id)
            return [Show(child.session, got)]
        shown = person_blocks(record, ({"type": "text", "text": words},), first=False)
        id_ = str(record.get("uuid"))
        return [Show(child.session, Delivered(id_, child.parent_session, child.session, shown))]

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        if launch.tool == SEND_MESSAGE:
            return self._sent(result, parent, launch)
        if launch.tool == HAND_BACK:
            return self._handed_back(result, parent, launch)
        return super().returned(result, parent, launch)

    def _answered(self, child: ReplayedChild, launch: Launch) -> list[Effect]:
        result = child.result
        if result is None or result.is_error or child.background or child.handed_back:
            return []
        reply = Replied(f"{launch.id}:reply", child.session, child.parent_session, result)
        return [Show(child.parent_session, reply)]

    def _sent(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        """A message that reached a child that is shown is a message; any other is a tool call."""
        to = text_field(launch.input, "to", "recipient") or ""
        child = self._recipient(to, result)
        words = launch.input.get("message")
        if child is None or result.is_error or not isinstance(words, str):
            return self._card(result, parent, launch)
        sender = self._session_of_call(parent)
        outgoing, incoming = self._linked(launch.id, sender, child.session, words)
        if launch.id in self._received or any(m.id == launch.id for m in self._messages):
            return [outgoing]  # the other view comes, or came, where the child got it
        return [outgoing, incoming]

    def _recipient(self, to: str, result: ToolReturned) -> ReplayedChild | None:
        structured = result.structured if isinstance(result.structured, Mapping) else {}
        agent = structured.get("resumedAgentId")
        if isinstance(agent, str):
            return self._of_agent(agent)
        return next((c for c in self.children() if to in self._names(c)), None)

    @staticmethod
    def _names(child: ReplayedChild) -> set[str]:
        """What a message to a child can be addressed to."""
        agent = child.agent
        return {n for n in (agent.id, agent.name, text_field(child.input, "name")) if n}

    def _handed_back(
        self, result: ToolReturned, parent: str | None, launch: Launch
    ) -> list[Effect]:
        child = self._children.get(parent or "")
        words = launch.input.get("message")
        if child is None or result.is_error or not isinstance(words, str):
            return self._card(result, parent, launch)
        child.handed_back = True
        return self._linked(launch.id, child.session, child.parent_session, words)

    def _card(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        whole = ToolInputComplete(launch.id, launch.tool, launch.input)
        return self._place(whole, parent) + self._place(result, parent)
