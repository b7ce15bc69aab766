"""Text selected with the mouse: which characters, and what copying them gives.

Lines of a selection are numbered by place, not by row, so that it stays on its text. What begins
in a transcript stays in it: Textual would go on through whatever lies beside.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from textual.errors import NoWidget
from textual.geometry import Offset
from textual.screen import Screen, ScreenResultType
from textual.selection import SelectEnd, Selection

from canopy_tui.view.drawing.strips import printable
from canopy_tui.view.transcript.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from canopy_tui.view.transcript.canvas import TranscriptCanvas
    from canopy_tui.view.transcript.layout import TranscriptLayout
    from canopy_tui.view.transcript.viewport import Shown

_BITS = 24
_LONGEST = 5_000
"""Characters of a line above which it is copied as it is drawn."""
_SPEED = 0.25
"""The part of Textual's fastest scrolling, for each row that the pointer is beyond the edge."""
_WORD = re.compile(r"[\w./:@#~+-]*[\w/]")
"""What a double click takes: a word, a path or an address, without what ends a sentence."""


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


def selection_around(canvas: TranscriptCanvas, offset: Offset, clicks: int) -> Selection | None:
    """The word at an offset of the text for two clicks, for three its line however it is wrapped;
    None where there is none.
    """
    found = next((shown for shown in _shown(canvas) if line_of(shown[0]) == offset.y), None)
    if found is None or canvas.viewport is None:
        return None
    place, row = found
    if clicks == 2:
        words = _WORD.finditer(row.text, row.gutter)
        at = next((word for word in words if word.start() <= offset.x < word.end()), None)
        return at and Selection(Offset(at.start(), offset.y), Offset(at.end(), offset.y))
    rows = canvas.viewport.layout.rows(place.entry, place.block)
    first, last = place.row, place.row
    while first > 0 and rows[first].joint != "\n":
        first -= 1
    while last + 1 < len(rows) and rows[last + 1].joint != "\n":
        last += 1
    end = Offset(len(rows[last].text), line_of(place._replace(row=last)))
    return Selection(Offset(rows[first].gutter, line_of(place._replace(row=first))), end)


def _shown(canvas: TranscriptCanvas) -> list[Shown]:
    return canvas.viewport.shown if canvas.viewport is not None else []


def _canvas(widget: Widget) -> TranscriptCanvas | None:
    from canopy_tui.view.transcript.canvas import TranscriptCanvas

    return widget if isinstance(widget, TranscriptCanvas) and widget.is_attached else None


class SelectsWithin(Screen[ScreenResultType]):
    """A screen with transcripts. Beyond an edge the transcript scrolls, and what comes into view is
    selected, also while the pointer rests.
    """

    @property
    def _held(self) -> TranscriptCanvas | None:
        """The transcript in which a selection is being made."""
        if not self._selecting or self._select_state is None:
            return None
        start = self._select_state.start
        return _canvas(start.content_widget or start.container)

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """The place in the text that is nearest to the pointer."""
        canvas = self._held
        if canvas is None:
            try:
                under, _ = self.get_widget_at(x, y)
            except NoWidget:
                return None, None
            canvas = _canvas(under)
            if canvas is None:
                return super().get_widget_and_offset_at(x, y)
        region = canvas.scrollable_content_region
        rows = len(canvas.viewport.shown) if canvas.viewport is not None else 0
        if not rows or not region:
            return canvas, None
        last = region.y + min(rows, region.height) - 1
        if y > last:
            x, y = region.right - 1, last
        elif y < region.y:
            x, y = region.x, region.y
        return super().get_widget_and_offset_at(max(region.x, min(x, region.right - 1)), y)

    def _check_auto_scroll(
        self, select_widget: Widget, mouse_coordinate: tuple[float, float], delta_y: float
    ) -> None:
        """Scroll only when the pointer is beyond an edge: near one there is text to select."""
        canvas = self._held
        if canvas is None:
            super()._check_auto_scroll(select_widget, mouse_coordinate, delta_y)
            return
        region, y = canvas.scrollable_content_region, mouse_coordinate[1]
        above, below = region.y - int(y), int(y) - region.bottom + 1
        if above > 0 and canvas.scroll_y > 0:
            self._start_auto_scroll(canvas, -1, min(1.0, _SPEED * above))
        elif below > 0 and canvas.scroll_y < canvas.max_scroll_y:
            self._start_auto_scroll(canvas, 1, min(1.0, _SPEED * below))
        else:
            self._stop_auto_scroll()

    def _update_select(self) -> None:
        """After scrolling: the selection ends where the pointer is now."""
        canvas, state = self._held, self._select_state
        if canvas is None or state is None:
            super()._update_select()
            return
        widget, offset = self.get_widget_and_offset_at(*map(int, self.app.mouse_position))
        end = SelectEnd(state.start.container, widget, offset)
        self._select_state = state.update_end(state.screen_offset, end)
