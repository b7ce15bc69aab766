"""A stored conversation in order, in batches that bound memory: what a replay reads.

Blocking; call it in a thread. It gives records as they were stored and knows nothing of how they
are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from canopy_agent.history.agents import AGENT_TOOLS
from canopy_agent.history.chain import active_chain
from canopy_agent.history.texts import (
    Notification,
    blocks_of,
    is_fork_start,
    notification_of,
)
from canopy_agent.history.transcript import (
    Entry,
    Index,
    Json,
    read_index,
    read_records,
    section,
    text,
)

BATCH_BYTES = 512 * 1024
BATCH_RECORDS = 256

SEND_MESSAGE = "SendMessage"


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A stored SendMessage call."""

    id: str
    to: str
    text: str


@dataclass(slots=True)
class Seen:
    """What a whole file says of subagents, also off the conversation that counts."""

    launches: set[str] = field(default_factory=set)
    messages: list[SentMessage] = field(default_factory=list)
    notifications: dict[str, Notification] = field(default_factory=dict)
    """The last one of each task."""
    fork_start: str | None = None
    """The record of a fork before which everything is a copy of its parent's conversation."""

    def visit(self, record: Json) -> None:
        """Look at one record."""
        if record.get("isSidechain") is True and is_fork_start(record):
            self.fork_start = text(record.get("uuid"))
            self.launches.clear()
            self.messages.clear()
        notification = notification_of(record)
        if notification is not None:
            self.notifications[notification.task] = notification
        if record.get("type") != "assistant":
            return
        for block in blocks_of(record):
            if block.get("type") == "tool_use":
                self._call(block)

    def _call(self, block: Json) -> None:
        id_, name = block.get("id"), block.get("name")
        if not isinstance(id_, str):
            return
        if name in AGENT_TOOLS:
            self.launches.add(id_)
        elif name == SEND_MESSAGE:
            self.messages.append(sent_message(id_, section(block.get("input"))))


def sent_message(id_: str, input_: Mapping[str, object]) -> SentMessage:
    """A SendMessage call by its input."""
    to = input_.get("to") or input_.get("recipient")
    words = input_.get("message")
    return SentMessage(
        id_,
        to if isinstance(to, str) else "",
        words if isinstance(words, str) else "",
    )


@dataclass(slots=True)
class StoredConversation:
    """One transcript, indexed. ``skipped`` lines of it could not be read."""

    index: Index
    seen: Seen
    chain: list[Entry]

    @property
    def skipped(self) -> int:
        """Lines that could not be read."""
        return self.index.skipped

    def batches(self) -> Iterator[list[tuple[Entry, Json]]]:
        """The records of the conversation in order. Raises ``OSError``."""
        batch: list[tuple[Entry, Json]] = []
        size = 0
        wanted = (e for e in self.chain if e.is_spoken or e.kind == "attachment")
        for entry, record in read_records(self.index.path, wanted):
            batch.append((entry, record))
            size += entry.size
            if size >= BATCH_BYTES or len(batch) >= BATCH_RECORDS:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def open_conversation(path: Path) -> StoredConversation:
    """Index the transcript of a session or of a subagent. Raises ``OSError``."""
    seen = Seen()
    index = read_index(path, seen.visit)
    return StoredConversation(index, seen, active_chain(index))


def open_agent(path: Path) -> StoredConversation:
    """The same of a subagent; a fork begins with what it was told, not with its parent's words."""
    found = open_conversation(path)
    for at, entry in enumerate(found.chain):
        if entry.uuid == found.seen.fork_start:
            found.chain = found.chain[at:]
            break
    return found
