"""A transcript of Claude Code on disk: a slim index of its records, which are read one by one.

A transcript may be huge, damaged, or written to while it is read; what a record means to a client
is not known here. The file format is that of Claude Code 2.1: one JSON object per line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from canopy_shared import jsonio
from canopy_shared.framing import LINE_LIMIT
from canopy_shared.ordinary import open_ordinary

Json = Mapping[str, Any]

LINKED = frozenset({"user", "assistant", "attachment", "system", "progress"})
"""Types of the records that form a conversation: each names the one before it."""

SPOKEN = frozenset({"user", "assistant"})

_BUFFER = 1 << 20
_EMPTY: Json = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of a conversation, without its content.

    ``offset`` and ``size`` are bytes in the file. ``writer`` is None for the main conversation,
    else the id of the subagent ("" when an old transcript does not name it). ``message`` is the id
    that clients know a response or a queued prompt by. ``calls`` are the ids of its tool calls,
    ``answers`` those that its tool results answer.
    """

    position: int
    offset: int
    size: int
    kind: str
    uuid: str
    parent: str | None
    logical_parent: str | None
    writer: str | None
    meta: bool
    team: bool
    message: str | None
    calls: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def is_spoken(self) -> bool:
        """Whether the user, the model or a tool said it."""
        return self.kind in SPOKEN


@dataclass(slots=True)
class Index:
    """All entries of one file in its order. ``skipped`` lines could not be read.

    ``first_gap`` is the position of the first entry behind such a line, None when there is none.
    """

    path: Path
    entries: list[Entry] = field(default_factory=list)
    by_uuid: dict[str, Entry] = field(default_factory=dict)
    skipped: int = 0
    first_gap: int | None = None

    def skip(self) -> None:
        """A line could not be read."""
        self.skipped += 1
        if self.first_gap is None:
            self.first_gap = len(self.entries)

    def add(self, entry: Entry) -> None:
        """Take the next entry; of two with one uuid the later counts."""
        self.entries.append(entry)
        self.by_uuid[entry.uuid] = entry


def read_index(path: Path, visit: Callable[[Json], None] = lambda record: None) -> Index:
    """Read a whole file once; ``visit`` sees every record. Raises ``OSError``.

    Holds one line at a time. A line that is no JSON object is skipped and counted.
    """
    index = Index(path)
    with open_ordinary(path, _BUFFER) as file:
        for offset, size, raw in lines(file):
            record = None if raw is None else parse(raw)
            if record is None:
                index.skip()
                continue
            entry = entry_of(record, len(index.entries), offset, size)
            if entry is not None:
                index.add(entry)
            visit(record)
    return index


def lines(file: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[tuple[int, int, bytes | None]]:
    """Offset, size and bytes of each line that is not blank; None for one above ``limit`` bytes."""
    offset = file.tell()
    while raw := file.readline(limit + 1):
        size, whole = len(raw), True
        while len(raw) > limit and not raw.endswith(b"\n"):
            whole = False
            raw = file.readline(limit + 1)
            size += len(raw)
        if not whole:
            yield offset, size, None
        elif not raw.isspace():
            yield offset, size, raw
        offset += size


def is_transcript(path: Path) -> bool:
    """Whether the file holds any record of a session; read up to the first. Raises ``OSError``."""
    with open_ordinary(path, _BUFFER) as file:
        records = (parse(raw) for _, _, raw in lines(file) if raw is not None)
        return any(record is not None and _is_record(record) for record in records)


def _is_record(record: Json) -> bool:
    names = (record.get(name) for name in ("uuid", "sessionId", "leafUuid", "messageId"))
    return text(record.get("type")) is not None and any(text(name) for name in names)


def parse(raw: bytes) -> Json | None:
    """The JSON object of a line, None when it is none. Bad bytes in a text become U+FFFD."""
    record: Any = None
    try:
        record = jsonio.loads(raw)
    except UnicodeDecodeError:
        try:
            record = jsonio.loads(raw.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def entry_of(record: Json, position: int = 0, offset: int = 0, size: int = 0) -> Entry | None:
    """The index entry of a record, None for one that is not part of a conversation."""
    kind, uuid = record.get("type"), record.get("uuid")
    if kind not in LINKED or not isinstance(uuid, str) or not uuid:
        return None
    message = section(record.get("message"))
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    agent = text(record.get("agentId"))
    return Entry(
        position,
        offset,
        size,
        kind,
        uuid,
        text(record.get("parentUuid")),
        text(record.get("logicalParentUuid")),
        (agent or "") if record.get("isSidechain") is True else None,
        record.get("isMeta") is True,
        bool(record.get("teamName")),
        _known_as(record, message),
        tuple(_ids(blocks, "tool_use", "id")) if kind == "assistant" else (),
        tuple(_ids(blocks, "tool_result", "tool_use_id")) if kind == "user" else (),
    )


def _known_as(record: Json, message: Json) -> str | None:
    match record.get("type"):
        case "assistant":
            return text(message.get("id"))
        case "attachment":
            return text(section(record.get("attachment")).get("source_uuid"))
    return None


def _ids(blocks: Iterable[Any], kind: str, name: str) -> Iterator[str]:
    for block in blocks:
        id_ = block.get(name) if isinstance(block, Mapping) and block.get("type") == kind else None
        if isinstance(id_, str):
            yield id_


def text(value: object) -> str | None:
    """``value`` if it is text that is not empty."""
    return value if isinstance(value, str) and value else None


def section(value: object) -> Json:
    """``value`` if it is an object, an empty one otherwise."""
    return value if isinstance(value, Mapping) else _EMPTY


def read_records(path: Path, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Json]]:
    """The records of ``entries``, one in memory at a time. Raises ``OSError``.

    What the file no longer holds where it was is left out.
    """
    with open_ordinary(path, _BUFFER) as file:
        for entry in entries:
            file.seek(entry.offset)
            record = parse(file.read(entry.size))
            if record is not None and record.get("uuid") == entry.uuid:
                yield entry, record
