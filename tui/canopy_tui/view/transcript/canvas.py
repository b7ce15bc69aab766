"""The scrolling, drawing half of the transcript: a viewport, repainted some times a second.

It knows rows and places; what a key or a click means is decided by the view that builds on it.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from time import perf_counter
from typing import TYPE_CHECKING

from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from canopy_tui.view.drawing.ink import mix
from canopy_tui.view.drawing.strips import (
    NONE,
    UNICODE,
    Paper,
    Row,
    highlighted,
    strip_of,
    width_of,
    without_keys,
)
from canopy_tui.view.once import once
from canopy_tui.view.transcript.selection import line_of, selected_text
from canopy_tui.view.transcript.viewport import Viewport, is_lead

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from rich.style import Style
    from textual.selection import Selection
    from textual.theme import Theme

    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.drawing.ink import Ink
    from canopy_tui.view.drawing.strips import Marks
    from canopy_tui.view.transcript.viewport import Shown

    _Key: TypeAlias = tuple[int, bool, tuple[int, int] | None, Style, re.Pattern[str] | None]

PAUSE = 1 / 20
"""Least seconds between repaints; a distant terminal gets half as many."""
PAUSE_REMOTE = 1 / 10
_SLACK = 0.25
"""Part of a pause by which a repaint may come early: whoever tells of changes has such a pace too,
and what is not painted with the rest of its frame is a frame of its own.
"""
_REST = 3
"""Repainting may take one part in so many of the time, plus one."""
_REMEMBERED = 8
"""Sessions whose place and expanded entries are kept while another one is shown."""
_EDGES = 2
"""Columns that are not for blocks: the cursor's on the left, an empty one on the right."""


class TranscriptCanvas(ScrollView):
    """Shows the transcript of one session; ``show`` picks it, ``touched`` says what changed."""

    ALLOW_SELECT = True

    DEFAULT_CSS = """
    TranscriptCanvas {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: $background;
    }
    """

    def __init__(
        self,
        *,
        marks: Marks = UNICODE,
        now: Callable[[], float] = time.time,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._marks = marks
        self._now = now
        self.viewport: Viewport | None = None
        self.state: ClientState | None = None
        self.session: SessionView | None = None
        self._kept: OrderedDict[str, tuple[SessionView, Viewport]] = OrderedDict()
        self._dirty: set[int] = set()
        self.changes = 0
        self.repaints = 0
        self._scheduled = False
        self.pause = PAUSE_REMOTE if os.environ.get("SSH_CONNECTION") else PAUSE
        self._rested = 0.0
        self._placed = 0
        self._strips: list[Strip] = []
        self._made: dict[int, tuple[Row, _Key, Strip]] = {}
        self.wanted: re.Pattern[str] | None = None
        """What is searched for: marked wherever it is in view."""
        self.shows_times = False

    # --- the model -------------------------------------------------------------------------------

    def show(self, session: str, state: ClientState, at: int | None = None) -> None:
        """Show the session, where and how it was left when it was shown before, or with the entry
        that has the key ``at`` on top.

        Raises ``KeyError`` for a session that ``state`` does not have.
        """
        view = state.sessions[session]
        self.state, self.session = state, view
        self._dirty.clear()
        viewport = None
        if session in self._kept and self._kept[session][0] is view:
            viewport = self._kept[session][1]
            viewport.changed(viewport.layout.stale())
        self.viewport = viewport
        if self._is_sized():
            self._fit()
            index = self.viewport.layout.index_of(at) if self.viewport and at is not None else None
            if self.viewport is not None and index is not None:
                self.viewport.start_at(index)
            self.paint()

    def touched(self, keys: Iterable[int] = ()) -> None:
        """Entries of the shown session came or changed, or (no keys) children that it shows did.

        Cheap; the next repaint takes it over.
        """
        self._dirty.update(keys)
        if self._scheduled or not self._is_sized():
            return
        self._scheduled = True
        delay = self._rested - perf_counter()
        if delay > 0:
            once(self, delay, self._flush)
        else:
            self.call_later(self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        if self.viewport is None:
            return
        started = perf_counter()
        self._take_over()
        self.paint()
        ended = perf_counter()
        own_rest = ended + _REST * (ended - started)
        self._rested = max(started + self.pause * (1 - _SLACK), own_rest)

    def _take_over(self) -> None:
        """Hand what changed to the viewport.

        Cards in view are read again each time: they show another session, whose changes do not
        touch their own entry.
        """
        from canopy_tui.model.entries import ChildEntry

        viewport = self.viewport
        assert viewport is not None
        self.changes += bool(self._dirty)
        entries = [viewport.layout.entry(index) for index in viewport.entries_in_view()]
        cards = [entry.key for entry in entries if isinstance(entry, ChildEntry)]
        viewport.changed(self._dirty)
        viewport.layout.sync(cards)
        self._dirty.clear()

    # --- size and colours ------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Redraw whenever the theme changes."""
        self.app.theme_changed_signal.subscribe(self, self._recolour)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._fit()
        self.paint()

    def _recolour(self, _theme: Theme) -> None:
        self._made.clear()
        self._fit()
        self.paint()

    def _ink(self) -> Ink:
        return mix(self.app.theme_variables, native=self.app.native_ansi_color)

    def _is_sized(self) -> bool:
        size = self.scrollable_content_region.size
        return size.width > _EDGES and size.height > 0

    def _fit(self) -> None:
        """Make the viewport, or change it to the size and colours of now."""
        if self.session is None or self.state is None or not self._is_sized():
            return
        size = self.scrollable_content_region.size
        paper = Paper(size.width - _EDGES, self._ink(), self._marks)
        if self.viewport is None:
            from canopy_tui.view.blocks.entry import Around
            from canopy_tui.view.transcript.layout import TranscriptLayout

            layout = TranscriptLayout(Around(self.state, self.session), paper)
            self.viewport = Viewport(layout, size.height)
            self._kept[self.session.id] = self.session, self.viewport
            while len(self._kept) > _REMEMBERED:
                self._kept.popitem(last=False)
        else:
            self._take_over()
            self.viewport.redraw(paper, size.height)
        self._kept.move_to_end(self.session.id)

    # --- painting --------------------------------------------------------------------------------

    def paint(self) -> None:
        """Bring the screen in line with the viewport."""
        viewport = self.viewport
        if viewport is None or not self._is_sized():
            return
        viewport.settle()
        width = self.scrollable_content_region.width
        strips = self._lines(viewport, width)
        self._place(viewport.offset, Size(width, viewport.layout.total))
        before, self._strips = self._strips, strips
        for y in range(max(len(before), len(strips))):
            if before[y : y + 1] != strips[y : y + 1]:
                self.refresh(Region(0, y, width, 1))
        self.repaints += 1
        self.painted()

    def _place(self, offset: int, size: Size) -> None:
        """Tell Textual the height and the place.

        Assigning ``virtual_size`` would lay out and repaint the whole screen each time, and all
        that can depend on it is the scrollbar, which always has its column.
        """
        self._placed = offset
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            bar = self.vertical_scrollbar
            bar.window_size = self.scrollable_content_region.height
            bar.window_virtual_size = size.height
        self.scroll_target_y = offset
        self.scroll_y = offset

    def painted(self) -> None:
        """Called after each repaint."""

    def marked(self) -> int | None:
        """Index of the entry that the cursor is on."""
        return None

    def _lines(self, viewport: Viewport, width: int) -> list[Strip]:
        marked, selection, style = self.marked(), self.text_selection, self.rich_style
        made: dict[int, tuple[Row, _Key, Strip]] = {}
        strips: list[Strip] = []
        for place, drawn in viewport.shown:
            line, row = line_of(place), drawn if self.has_focus else without_keys(drawn)
            if self.shows_times and place.block == place.row == 0:
                row = self._timed(viewport.layout.entry(place.entry).at, drawn, width - _EDGES)
            span = selection.get_span(line) if selection else None
            on = place.entry == marked and not is_lead(place, drawn)
            key = (width, on, span, style, self.wanted)
            known = self._made.get(line)
            if known is None or known[0] != row or known[1] != key:
                known = (row, key, self._strip(line, row, key))
            made[line] = known
            strips.append(known[2])
        self._made = made
        if viewport.new_below and strips:
            strips[-1] = self._notice_below(viewport, strips[-1], width)
        return strips

    def _timed(self, at: float, row: Row, width: int) -> Row:
        """The row with the time on its right, where there is room; of another day with its date."""
        then = time.localtime(at)
        today = then[:3] == time.localtime(self._now())[:3]
        said = time.strftime("%H:%M:%S" if today else "%Y-%m-%d %H:%M:%S", then)
        missing = width - width_of(row.runs) - len(said)
        if missing < 1 or row.fill is not None:
            return row
        tail = (" " * missing, NONE), (said, self._ink().faint)
        return row._replace(runs=(*row.runs, *tail))

    def _strip(self, line: int, row: Row, key: _Key) -> Strip:
        """The row behind the cursor's column."""
        width, marked, span, base, wanted = key
        ink = self._ink()
        cursor = Row(((self._marks.bar if marked else " ", ink.cursor),))
        for match in wanted.finditer(row.text, row.gutter) if wanted is not None else ():
            row = highlighted(row, *match.span(), ink.pill)
        if span is not None:
            row = highlighted(row, *span, self._selected)
        parts = strip_of(cursor, 1, (0, line)), strip_of(row, width - 2, (0, line)), Strip.blank(1)
        return Strip.join(parts).apply_style(base)

    @property
    def _selected(self) -> Style:
        """How what is selected looks. A theme may have no colour for its letters, which is not
        the colour that they get then: that of the ground.
        """
        from rich.style import Style

        style = self.screen.get_component_rich_style("screen--selection")
        return Style(bgcolor=style.bgcolor) if style.color == style.bgcolor else style

    def _notice_below(self, viewport: Viewport, strip: Strip, width: int) -> Strip:
        """The last line with a note on its right that there is more below."""
        ink = self._ink()
        text = f" {self._marks.below} {viewport.new_below:,} new below (End) "
        note = strip_of(Row(((text, ink.pill),)), width_of([(text, ink.pill)]))
        return Strip.join([strip.crop(0, max(0, width - note.cell_length - 1)), note]).crop(
            0, width
        )

    def render_line(self, y: int) -> Strip:
        """The line at ``y`` of the widget."""
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.scrollable_content_region.width, self.rich_style)

    def row_at(self, y: int) -> Shown | None:
        """What is on the line at ``y`` of the widget."""
        if self.viewport is None or not 0 <= y < len(self.viewport.shown):
            return None
        return self.viewport.shown[y]

    # --- scrolling and selecting -----------------------------------------------------------------

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow a scroll that did not come from ``paint``: wheel, scrollbar, or a call."""
        super().watch_scroll_y(old_value, new_value)
        wanted = round(new_value)
        if self.viewport is None or wanted == self._placed:
            return
        if wanted >= self.max_scroll_y:
            self.viewport.to_end()
        elif abs(wanted - self._placed) <= 3 * self.viewport.height:
            self.viewport.move(wanted - self._placed)
        else:
            self.viewport.jump(wanted)
        self.paint()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, lines joined again where they were wrapped."""
        if self.viewport is None:
            return None
        return selected_text(self.viewport.layout, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Show what is selected."""
        self.paint()
