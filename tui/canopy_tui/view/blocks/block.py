"""What every block of a transcript is: a value that draws itself as rows, and parts they share.

Blocks know nothing of the screen, of scrolling, or of the blocks around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from canopy_tui.view.drawing.markdown import literal_rows
from canopy_tui.view.drawing.strips import NONE, Row, behind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style

    from canopy_tui.view.drawing.strips import Paper, Run

INDENT = 2
"""Cells left of the text of an entry; the first holds the mark of its kind."""

LITERAL_LINES = 64


class Block(Protocol):
    """One piece of an entry, drawn on its own. Equal blocks draw equal rows on the same paper."""

    def draw(self, paper: Paper) -> list[Row]:
        """The rows."""

    def guess(self, width: int) -> int:
        """About how many rows ``draw`` gives on that width, without drawing."""


def guessed(text: str, width: int) -> int:
    """Rows that ``text`` takes, roughly."""
    return text.count("\n") + 1 + len(text) // max(8, width - INDENT)


def beside(rows: Iterable[Row], mark: Run | None = None) -> list[Row]:
    """``rows`` in the text column, with ``mark`` (one cell) left of the first."""
    space = (" " * INDENT, NONE)
    first = [(mark[0] + " ", mark[1])] if mark else [space]
    return behind(rows, first, [space])


def inside(paper: Paper) -> Paper:
    """The paper of the text column."""
    return paper.narrower(INDENT)


def more_row(hidden: int, paper: Paper, key: str = "space") -> Row:
    """The row that stands for ``hidden`` rows or lines."""
    lines = "line" if hidden == 1 else "lines"
    return Row(
        (
            (f"{paper.marks.more} {hidden:,} more {lines} ", paper.ink.muted),
            (f"[{key}]", paper.ink.faint),
        ),
        hit="toggle",
    )


def tinted(rows: Iterable[Row], fill: Style) -> list[Row]:
    """``rows`` on a background that goes to the right edge."""
    return [
        row._replace(runs=tuple((text, fill + style) for text, style in row.runs), fill=fill)
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class Literal:
    """Source lines as they are, in pieces small enough to be drawn one by one."""

    source: str

    def draw(self, paper: Paper) -> list[Row]:
        """Wrapped at the width, nothing interpreted."""
        rows = literal_rows(self.source, inside(paper), paper.ink.muted)
        return beside(rows)

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return guessed(self.source, width)


def literal_blocks(text: str) -> list[Literal]:
    """All of ``text``, however long."""
    lines = text.split("\n")
    return [
        Literal("\n".join(lines[at : at + LITERAL_LINES]))
        for at in range(0, len(lines), LITERAL_LINES)
    ]
