"""Which place in which file an agent is at: the newest that its tool calls name.

Pure: it reads the state alone; what the file holds is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from canopy_shared.content import Diff
from canopy_tui.model import tree
from canopy_tui.model.entries import ToolEntry

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

_LOOKED_AT = 100
"""Entries from the end of a transcript among which a place is looked for."""


@dataclass(frozen=True, slots=True)
class FilePlace:
    """``path`` is as the agent wrote it, from ``cwd`` on when it is not absolute. ``line`` counts
    from 1, 0 when the agent names none. The place is ``skip`` lines below the start of the first of
    ``texts`` that the file holds, at ``line`` when there is one. ``session`` is who works there,
    ``call`` the key and the status of its tool call: the file is another when the status is.
    """

    session: str
    path: str
    cwd: str
    line: int = 0
    texts: tuple[str, ...] = ()
    skip: int = 0
    title: str = ""
    call: tuple[int, str] = (0, "")


def newest_place(state: ClientState, session: str) -> FilePlace | None:
    """Where ``session``, or an agent below it, works or worked last; None when none said."""
    view = state.sessions.get(session)
    if view is None:
        return None
    found = [
        (_when(entry), one, entry)
        for one in (view, *tree.below(state, session))
        if (entry := _newest(one)) is not None
    ]
    if not found:
        return None
    _, one, entry = max(found, key=lambda row: row[0])
    return _place(one, entry, one.cwd or state.root_of(one).cwd)


def _when(entry: ToolEntry) -> float:
    """A file that is read counts from the beginning of the call, one that is changed again when it
    was: else the end of one of several reads would take the place back.
    """
    changes = any(isinstance(one, Diff) for one in entry.content)
    return entry.ended_at if changes and entry.ended_at is not None else entry.at


def _newest(view: SessionView) -> ToolEntry | None:
    calls = (
        entry
        for entry in view.entries[: -_LOOKED_AT - 1 : -1]
        if isinstance(entry, ToolEntry) and _path_of(entry)
    )
    first = next(calls, None)
    return first and max((first, *calls), key=_when)


def _path_of(entry: ToolEntry) -> str:
    """The place that is named last; an agent may name it only in a change."""
    named = [one.path for one in entry.locations if one.path]
    changed = [one.path for one in entry.content if isinstance(one, Diff) and one.path]
    return (named or changed or [""])[-1]


def _place(view: SessionView, entry: ToolEntry, cwd: str) -> FilePlace:
    path = _path_of(entry)
    lines = [one.line for one in entry.locations if one.path == path]
    line = next((n for n in reversed(lines) if isinstance(n, int) and n > 0), 0)
    diffs = [one for one in entry.content if isinstance(one, Diff)]
    diff = next((one for one in reversed(diffs) if one.path == path), diffs[-1] if diffs else None)
    texts, skip = _changed(diff) if diff is not None else ((), 0)
    return FilePlace(
        session=view.id,
        path=path,
        cwd=cwd,
        line=line,
        texts=texts,
        skip=skip,
        title=entry.title,
        call=(entry.key, entry.status),
    )


def _changed(diff: Diff) -> tuple[tuple[str, ...], int]:
    """What stands there after the change and before it, and how many lines both begin with."""
    new, old = diff.new_text, diff.old_text if isinstance(diff.old_text, str) else ""
    pairs = zip(new.split("\n"), old.split("\n"), strict=False)
    alike = takewhile(lambda pair: pair[0] == pair[1], pairs) if old else ()
    return tuple(text for text in (new, old) if text.strip()), sum(1 for _ in alike)
