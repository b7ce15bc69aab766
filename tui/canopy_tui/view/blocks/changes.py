"""The files that a turn changed, as a list to review: one row each, which opens the review.

It counts lines of edits that the transcripts hold; the review itself is a screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.changes import reviewed, shortened
from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import beside, inside
from canopy_tui.view.drawing.diffs import counted
from canopy_tui.view.drawing.strips import Row, fitted, width_of

if TYPE_CHECKING:
    from canopy_tui.model.changes import ChangedFile
    from canopy_tui.model.entries import ChangesEntry
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.drawing.strips import Paper, Run

SHOWN = 8
"""Rows of files; the rest is a number."""


@dataclass(frozen=True, slots=True)
class Changes:
    """``files`` are ``(path, lines added, lines removed, new)``; None where no edit is known."""

    files: tuple[tuple[str, int | None, int | None, bool], ...]
    truncated: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """A title, the files, and how to review them."""
        ink, page = paper.ink, inside(paper)
        number = len(self.files)
        title = f"{number} file{'' if number == 1 else 's'} changed in this turn"
        if self.truncated:
            title += ", and more"
        rows = [Row(((title, ink.strong), ("  [enter: review]", ink.faint)), hit="open")]
        for path, added, removed, new in self.files[:SHOWN]:
            tail = self._tail(page, added, removed, new)
            room = page.width - 2 - width_of(tail)
            name = fitted(visible(path, multiline=False), room, page.marks.more)
            rows.append(Row((("  ", ink.text), (name, ink.text), *tail), 2, hit="open"))
        if number > SHOWN:
            rows.append(Row(((f"  {number - SHOWN} more", ink.muted),), 2, hit="open"))
        return beside(rows, (paper.marks.info, ink.secondary))

    def _tail(self, paper: Paper, added: int | None, removed: int | None, new: bool) -> list[Run]:
        ink = paper.ink
        runs: list[Run] = [("  new file", ink.muted)] if new else []
        if added:
            runs.append((f"  +{added}", ink.success))
        if removed:
            runs.append((f"  -{removed}", ink.error))
        return runs

    def guess(self, width: int) -> int:
        """One row each."""
        return 1 + min(len(self.files), SHOWN + 1)


def changed_files(entry: ChangesEntry, session: SessionView, state: ClientState) -> Changes:
    """The block for a report."""
    files = [_row(file, session.cwd) for file in reviewed(state, session, entry)]
    return Changes(tuple(files), entry.truncated)


def _row(file: ChangedFile, cwd: str) -> tuple[str, int | None, int | None, bool]:
    path = shortened(file.path, cwd)
    if not file.edits:
        return path, None, None, False
    counts = [counted(edit.old, edit.new) for _, edit in file.edits]
    new = file.edits[0][1].old is None
    return path, sum(one[0] for one in counts), sum(one[1] for one in counts), new
