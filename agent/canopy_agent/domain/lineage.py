"""Who launched whom: the calls that begin or wake subagents, as the stream shows them.

It remembers and answers; when a child is announced, and how, is decided by the form in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.facts import Fact

Json = Mapping[str, Any]

AGENT_TOOLS = frozenset({"Agent", "Task"})
SEND_MESSAGE = "SendMessage"
HAND_BACK = "SubagentHandback"

_PER_LAUNCH, _LAUNCHES, _TOTAL = 32, 64, 256


def text_field(source: Json, *names: str) -> str | None:
    """The first of the fields that holds text that is not blank, trimmed."""
    for name in names:
        value = source.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


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
    """A SendMessage call of this process."""

    id: str
    to: str
    text: str


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

    def sent(self, id_: str, input_: Json) -> None:
        """Remember a SendMessage call."""
        to = text_field(input_, "to", "recipient") or ""
        text = input_.get("message")
        self._messages[id_] = Message(id_, to, text if isinstance(text, str) else "")

    def message(self, id_: str | None) -> Message | None:
        """The SendMessage call with this id."""
        return self._messages.get(id_)

    def delegated(self, tool_use_id: str | None, agent: str) -> None:
        """``tool_use_id`` handed work to ``agent``: messages under it belong to that agent."""
        if tool_use_id is not None:
            self._agents[tool_use_id] = agent

    def agent_of(self, tool_use_id: str | None) -> str | None:
        """The agent that works for this call."""
        return self._agents.get(tool_use_id)

    def clear(self) -> None:
        """A new conversation: no earlier call counts."""
        self._launches.clear()
        self._messages.clear()
        self._agents.clear()


@dataclass(slots=True)
class Waiting:
    """Traffic of children that nobody has announced yet, by launch, within bounds.

    At most 32 facts wait for one launch, 64 launches have any, and 256 facts wait in all; what is
    beyond that is counted in ``dropped``.
    """

    _facts: dict[str, list[Fact]] = field(default_factory=dict)
    dropped: int = 0

    def hold(self, launch: str, fact: Fact) -> bool:
        """Keep ``fact``; False when there is no room for it."""
        held = self._facts.get(launch)
        total = sum(len(facts) for facts in self._facts.values())
        if total >= _TOTAL or (held is None and len(self._facts) >= _LAUNCHES):
            self.dropped += 1
            return False
        held = self._facts.setdefault(launch, [])
        if len(held) >= _PER_LAUNCH:
            self.dropped += 1
            return False
        held.append(fact)
        return True

    def release(self, launch: str) -> list[Fact]:
        """Everything that waits for ``launch``, in order; it waits no longer."""
        return self._facts.pop(launch, [])

    def clear(self) -> None:
        """Drop everything."""
        self._facts.clear()
