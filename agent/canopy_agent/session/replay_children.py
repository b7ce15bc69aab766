"""Subagents of a stored session, shown again: announced where they were launched, ended at the end.

The AIR and the RFD form of :class:`~canopy_agent.domain.children.Children` for a replay. They know
stored agents and facts, no files; forms as ``@agentclientprotocol/claude-agent-acp`` 0.101.0 sends
them after ``session/load``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.children import FlatChildren
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import ToolClosed, ToolInputComplete, ToolReturned, UserSaid
from canopy_agent.domain.lineage import AGENT_TOOLS, Launch
from canopy_agent.history.texts import (
    COORDINATOR,
    delivered_text,
    fork_directive,
    origin_of,
    shown_blocks,
)

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact
    from canopy_agent.history.agents import StoredAgent
    from canopy_agent.history.texts import Notification
    from canopy_agent.session.live_children import LiveChild

Json = Mapping[str, Any]

_STOP_WORDS = ("cancel", "interrupt", "stop", "kill")


@dataclass(slots=True)
class ReplayedChild:
    """One stored subagent that is shown.

    ``call`` stands for it as the parent of what it did: its launch, or for an unattached one a name
    of our own. ``delegation`` is the call that gave it work last.
    """

    agent: StoredAgent
    session: str
    parent_session: str
    call: str
    delegation: str
    input: Json = field(default_factory=dict)
    attached: bool = True
    background: bool = False
    result: ToolReturned | None = None
    handed_back: bool = False
    working: str | None = None
    """Its state when it runs in this process now: then it has no end yet."""
    heard: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a stored subagent ended: ``completed``, ``failed``, ``cancelled``, None if unknown."""

    status: str | None
    error: str | None = None


def outcome(child: ReplayedChild, notification: Notification | None) -> Outcome:
    """How a child's last run ended, by the best witness."""
    if notification is not None and notification.call in (None, child.delegation):
        return Outcome(_status(notification.status))
    if child.agent.stopped:
        return Outcome("cancelled")
    result = child.result
    if result is not None and not child.background and child.delegation == child.call:
        return _by_result(result)
    return Outcome("completed" if child.agent.finished else None)


def _status(word: str) -> str:
    return word if word in ("completed", "failed") else "cancelled"


def _by_result(result: ToolReturned) -> Outcome:
    if not result.is_error:
        return Outcome("completed")
    words = _words(result.content)
    if any(word in words.lower() for word in _STOP_WORDS):
        return Outcome("cancelled")
    return Outcome("failed", words.strip() or None)


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, (list, tuple)) else ()
    texts = (block.get("text") for block in blocks if isinstance(block, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))


def is_background(launch: Launch, result: ToolReturned) -> bool:
    """Whether a launch only began its agent; what it reports then comes another way."""
    structured = result.structured
    started = isinstance(structured, Mapping) and structured.get("isAsync") is True
    return launch.background or started


class ReplayedChildren(FlatChildren):
    """What both forms have in common. ``live`` tells which agents this process knows.

    An Agent call whose agent is not stored stays a tool call; ``omitted`` counts those, and agents
    of which nothing is stored.
    """

    def __init__(
        self,
        root: str,
        agents: Mapping[str, StoredAgent],
        live: Callable[[str], LiveChild | None],
    ) -> None:
        super().__init__(root, text=True, deltas=True)
        self._agents = agents
        self._live = live
        self._children: dict[str, ReplayedChild] = {}
        self._cards: dict[str, str] = {}
        """Launches without a stored agent and without a result, with their parents ("": none)."""
        self.omitted = 0

    # --- what a form decides ----------------------------------------------------------------------

    def _session(self, agent: StoredAgent, call: str) -> str:
        raise NotImplementedError

    def _announce(self, child: ReplayedChild) -> list[Effect]:
        raise NotImplementedError

    def _end(self, child: ReplayedChild, how: Outcome) -> list[Effect]:
        raise NotImplementedError

    def _answered(self, child: ReplayedChild, launch: Launch) -> list[Effect]:
        """The launch of a child returned."""
        return []

    def _told(self, child: ReplayedChild, record: Json, blocks: tuple[Json, ...]) -> list[Effect]:
        """A text that the child's conversation holds as its user's."""
        raise NotImplementedError

    def afterwards(self) -> list[Effect]:
        """What follows the response: how children stand now."""
        return []

    # --- announcing and ending --------------------------------------------------------------------

    def hides(self, tool: str) -> bool:
        return tool in AGENT_TOOLS

    def launched(self, launch: Launch) -> list[Effect]:
        agent = self._agents.get(launch.id)
        if agent is None:
            self.omitted += 1
            self._cards[launch.id] = launch.parent or ""
            whole = ToolInputComplete(launch.id, launch.tool, launch.input)
            return self._place(whole, launch.parent)
        if launch.id in self._children:
            return []
        return self._begin(agent, launch.id, self._session_of_call(launch.parent), launch.input)

    def unattached(self, agent: StoredAgent) -> list[Effect]:
        """An agent that nobody is known to have launched is shown below the root."""
        call = agent.launch or agent.id
        return self._begin(agent, call, self._root, {}, attached=False)

    def _begin(
        self,
        agent: StoredAgent,
        call: str,
        parent_session: str,
        input_: Json,
        *,
        attached: bool = True,
    ) -> list[Effect]:
        live = self._live(agent.id)
        child = ReplayedChild(
            agent,
            live.session if live is not None else self._session(agent, call),
            parent_session,
            call,
            call,
            input_,
            attached,
            working=live.state if live is not None else None,
        )
        self._children[call] = child
        return self._announce(child)

    def resumed(self, agent: str, tool_ids: tuple[str, ...]) -> list[Effect]:
        child = self._of_agent(agent)
        if child is not None and tool_ids:
            child.delegation = tool_ids[0]
        return []

    def ends(self, notifications: Mapping[str, Notification]) -> list[Effect]:
        """The end of every child that does not work now, the last announced first."""
        effects: list[Effect] = []
        for call, parent in reversed(self._cards.items()):  # calls that never returned
            effects += self._place(ToolClosed(call, "turn_ended"), parent or None)
        for child in reversed(self._children.values()):
            if child.working is None:
                effects += self._end(child, outcome(child, notifications.get(child.agent.id)))
        return effects

    # --- traffic ----------------------------------------------------------------------------------

    def show(self, fact: Fact, parent: str, *, streamed: bool = True) -> list[Effect]:
        return self._place(fact, parent)

    def _place(self, fact: Fact, parent: str | None) -> list[Effect]:
        return [Show(self._session_of_call(parent), fact, parent)]

    def returned(self, result: ToolReturned, parent: str | None, launch: Launch) -> list[Effect]:
        child = self._children.get(launch.id)
        if child is None:
            if self._cards.pop(launch.id, None) is not None and result.is_error:
                self.omitted -= 1  # it never began
            return self._place(result, parent)
        child.result, child.background = result, is_background(launch, result)
        return self._answered(child, launch)

    def heard(self, call: str, record: Json, blocks: tuple[Json, ...]) -> list[Effect]:
        """A user record of the child ``call`` holds these blocks besides tool results."""
        child = self._children.get(call)
        if child is None:
            return []
        effects = self._told(child, record, blocks)
        child.heard += 1
        return effects

    # --- answers ----------------------------------------------------------------------------------

    def session_of_call(self, call: str | None) -> str:
        """The session of the agent that ``call`` launched; the root's for any other."""
        return self._session_of_call(call)

    def _session_of_call(self, call: str | None) -> str:
        child = self._children.get(call or "")
        return self._root if child is None else child.session

    def _of_agent(self, agent: str) -> ReplayedChild | None:
        return next((c for c in self._children.values() if c.agent.id == agent), None)

    def children(self) -> Iterable[ReplayedChild]:
        """The children shown so far, in order."""
        return self._children.values()

    def agent_of_call(self, tool_use_id: str) -> str | None:
        child = self._children.get(tool_use_id)
        return None if child is None else child.agent.id

    def live_session(self, agent: str) -> str | None:
        child = self._of_agent(agent)
        return None if child is None else child.session


def person_blocks(record: Json, blocks: tuple[Json, ...], *, first: bool) -> tuple[Json, ...]:
    """What of a subagent's user record somebody told it: its prompt, messages of other agents."""
    if origin_of(record) == COORDINATOR:
        return tuple({**b, "text": delivered_text(b.get("text") or "")} for b in blocks)
    if record.get("isMeta") is True:
        return ()
    if first:
        blocks = tuple(
            {**b, "text": fork_directive(b["text"])} if isinstance(b.get("text"), str) else b
            for b in blocks
        )
    return shown_blocks(blocks)


def user_said(record: Json, blocks: tuple[Json, ...]) -> UserSaid:
    """The fact of a stored user message."""
    id_ = record.get("uuid")
    return UserSaid(blocks, id_ if isinstance(id_, str) else None)
