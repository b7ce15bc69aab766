"""A thought, folded to a few dim lines: the newest while it grows, the first once it is complete.

An expanded thought is drawn like any Markdown, in the style of thoughts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.view.blocks.block import beside, inside, more_row
from canopy_tui.view.drawing.markdown import markdown_rows

if TYPE_CHECKING:
    from canopy_tui.view.drawing.strips import Paper, Row

ROWS = 3
_TAIL = 1_200
"""Characters at the end of a growing thought that can be in view."""


@dataclass(frozen=True, slots=True)
class FoldedThought:
    """``text`` is the whole thought when ``settled``, else its end."""

    text: str
    settled: bool

    def draw(self, paper: Paper) -> list[Row]:
        """At most four rows."""
        rows = markdown_rows(self.text, inside(paper), style=paper.ink.thought)
        rows = [row for row in rows if row.text.strip()]
        if not self.settled:
            rows = rows[-ROWS:]
        elif len(rows) > ROWS + 1:
            rows = [*rows[:ROWS], more_row(len(rows) - ROWS, paper)]
        return beside(rows, (paper.marks.thought, paper.ink.muted))

    def guess(self, width: int) -> int:
        """Most thoughts are longer than the fold."""
        return min(ROWS + 1, 1 + len(self.text) // max(8, width))


def folded_thought(text: str, settled: bool) -> FoldedThought:
    """The block for a thought as it is now."""
    if not settled and len(text) > _TAIL:
        start = len(text) - _TAIL
        text = text[text.find("\n", start) + 1 or start :]
    return FoldedThought(text.strip(), settled)
