"""Which place in which file an agent is at: the newest that its tool calls name.

Pure: it reads the state alone; what the file holds is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_shared.content import Diff
from canopy_tui.model import tree
from canopy_tui.model.entries import ToolEntry

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

_LOOKED_AT = 100
"""Entries from the end of a transcript among which a place is looked for."""
_NEEDLE = 4_000


@dataclass(frozen=True, slots=True)
class FilePlace:
    """``path`` is as the agent wrote it, from ``cwd`` on when it is not absolute. ``line`` counts
    from 1, 0 when the agent names none; ``text`` is then some text that stands there. ``session``
    is who works there, ``revision`` changes with every news of the call.
    """

    session: str
    path: str
    cwd: str
    line: int = 0
    text: str = ""
    title: str = ""
    revision: tuple[int, int] = (0, 0)


def newest_place(state: ClientState, session: str) -> FilePlace | None:
    """Where ``session``, or an agent below it, works or worked last; None when none said."""
    view = state.sessions.get(session)
    if view is None:
        return None
    found = [
        (entry.ended_at or entry.at, one, entry)
        for one in (view, *tree.below(state, session))
        if (entry := _newest(one)) is not None
    ]
    if not found:
        return None
    _, one, entry = max(found, key=lambda row: row[0])
    return _place(one, entry, state.root_of(one).cwd)


def _newest(view: SessionView) -> ToolEntry | None:
    for entry in reversed(view.entries[-_LOOKED_AT:]):
        if isinstance(entry, ToolEntry) and any(one.path for one in entry.locations):
            return entry
    return None


def _place(view: SessionView, entry: ToolEntry, cwd: str) -> FilePlace:
    location = [one for one in entry.locations if one.path][-1]
    line = location.line if isinstance(location.line, int) and location.line > 0 else 0
    written = [one.new_text for one in entry.content if isinstance(one, Diff)]
    texts = [text for text in written if text.strip()]
    return FilePlace(
        session=view.id,
        path=location.path,
        cwd=cwd,
        line=line,
        text=texts[-1][:_NEEDLE] if texts else "",
        title=entry.title,
        revision=(entry.key, entry.revision),
    )
