"""Draws a file change side by side: old on the left, new on the right, changed words marked.

It places lines that ``diffs`` compared; copying from these rows gives the new side.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from canopy_tui.view.drawing.diffs import Change, digits_of, marked_line, numbered, styles_of
from canopy_tui.view.drawing.strips import NONE, Row, width_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style

    from canopy_tui.view.drawing.strips import Line, Paper, Run

LEAST = 70
"""Cells below which two sides are too narrow to read, and the change is drawn unified."""
_BETWEEN = 3


def split_rows(found: Sequence[Change], paper: Paper) -> list[Row]:
    """``found`` on both halves of ``paper``."""
    digits = digits_of(found)
    half = (paper.width - _BETWEEN) // 2
    rows: list[Row] = []
    for left, right in _paired(found):
        change = left or right
        if change is not None and change.sign == "@":
            text = f"{numbered(0, digits)}{paper.marks.more} {change.number:,} unchanged"
            rows.append(Row(((text, paper.ink.faint),), len(text)))
            continue
        sides = (_side(left, digits, half, paper), _side(right, digits, half, paper))
        rows += _beside(*sides, half, digits, paper)
    return rows


def _paired(found: Sequence[Change]) -> Iterator[tuple[Change | None, Change | None]]:
    """Removed lines beside the added ones that follow them; others on both sides."""
    removed: list[Change] = []
    added: list[Change] = []
    for change in (*found, None):
        if change is not None and change.sign == "-":
            if added:
                yield from zip_longest(removed, added)
                removed, added = [], []
            removed.append(change)
        elif change is not None and change.sign == "+":
            added.append(change)
        else:
            yield from zip_longest(removed, added)
            removed, added = [], []
            if change is not None:
                yield change, change


def _side(change: Change | None, digits: int, width: int, paper: Paper) -> list[Line]:
    if change is None:
        return []
    style, word, label = styles_of(change.sign, paper.ink)
    lead = f"{numbered(change.number, digits)}{change.sign} "
    lines = wrap(marked_line(change, style, word), max(1, width - len(lead)))
    return [
        _filled([(lead if not at else " " * len(lead), label), *line], width, style)
        for at, line in enumerate(lines)
    ]


def _filled(line: Line, width: int, style: Style) -> Line:
    missing = width - width_of(line)
    return [*line, (" " * missing, style)] if missing > 0 else line


def _beside(
    left: list[Line], right: list[Line], half: int, digits: int, paper: Paper
) -> Iterator[Row]:
    middle: Run = (f" {paper.marks.column} ", paper.ink.faint)
    empty: Line = [(" " * half, NONE)]
    for number, (one, other) in enumerate(zip_longest(left, right)):
        shown = [*(one or empty), middle, *(other or [])]
        ahead = sum(len(text) for text, _ in (*(one or empty), middle))
        gutter = ahead + (len(numbered(0, digits)) + 2 if other else 0)
        yield Row(tuple(shown), gutter, "" if number and other else "\n")
