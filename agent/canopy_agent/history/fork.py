"""A copy of a session under a new id, whole or up to one message, with its subagents.

Blocking; call it in a thread. Records get new ids and keep their order, as ``fork_session`` of
claude-agent-sdk 0.2.189 does it; the copy appears at once or not at all.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from canopy_agent.history.agents import AGENT_TOOLS, StoredAgent, stored_agents
from canopy_agent.history.chain import active_chain, branches
from canopy_agent.history.listing import Found, read_row, title_of
from canopy_agent.history.store import agents_folder, beside
from canopy_agent.history.texts import blocks_of, shown_blocks, words_of
from canopy_agent.history.transcript import (
    LINKED,
    Entry,
    Index,
    Json,
    lines,
    parse,
    read_index,
    read_records,
    text,
)
from canopy_shared import jsonio
from canopy_shared.ordinary import open_ordinary

_SEGMENT = re.compile(r"(.+):segment:\d+")
_FORGOTTEN = ("teamName", "agentName", "slug")
"""Fields that tie a record to where its session came from."""

_MODE = 0o600


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """The message to fork after: an id that a client knows, else the hash of its text.

    ``fingerprint`` is ``sha256:<hex>``; ``occurrence`` counts equal texts along a branch from 1.
    """

    message_id: str
    fingerprint: str | None = None
    occurrence: int | None = None


# --- finding the message --------------------------------------------------------------------------


def find_point(transcript: Path, point: ForkPoint) -> str | None:
    """The uuid of the record to fork after, None when the session holds no such message.

    The conversation that counts is searched first, then every branch. Raises ``OSError``.
    """
    index = read_index(transcript)
    active = active_chain(index)
    every = [active, *branches(index)]
    for candidate in _candidates(point.message_id):
        for chain in every:
            for entry in reversed(chain):
                if candidate in (entry.uuid, entry.message):
                    return entry.uuid
    if point.fingerprint is None:
        return None
    return _by_text(index, every, point)


def _candidates(message_id: str) -> Iterator[str]:
    yield message_id
    segment = _SEGMENT.fullmatch(message_id)
    if segment is not None:
        yield segment.group(1)


def _by_text(index: Index, every: list[list[Entry]], point: ForkPoint) -> str | None:
    wanted = {entry.uuid: entry for chain in every for entry in chain if entry.is_spoken}
    hashes = _hashes(index, sorted(wanted.values(), key=lambda entry: entry.position))
    found: set[str] = set()
    chosen: set[str] = set()
    for chain in every:
        ends = [ends for ends in _messages(chain) if hashes.get(ends) == point.fingerprint]
        found.update(ends)
        if point.occurrence is not None and 0 < point.occurrence <= len(ends):
            chosen.add(ends[point.occurrence - 1])
    if len(found) == 1:
        return found.pop()
    return chosen.pop() if len(chosen) == 1 else None


def _messages(chain: list[Entry]) -> list[str]:
    """The last record of each message of a conversation."""
    last: dict[str, str] = {}
    for entry in chain:
        if entry.is_spoken:
            last[entry.message or entry.uuid] = entry.uuid
    return list(last.values())


def _hashes(index: Index, entries: list[Entry]) -> dict[str, str]:
    """The hash of each message's text, by its last record."""
    words: dict[str, tuple[str, list[str]]] = {}
    for entry, record in read_records(index.path, entries):
        blocks = blocks_of(record)
        said = words_of(shown_blocks(blocks)) if entry.kind == "user" else _texts(blocks)
        _, before = words.get(entry.message or entry.uuid, ("", []))
        words[entry.message or entry.uuid] = (entry.uuid, [*before, said])
    return {
        end: f"sha256:{hashlib.sha256(''.join(parts).encode()).hexdigest()}"
        for end, parts in words.values()
    }


def _texts(blocks: tuple[Json, ...]) -> str:
    return "".join(text(b.get("text")) or "" for b in blocks if b.get("type") == "text")


# --- copying --------------------------------------------------------------------------------------


class EmptyFork(Exception):  # noqa: N818
    """There is nothing to fork: the transcript holds no conversation."""


def fork(transcript: Path, new_id: str, *, after: str | None = None) -> Path:
    """Copy a session; ``after`` is the uuid of the last record to take, None for all.

    Gives the new transcript, which lies beside the old one. Raises ``OSError`` or
    :class:`EmptyFork`, and leaves nothing behind then.
    """
    target = transcript.with_name(f"{new_id}.jsonl")
    draft = transcript.with_name(f"{new_id}.jsonl.draft")
    try:
        with _created(draft) as file:
            copy = _Copy(transcript, new_id)
            copy.write(file, after)
        _copy_agents(transcript, target, copy.launches)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        shutil.rmtree(beside(target), ignore_errors=True)
        raise
    return target


def _created(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb")


class _Copy:
    def __init__(self, transcript: Path, new_id: str) -> None:
        self._transcript = transcript
        self._old_id, self._new_id = transcript.stem, new_id
        self._now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._ids: dict[str, str] = {}
        self._skipped: dict[str, str | None] = {}
        self.launches: set[str] = set()
        """Agent calls among the copied records."""

    def write(self, file: BinaryIO, after: str | None) -> None:
        last: dict[str, Any] | None = None
        replacements: list[Any] = []
        for record in self._records():
            if record.get("type") == "content-replacement":
                given = record.get("replacements")
                replacements += given if isinstance(given, list) else []
                continue
            if last is not None:
                self._line(file, last)
            last = self._copied(record)
            if after is not None and record.get("uuid") == after:
                break
        if last is None:
            raise EmptyFork
        # a resumed conversation goes on from the record that was written last
        self._line(file, {**last, "timestamp": self._now})
        self._add(file, replacements)

    def _records(self) -> Iterator[Json]:
        with open_ordinary(self._transcript) as source:
            for _, _, raw in lines(source):
                record = parse(raw) if raw else None
                if record is None or record.get("isSidechain") is True:
                    continue
                kind, id_ = record.get("type"), record.get("uuid")
                if kind == "content-replacement":
                    yield record
                elif kind in LINKED and isinstance(id_, str):
                    if kind == "progress":
                        self._skipped[id_] = text(record.get("parentUuid"))
                    else:
                        yield record

    def _copied(self, record: Json) -> dict[str, Any]:
        for block in blocks_of(record):
            id_ = block.get("id")
            if block.get("name") in AGENT_TOOLS and isinstance(id_, str):
                self.launches.add(id_)
        copied = {name: value for name, value in record.items() if name not in _FORGOTTEN}
        source = copied.pop("sourceToolAssistantUUID", None)
        if isinstance(source, str):
            copied["sourceToolAssistantUUID"] = self._id(source)
        logical = text(record.get("logicalParentUuid"))
        if logical is not None:
            copied["logicalParentUuid"] = self._id(logical)
        return copied | {
            "uuid": self._id(str(record["uuid"])),
            "parentUuid": self._parent(text(record.get("parentUuid"))),
            "sessionId": self._new_id,
            "isSidechain": False,
            "forkedFrom": {"sessionId": self._old_id, "messageUuid": record["uuid"]},
        }

    def _id(self, old: str) -> str:
        return self._ids.setdefault(old, str(uuid.uuid4()))

    def _parent(self, old: str | None) -> str | None:
        """The new id of the nearest record before that was copied."""
        seen: set[str] = set()
        while old in self._skipped and old not in seen:
            seen.add(old)
            old = self._skipped[old]
        return None if old is None else self._id(old)

    def _add(self, file: BinaryIO, replacements: list[Any]) -> None:
        common = {"sessionId": self._new_id, "timestamp": self._now}
        if replacements:
            row = {"type": "content-replacement", "replacements": replacements}
            self._line(file, {**row, **common, "uuid": str(uuid.uuid4())})
        title = f"{_title(self._transcript)} (fork)"
        named = {"type": "custom-title", "customTitle": title}
        self._line(file, {**named, **common, "uuid": str(uuid.uuid4())})

    @staticmethod
    def _line(file: BinaryIO, record: Mapping[str, Any]) -> None:
        file.write(jsonio.dumps(record) + b"\n")


def _title(transcript: Path) -> str:
    title = title_of(transcript)
    if title is None:
        stat = transcript.stat()
        row = read_row(Found(stat.st_mtime_ns, stat.st_size, transcript.stem, str(transcript)))
        title = row.title if row is not None else None
    return title or "Forked session"


def _copy_agents(transcript: Path, target: Path, launches: set[str]) -> None:
    """Copy the subagents that the copied records launched, and whom those launched."""
    agents = {agent.id: agent for agent in stored_agents(transcript)}
    old = f'"sessionId":"{transcript.stem}"'.encode()
    new = f'"sessionId":"{target.stem}"'.encode()
    for agent in agents.values():
        if not _belongs(agent, agents, launches):
            continue
        folder = agents_folder(target)
        folder.mkdir(parents=True, exist_ok=True)
        with open_ordinary(agent.path) as source, _created(folder / agent.path.name) as copy:
            for _, _, raw in lines(source):
                if raw is not None:
                    copy.write(raw.rstrip(b"\n").replace(old, new) + b"\n")
        sidecar = agent.path.with_suffix(".meta.json")
        if sidecar.is_file():
            shutil.copyfile(sidecar, folder / sidecar.name)


def _belongs(agent: StoredAgent, agents: Mapping[str, StoredAgent], launches: set[str]) -> bool:
    here: StoredAgent | None = agent
    seen: set[str] = set()
    while here is not None and here.id not in seen:
        if here.launch in launches:
            return True
        seen.add(here.id)
        here = agents.get(here.parent or "")
    return False
