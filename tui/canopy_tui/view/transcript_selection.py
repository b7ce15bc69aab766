"""Text selected with the mouse: which characters, and what copying them gives.

Lines of a selection are numbered by place, not by row, so that it stays on its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.strips import printable
from canopy_tui.view.transcript_place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.selection import Selection

    from canopy_tui.view.transcript_layout import TranscriptLayout
    from canopy_tui.view.transcript_viewport import Shown

_BITS = 24
_LONGEST = 5_000
"""Characters of a line above which it is copied as it is drawn."""


def line_of(place: Place) -> int:
    """The number of a place; later places have higher ones."""
    return ((place.entry << _BITS) + place.block << _BITS) + place.row


def place_of(line: int) -> Place:
    """The place with that number."""
    mask = (1 << _BITS) - 1
    return Place(line >> 2 * _BITS, line >> _BITS & mask, line & mask)


def selected_text(layout: TranscriptLayout, selection: Selection) -> str:
    """The selected characters as the source has them: without decoration, wrapped lines joined
    again, tabs and spaces at the end of a line kept.
    """
    pieces: list[str] = []
    sources: dict[int, dict[str, str]] = {}
    for entry, rows in _lines_between(layout, selection):
        line, start, end = _joined(rows, selection)
        if start is None:
            continue
        if entry not in sources:
            sources[entry] = _changed_by_drawing(layout.text(entry))
        source = sources[entry].get(line)
        if source is None:
            pieces.append(line[start:end])
        else:
            whole = end >= len(line)
            pieces.append(source[_place(source, start) : None if whole else _place(source, end)])
    return "\n".join(pieces)


def _joined(rows: list[Shown], selection: Selection) -> tuple[str, int | None, int]:
    """One line of text out of its rows, and from where to where it is selected."""
    line, start, stop = "", None, 0
    for number, (place, row) in enumerate(rows):
        line += row.joint if number else ""
        before, whole = len(line), row.text
        body = whole[row.gutter :].rstrip()
        line += body
        span = selection.get_span(line_of(place))
        if span is None:
            continue
        low = min(max(span[0] - row.gutter, 0), len(body))
        high = len(body) if span[1] == -1 else min(max(span[1] - row.gutter, low), len(body))
        start = before + low if start is None else start
        stop = before + high
    return line, start, stop


def _lines_between(
    layout: TranscriptLayout, selection: Selection
) -> Iterator[tuple[int, list[Shown]]]:
    """Rows of whole lines of text, with the entry that they are of."""
    first = place_of(selection.start.y) if selection.start else Place(0)
    last = place_of(selection.end.y) if selection.end else Place(len(layout))
    for entry in range(first.entry, min(last.entry + 1, len(layout))):
        for block in range(layout.block_count(entry)):
            if not first[:2] <= (entry, block) <= last[:2]:
                continue
            line: list[Shown] = []
            for number, row in enumerate(layout.rows(entry, block)):
                if line and row.joint == "\n":
                    yield entry, line
                    line = []
                line.append((Place(entry, block, number), row))
            if line:
                yield entry, line


def _changed_by_drawing(text: str) -> dict[str, str]:
    """Drawn line → line of the source, where they are not the same."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if len(line) <= _LONGEST and (not line.isprintable() or line.endswith(" ")):
            drawn = printable(line).rstrip()
            if drawn and drawn != line:
                found.setdefault(drawn, line)
    return found


def _place(source: str, drawn: int) -> int:
    """The offset in ``source`` whose drawing begins at that offset of the drawn line."""
    return next(
        (at for at in range(len(source)) if len(printable(source[:at])) >= drawn), len(source)
    )
