"""Sessions on disk as a list: the newest first, one page at a time, cheap for ten thousand of them.

Blocking; call it in a thread. Of each file it reads the beginning and the end, and not even those
while neither its size nor its time changed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from canopy_agent.history.store import Store, canonical, is_session_id
from canopy_agent.history.texts import blocks_of, is_hidden, shown_text
from canopy_agent.history.transcript import SPOKEN, Json, parse, text
from canopy_shared import jsonio
from canopy_shared.ordinary import open_ordinary

EDGE = 64 * 1024
"""Bytes that are read at the beginning and at the end of a file."""

PAGE = 1000
LONGEST_TITLE = 256
ARCHIVED = "[archived] "

_VALUE = rb'"%s": ?"((?:[^"\\]|\\.)*)"'
_IDE = re.compile(r"\s*<(ide_opened_file|ide_selection)>.*</\1>\s*", re.DOTALL)
_NOT_SAID = ("<local-command", "<session-start-hook>", "<tick>", "<goal>")


@dataclass(frozen=True, slots=True)
class Row:
    """One session. ``updated`` is in nanoseconds since 1970; ``named`` is the stored title,
    ``path`` that of its transcript.
    """

    id: str
    cwd: str
    title: str
    updated: int
    named: str | None = None
    path: str = ""

    @property
    def updated_at(self) -> str:
        """The time of the last change in ISO 8601."""
        moment = datetime.fromtimestamp(self.updated / 1e9, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Found:
    """A transcript as a directory lists it."""

    updated: int
    size: int
    id: str
    path: str


@dataclass(slots=True)
class Listing:
    """The rows of one store; it remembers what it read."""

    store: Store
    _rows: dict[str, tuple[int, int, Row | None]] = field(default_factory=dict)

    def rows(
        self,
        directory: str | None = None,
        *,
        sessions: Mapping[str, str],
        replaced: Collection[str],
    ) -> Iterator[Row]:
        """The sessions of ``directory`` (None: of all), the newest first, each once.

        ``sessions`` names the session of a conversation that goes under another id; files with an
        id in ``replaced`` are earlier conversations of sessions that went on elsewhere.
        """
        place = None if directory is None else canonical(directory)
        seen: set[str] = set()
        for found in self._found(directory):
            if found.id in seen or found.id in replaced:
                continue
            row = self._row(found)
            if row is None or (place is not None and not _is_same(row.cwd, place)):
                continue
            seen.add(found.id)
            session = sessions.get(found.id, found.id)
            yield row if session == row.id else _renamed(row, session)

    def _found(self, directory: str | None) -> list[Found]:
        store = self.store
        folders = store.folders() if directory is None else store.folders_of(directory)
        found = [one for folder in folders for one in transcripts(folder)]
        paths = {one.path for one in found}
        if directory is None:
            for path in self._rows.keys() - paths:
                self._rows.pop(path, None)
        found.sort(key=lambda one: (one.updated, one.id), reverse=True)
        return found

    def _row(self, found: Found) -> Row | None:
        known = self._rows.get(found.path)
        if known is not None and known[:2] == (found.updated, found.size):
            return known[2]
        row = read_row(found)
        self._rows[found.path] = (found.updated, found.size, row)
        return row


def _is_same(cwd: str, place: str) -> bool:
    return cwd == place or canonical(cwd) == place


def _renamed(row: Row, session: str) -> Row:
    return replace(row, id=session)


def transcripts(folder: Path) -> Iterator[Found]:
    """The transcripts in a project folder that hold anything."""
    try:
        with os.scandir(folder) as files:
            for file in files:
                name, suffix = os.path.splitext(file.name)  # noqa: PTH122 - no path, a name
                if suffix != ".jsonl" or not is_session_id(name):
                    continue
                try:
                    stat = file.stat()
                except OSError:
                    continue  # gone meanwhile
                if stat.st_size:
                    yield Found(stat.st_mtime_ns, stat.st_size, name, file.path)
    except OSError:
        return


# --- one file -------------------------------------------------------------------------------------


def read_row(found: Found) -> Row | None:
    """The row of one transcript.

    None for what no person would look for: transcripts of subagents and team workers, files without
    a conversation, and those that do not say where they belong.
    """
    edges = _edges(found)
    if edges is None:
        return None
    head, tail = edges
    prompt = _first_prompt(head, complete=found.size <= EDGE)
    if prompt is None:
        return None
    cwd = _first(head, b"cwd") or _first(tail, b"cwd")
    if cwd is None:
        return None
    named = stored_title(head, tail)
    title = named or prompt or _last(tail, b"lastPrompt") or _last(tail, b"summary")
    return Row(found.id, cwd, one_line(title or ""), found.updated, named, found.path)


def _edges(found: Found) -> tuple[bytes, bytes] | None:
    try:
        with open_ordinary(found.path, 0) as file:
            head = file.read(EDGE)
            if found.size <= EDGE:
                return head, head
            file.seek(max(0, found.size - EDGE))
            return head, file.read(EDGE)
    except OSError:
        return None


def stored_title(head: bytes, tail: bytes) -> str | None:
    """The title that a transcript holds: the person's own before one that was made."""
    for name in (b"customTitle", b"aiTitle"):
        title = _last(tail, name) or _last(head, name)
        if title is not None:
            return title
    return None


def title_of(path: Path) -> str | None:
    """The stored title of one transcript."""
    found = found_at(path)
    edges = None if found is None else _edges(found)
    return None if edges is None else stored_title(*edges)


def found_at(path: Path) -> Found | None:
    """One transcript as a directory lists it; None for none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return Found(stat.st_mtime_ns, stat.st_size, path.stem, str(path))


def one_line(title: str) -> str:
    """One line of at most 256 characters."""
    words = " ".join(title.split())
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1] + "…"


def _first(part: bytes, name: bytes) -> str | None:
    found = re.search(_VALUE % name, part)
    return None if found is None else _decoded(found.group(1))


def _last(part: bytes, name: bytes) -> str | None:
    at = part.rfind(b'"' + name + b'"')
    while at >= 0:
        found = re.compile(_VALUE % name).match(part, at)
        value = None if found is None else _decoded(found.group(1))
        if value is not None:
            return value
        at = part.rfind(b'"' + name + b'"', 0, at)
    return None


def _decoded(raw: bytes) -> str | None:
    try:
        value = jsonio.loads(b'"' + raw + b'"')
    except ValueError:
        return None
    return value.strip() or None if isinstance(value, str) else None


# --- the first prompt -----------------------------------------------------------------------------


def _first_prompt(head: bytes, *, complete: bool) -> str | None:
    """What a person said first; "" when that is not in ``head``, None when nobody spoke at all.

    None also for the transcript of a subagent or of a team worker.
    """
    spoken, command = not complete, ""
    lines = head.split(b"\n")
    cut = None if complete else lines.pop()
    for raw in lines:
        record = parse(raw) if b'"type"' in raw else None
        if record is None or record.get("type") not in SPOKEN:
            continue
        if record.get("isSidechain") is True or record.get("teamName"):
            return None
        spoken = True
        words = _said(record) if record.get("type") == "user" else ""
        if words.startswith("/"):
            command = command or words
        elif words:
            return words
    if cut is not None:
        if b'"isSidechain":true' in cut or b'"teamName":"' in cut:
            return None
        command = command or _cut_prompt(cut)
    return command if spoken else None


def _said(record: Json) -> str:
    if is_hidden(record) or record.get("isCompactSummary") is True:
        return ""
    for block in blocks_of(record):
        words = _IDE.sub("", shown_text(text(block.get("text")) or "")).strip()
        if words and block.get("type") == "text" and not words.startswith(_NOT_SAID):
            return words
    return ""


def _cut_prompt(raw: bytes) -> str:
    """The first text of a user record that is longer than what was read."""
    if b'"type":"user"' not in raw or b'"tool_result"' in raw or b'"isMeta":true' in raw:
        return ""
    found = re.search(rb'"(?:text|content)": ?"((?:[^"\\]|\\.)*)', raw)
    if found is None:
        return ""
    whole = found.group(1)[: 8 * LONGEST_TITLE].decode("utf-8", "ignore").rstrip("\\")
    return shown_text(_decoded(whole.encode()) or "")
