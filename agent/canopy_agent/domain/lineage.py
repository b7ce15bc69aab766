"""Who launched whom: the calls that begin or wake subagents, as the stream shows them.

It remembers and answers; when a child is announced, and how, is decided by the form in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import Effect, Logged
from canopy_agent.domain.facts import Fact

Json = Mapping[str, Any]

AGENT_TOOLS = frozenset({"Agent", "Task"})
SEND_MESSAGE = "SendMessage"
HAND_BACK = "SubagentHandback"

KNOWN_AGENTS = 1024
"""How many subagents a form remembers; those that work are never forgotten."""

_PER_LAUNCH, _LAUNCHES, _TOTAL = 32, 64, 256


def text_field(source: Json, *names: str) -> str | None:
    """The first of the fields that holds text that is not blank, trimmed."""
    for name in names:
        value = source.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def says_async(structured: object) -> bool:
    """Whether the structured result of a launch only says that its subagent runs."""
    return isinstance(structured, Mapping) and structured.get("isAsync") is True


@dataclass(frozen=True, slots=True)
class Launch:
    """An Agent call. ``parent`` is the launch whose subagent made it, None for the main
    conversation.
    """

    id: str
    tool: str
    input: Json
    parent: str | None

    @property
    def background(self) -> bool:
        """Whether the call asks for a background run in so many words."""
        return self.input.get("run_in_background") is True


@dataclass(frozen=True, slots=True)
class Message:
    """A SendMessage call of this process; ``parent`` as in :class:`Launch`."""

    id: str
    to: str
    text: str
    parent: str | None = None


class Lineage:
    """Launches and messages by tool call id; every id that ever handed work to an agent."""

    def __init__(self) -> None:
        self._launches: Recent[str, Launch] = Recent(1024)
        self._messages: Recent[str, Message] = Recent(256)
        self._agents: Recent[str, str] = Recent(2048)

    def launched(self, launch: Launch) -> None:
        """Remember an Agent call."""
        self._launches[launch.id] = launch

    def launch(self, id_: str | None) -> Launch | None:
        """The Agent call with this id."""
        return self._launches.get(id_)

    def sent(self, id_: str, input_: Json, parent: str | None) -> None:
        """Remember a SendMessage call."""
        to = text_field(input_, "to", "recipient") or ""
        text = input_.get("message")
        self._messages[id_] = Message(id_, to, text if isinstance(text, str) else "", parent)

    def message(self, id_: str | None) -> Message | None:
        """The SendMessage call with this id."""
        return self._messages.get(id_)

    def newest_message(self, agent: str, name: str | None) -> Message | None:
        """The SendMessage to ``agent`` (by id or name) that was seen last."""
        to = {agent, name}
        return next((m for m in self._messages.newest() if m.to in to), None)

    @staticmethod
    def addressed(messages: list[Message], agent: str, name: str | None) -> Message | None:
        """The one of ``messages`` that went to ``agent``; the first when none names it."""
        to = {agent, name}
        return next((m for m in messages if m.to in to), next(iter(messages), None))

    def delegated(self, tool_use_id: str | None, agent: str) -> None:
        """``tool_use_id`` handed work to ``agent``: messages under it belong to that agent."""
        if tool_use_id is not None:
            self._agents[tool_use_id] = agent

    def agent_of(self, tool_use_id: str | None) -> str | None:
        """The agent that works for this call."""
        return self._agents.use(tool_use_id)

    def clear(self) -> None:
        """A new conversation: no earlier call counts."""
        self._launches.clear()
        self._messages.clear()
        self._agents.clear()


@dataclass(slots=True)
class Waiting:
    """Traffic of children that nobody has announced yet, by launch, within bounds.

    At most 32 facts wait for one launch, 64 launches have any, and 256 facts wait in all; what is
    beyond that is dropped, and said once per launch.
    """

    _facts: dict[str, list[Fact]] = field(default_factory=dict)
    _full: Recent[str, bool] = field(default_factory=lambda: Recent(_LAUNCHES))
    _refused: Recent[str, bool] = field(default_factory=lambda: Recent(256))

    def hold(self, launch: str, fact: Fact) -> list[Effect]:
        """Keep ``fact``, or say that there is no room for it."""
        if launch in self._refused:
            return []
        held = self._facts.get(launch, [])
        total = sum(len(facts) for facts in self._facts.values())
        fits = held or len(self._facts) < _LAUNCHES
        if fits and total < _TOTAL and len(held) < _PER_LAUNCH:
            self._facts.setdefault(launch, []).append(fact)
            return []
        if launch in self._full:
            return []
        self._full[launch] = True
        return [Logged(f"dropped early output of a subagent (launch {launch})")]

    def release(self, launch: str) -> list[Fact]:
        """Everything that waits for ``launch``, in order; it waits no longer."""
        return self._facts.pop(launch, [])

    def refuse(self, launch: str) -> None:
        """Nobody will ever be announced for ``launch``: drop what waits and what comes."""
        self._facts.pop(launch, None)
        self._refused[launch] = True

    def clear(self) -> None:
        """Drop everything."""
        self._facts.clear()
        self._full.clear()
