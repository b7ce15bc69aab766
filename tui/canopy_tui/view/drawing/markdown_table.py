"""Draws a Markdown table so that it fits: columns shrink and wrap, a hopeless one becomes records.

It is given the syntax tree of the table and knows nothing of the rest of the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style

from canopy_tui.view.drawing.markdown_inline import inline_lines
from canopy_tui.view.drawing.strips import (
    BLANK,
    NONE,
    Row,
    laid,
    width_of,
    without_end_spaces,
    wrap,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.tree import SyntaxTreeNode

    from canopy_tui.view.drawing.strips import Line, Paper, Run

_NARROWEST = 6
"""Cells that a column keeps, unless its content is shorter."""


def table_rows(node: SyntaxTreeNode, paper: Paper, style: Style) -> list[Row]:
    """The rows of a ``table`` node on ``paper``."""
    lines = [row for part in node.children for row in part.children]
    bold = style + Style(bold=True)
    cells = [
        [_cell(cell, paper, bold if number == 0 else style) for cell in row.children]
        for number, row in enumerate(lines)
    ]
    aligns = [str(cell.attrs.get("style", "")) for cell in lines[0].children]
    widths = fitting([_natural(column) for column in zip(*cells, strict=True)], paper.width)
    if widths is None:
        return _records(cells, paper)
    rows = _table_line(cells[0], widths, aligns, paper)
    rows.append(_separator(widths, paper))
    for row in cells[1:]:
        rows += _table_line(row, widths, aligns, paper)
    return rows


def fitting(natural: Sequence[int], width: int) -> list[int] | None:
    """Column widths that fit ``width`` with separators of three cells; None when they cannot."""
    room = width - 3 * (len(natural) - 1)
    least = [min(cells, _NARROWEST) for cells in natural]
    if sum(least) > room:
        return None
    widths = list(natural)
    while (excess := sum(widths) - room) > 0:
        widest = max(widths)
        among = [place for place, cells in enumerate(widths) if cells == widest]
        below = max((cells for cells in widths if cells < widest), default=_NARROWEST)
        floor = max(below, _NARROWEST)
        share = max(1, min(widest - floor, -(-excess // len(among))))
        for place in among:
            if excess <= 0:
                break
            step = min(share, excess)
            widths[place] -= step
            excess -= step
    return widths


def _cell(cell: SyntaxTreeNode, paper: Paper, style: Style) -> Line:
    """A cell as one line; a table cell holds no newline."""
    return [run for line in inline_lines(cell.children[0], paper, style) for run in line]


def _natural(column: Sequence[Sequence[Run]]) -> int:
    return max(1, *(width_of(cell) for cell in column))


def _table_line(
    cells: Sequence[Sequence[Run]], widths: Sequence[int], aligns: Sequence[str], paper: Paper
) -> list[Row]:
    wrapped = [wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    rows: list[Row] = []
    for number in range(max(map(len, wrapped))):
        runs: list[Run] = []
        for place, (lines, width) in enumerate(zip(wrapped, widths, strict=True)):
            if place:
                runs.append((f" {paper.marks.column} ", paper.ink.faint))
            line = without_end_spaces(lines[number]) if number < len(lines) else []
            runs += _aligned(line, width, aligns[place])
        rows.append(Row(tuple(runs)))
    return rows


def _aligned(line: Sequence[Run], width: int, align: str) -> list[Run]:
    missing = max(0, width - width_of(line))
    left = 0
    if "right" in align:
        left = missing
    elif "center" in align:
        left = missing // 2
    return [(" " * left, NONE), *line, (" " * (missing - left), NONE)]


def _separator(widths: Sequence[int], paper: Paper) -> Row:
    marks = paper.marks
    line = f"{marks.rule}{marks.cross}{marks.rule}".join(marks.rule * width for width in widths)
    return Row(((line, paper.ink.faint),))


def _records(cells: Sequence[Sequence[Line]], paper: Paper) -> list[Row]:
    """One ``header: value`` line per cell, a blank row between records."""
    rows: list[Row] = []
    for record in cells[1:]:
        if rows:
            rows.append(BLANK)
        for head, value in zip(cells[0], record, strict=True):
            rows += laid(
                [[*head, (": ", paper.ink.muted), *value]], paper.width, rest=[("  ", NONE)]
            )
    return rows or laid([[run for head in cells[0] for run in (*head, (" ", NONE))]], paper.width)
