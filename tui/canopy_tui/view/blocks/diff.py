"""A file change inside a tool call: the path, how much changed, and the lines, bounded.

The lines themselves are drawn by ``view.diffs``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import beside, inside, more_row
from canopy_tui.view.drawing.diff_split import LEAST, split_rows
from canopy_tui.view.drawing.diffs import changes, counted, diff_rows
from canopy_tui.view.drawing.strips import Row, fitted

if TYPE_CHECKING:
    from canopy_tui.view.drawing.diffs import Change
    from canopy_tui.view.drawing.strips import Paper, Run

PREVIEW = 10
"""Lines of a change that are shown before it is expanded."""
BOUND = 400
WHOLE = 5_000


@dataclass(frozen=True, slots=True)
class FileChange:
    """``old`` is None for a new file; ``first`` is the number of the first line, 0 unknown."""

    path: str
    old: str | None
    new: str
    first: int = 1
    titled: bool = True
    expanded: bool = False
    whole: bool = False
    split: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """A title unless the tool's own says it all, then the lines."""
        page = inside(paper)
        found = self._found()
        bound = self._bound
        shown = found if len(found) <= bound + 1 else found[:bound]
        rows = [self._title(page)] if self.titled else []
        beside_each_other = self.split and page.width >= LEAST
        rows += (split_rows if beside_each_other else diff_rows)(shown, page)
        if len(shown) < len(found):
            rows.append(more_row(len(found) - len(shown), page, "v" if self.expanded else "space"))
        return beside(rows)

    @property
    def _bound(self) -> int:
        if self.whole:
            return WHOLE
        return BOUND if self.expanded else PREVIEW

    def _found(self) -> tuple[Change, ...]:
        if self.expanded:
            return changes(self.old, self.new, self.first)
        found = changes(self.old, self.new, self.first, context=1)
        return found[1:] if found and found[0].sign == "@" else found

    def _title(self, paper: Paper) -> Row:
        ink = paper.ink
        tail = change_runs(self.old, self.new, paper)
        room = paper.width - sum(len(text) for text, _ in tail)
        path = fitted(visible(self.path, multiline=False), room, paper.marks.more)
        return Row(((path, ink.text), *tail), hit="toggle")

    def guess(self, width: int) -> int:
        """At most what the bound allows."""
        lines = self.new.count("\n") + (self.old or "").count("\n") + 2
        return min(lines, self._bound) + 1


def change_runs(old: str | None, new: str, paper: Paper) -> list[Run]:
    """``  new file +3 −1``, in words and colours."""
    added, removed = counted(old, new)
    runs: list[Run] = []
    if old is None:
        runs.append(("  new file", paper.ink.muted))
    elif not new:
        runs.append(("  emptied", paper.ink.muted))
    if added:
        runs.append((f"  +{added}", paper.ink.success))
    if removed:
        runs.append((f"  -{removed}", paper.ink.error))
    return runs
