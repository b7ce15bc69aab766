"""Titles that a person gives to stored sessions, and the mark of the archived ones in them.

Blocking; call it in a thread. Records are those that the CLI 2.1.332 writes itself.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from canopy_agent.history.listing import ARCHIVED, found_at, read_row, title_of
from canopy_agent.history.store import beside
from canopy_shared import jsonio

LONGEST_ARCHIVED: Final = 200
_MARK: Final = ARCHIVED.strip()
_SIDECAR: Final = "custom-title.json"


def is_archived(title: str | None) -> bool:
    """Whether a stored title says that its session is archived."""
    return title is not None and (title == _MARK or title.startswith(ARCHIVED))


def without_mark(title: str) -> str:
    """A title without the mark of an archived session."""
    return title.removeprefix(_MARK).strip() if is_archived(title) else title


def archived_title(title: str) -> str:
    """``title`` with the mark, once, of at most 200 characters."""
    return f"{ARCHIVED}{without_mark(title)}"[:LONGEST_ARCHIVED].strip()


def rename(path: Path, title: str) -> None:
    """Store a person's title with a transcript. Raises ``OSError``."""
    session = path.stem
    rows = (
        {"type": "custom-title", "customTitle": title, "sessionId": session},
        {"type": "agent-name", "agentName": title, "sessionId": session},
    )
    with path.open("rb+") as file:
        file.seek(-1, os.SEEK_END)
        torn = file.read(1) != b"\n"  # a program was killed while it wrote
        file.write((b"\n" if torn else b"") + b"".join(jsonio.dumps(row) + b"\n" for row in rows))
    folder = beside(path)
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    note = {"customTitle": title, "by": "host", "at": now}
    (folder / _SIDECAR).write_bytes(jsonio.dumps(note))


def archive(path: Path) -> None:
    """Mark the session of a transcript as archived. Raises ``OSError``."""
    title = title_of(path)
    if not is_archived(title):
        rename(path, archived_title(title or _untitled(path)))


def unarchive(path: Path) -> None:
    """Take that mark away. Raises ``OSError``."""
    title = title_of(path)
    if title is not None and is_archived(title):
        rename(path, without_mark(title) or _untitled(path))


def _untitled(path: Path) -> str:
    """What a list calls a session that has no title of its own."""
    found = found_at(path)
    row = None if found is None else read_row(found)
    title = without_mark(row.title) if row is not None else ""
    return title or "Untitled"
