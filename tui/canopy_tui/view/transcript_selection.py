"""Text selected with the mouse: which characters, and what copying them gives.

Lines of a selection are numbered by place, not by row, so that it stays on its text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.transcript_layout import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.selection import Selection

    from canopy_tui.view.strips import Row
    from canopy_tui.view.transcript_layout import TranscriptLayout

_BITS = 24


def line_of(place: Place) -> int:
    """The number of a place; later places have higher ones."""
    return ((place.entry << _BITS) + place.block << _BITS) + place.row


def place_of(line: int) -> Place:
    """The place with that number."""
    mask = (1 << _BITS) - 1
    return Place(line >> 2 * _BITS, line >> _BITS & mask, line & mask)


def selected_text(layout: TranscriptLayout, selection: Selection) -> str:
    """The selected characters, without decoration and with wrapped lines joined again."""
    text = ""
    for number, (place, row) in enumerate(_between(layout, selection)):
        span = selection.get_span(line_of(place))
        if span is None:
            continue
        start, end = span
        whole = row.text
        part = whole[max(start, row.gutter) : len(whole) if end == -1 else end]
        text += (row.joint if number else "") + (part.rstrip() if end == -1 else part)
    return text


def _between(layout: TranscriptLayout, selection: Selection) -> Iterator[tuple[Place, Row]]:
    first = place_of(selection.start.y) if selection.start else Place(0)
    last = place_of(selection.end.y) if selection.end else Place(len(layout))
    for entry in range(first.entry, min(last.entry + 1, len(layout))):
        for block in range(layout.block_count(entry)):
            for number, row in enumerate(layout.rows(entry, block)):
                place = Place(entry, block, number)
                if first <= place <= last:
                    yield place, row
