"""Who worked when: one line per agent with its times, tokens and calls; Enter opens its transcript.

It draws what an inspection knows; where that comes from is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len, set_cell_size
from textual.containers import Vertical, VerticalScroll
from textual.content import Content

from canopy_tui.model.timeline import Axis, axis_of, filled, worked
from canopy_tui.model.words import amount, duration, model_name
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.labels import whole
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.keyboard.keys import TIMELINE

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.efforts import Row

Column = tuple[str, int, Callable[["Row"], str]]
"""Title, cells, and what stands in it for a row."""

_KEYS = "{timeline-open} opens  {timeline-close} closes"
_JOINT = " · "
_SMALLEST_BAR = 8
_WIDTHS = [(0, "-full"), (100, "-framed")]
_REFRESH = 1.0


class TimelineRows(Clickable):
    """The lines. ``chosen`` is marked."""

    def __init__(self, ascii_only: bool) -> None:
        super().__init__(id="timeline-rows")
        self._ascii = ascii_only
        self.rows: list[Row] = []
        self.chosen = 0

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """The head, and one line each."""
        return len(self.rows) + 1

    def render(self) -> Content:
        """Everything."""
        width = self.size.width
        needed = max(
            (cell_len(_lead(row, chosen=False) + row.name) for row in self.rows), default=0
        )
        name_width = max(10, min(needed, 40, width // 3))
        columns = _columns(width)
        room = width - name_width - 1 - sum(cells for _, cells, _ in columns)
        bar = max(_SMALLEST_BAR, room)
        axis = axis_of((span for row in self.rows for span in row.spans), bar)
        titles = "".join(f"{title:>{cells}}" for title, cells, _ in columns)
        head = f"{'':{name_width + 1}}{times(axis)}{titles}"
        lines = [Content.styled(head, "$text-muted")]
        for place, row in enumerate(self.rows):
            figures = "".join(f"{fitted(tell(row), c - 2):>{c}}" for _, c, tell in columns)
            lines.append(self._line(place, row, axis, name_width, figures))
        return Content("\n").join(lines)

    def _line(self, place: int, row: Row, axis: Axis, name_width: int, figures: str) -> Content:
        chosen = place == self.chosen
        name = fitted(_lead(row, chosen=chosen) + row.name, name_width)
        name = set_cell_size(name, name_width)
        line = Content.assemble(
            (name, "bold" if chosen else ""), " ", self._bar(row, axis), (figures, "$text-muted")
        )
        if chosen:
            line = line.stylize("bold")
        return line.stylize(clickable("screen.open_at", place))

    def _bar(self, row: Row, axis: Axis) -> Content:
        on, off, gap = ("#", ".", "~") if self._ascii else ("━", "·", "⋮")
        full, silent = filled(row.spans, axis), set(axis.silences)
        parts = [
            (on, "$primary")
            if cell in full
            else (gap, "$warning")
            if cell in silent
            else (off, "$line")
            for cell in range(axis.cells)
        ]
        return Content.assemble(*parts)


class TimelineScreen(Dialog[str]):
    """Gives the session that was chosen. ``rows`` is asked again while the screen is open."""

    BINDINGS: ClassVar[list[BindingType]] = TIMELINE.bindings()
    HORIZONTAL_BREAKPOINTS = _WIDTHS

    def __init__(
        self, rows: Callable[[], list[Row]], summary: Callable[[], str], *, ascii_only: bool
    ) -> None:
        super().__init__()
        self._rows = rows
        self._summary = summary
        self._ascii = ascii_only

    def compose(self) -> ComposeResult:
        """The lines in a frame."""
        frame = Vertical(id="timeline-frame")
        frame.border_title = Content("Timeline")
        frame.border_subtitle = Content(keymap.filled(_KEYS))
        with frame, VerticalScroll(can_focus=False):
            yield TimelineRows(self._ascii)

    def on_mount(self) -> None:
        """Show what there is, and what comes."""
        self._look()
        self.set_interval(_REFRESH, self._look)

    def on_resize(self) -> None:
        """How much of the sums fits is known when all is laid out."""
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        shown = next(iter(self.query(TimelineRows)), None)
        if shown is None:
            return  # the app is left just as it comes
        rows = self._rows()
        frame = self.query_one("#timeline-frame")
        frame.border_title = Content(whole(self._summary().split(_JOINT), frame.size.width - 4))
        if rows != shown.rows:
            shown.rows = rows
            shown.chosen = min(shown.chosen, max(0, len(rows) - 1))
            shown.refresh(layout=True)

    def action_move(self, step: int) -> None:
        """Another line."""
        shown = self.query_one(TimelineRows)
        shown.chosen = max(0, min(len(shown.rows) - 1, shown.chosen + step))
        shown.refresh()
        scroll = self.query_one(VerticalScroll)
        line = shown.chosen + 1
        if not scroll.scroll_y < line < scroll.scroll_y + scroll.size.height - 1:
            scroll.scroll_to(y=line - scroll.size.height // 2, animate=False)

    def action_open(self) -> None:
        """Open the transcript of the line."""
        self.action_open_at(self.query_one(TimelineRows).chosen)

    def action_open_at(self, place: int) -> None:
        """A line was clicked."""
        rows = self.query_one(TimelineRows).rows
        if place < len(rows):
            self.dismiss(rows[place].session)

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)


def _lead(row: Row, *, chosen: bool = False) -> str:
    return ("> " if chosen else "  ") + "  " * min(row.depth, 4)


_WORKED = ("worked", 9, lambda row: duration(worked(row.spans)))
_TOKENS: list[Column] = [
    ("read", 8, lambda row: amount(row.read)),
    ("cached", 8, lambda row: amount(row.cached)),
    ("wrote", 8, lambda row: amount(row.written)),
]
_ALL_TOKENS: Column = ("tokens", 8, lambda row: amount(row.tokens))
_MODEL: Column = ("model", 20, lambda row: model_name(row.model))


def _columns(width: int) -> list[Column]:
    """What there is room for besides names and bars."""
    found: list[Column] = [_WORKED]
    found += _TOKENS if width >= 90 else [_ALL_TOKENS]
    if width >= 120:
        found.append(_MODEL)
    return found


def times(axis: Axis) -> str:
    """When the bars begin and end, as exactly as there is room for. Within a day the time of day
    says more than the date does.
    """
    if not axis.stretches:
        return " " * axis.cells
    ends = [datetime.fromtimestamp(at) for at in (axis.stretches[0][0], axis.stretches[-1][1])]
    in_short = "%H:%M:%S" if ends[0].date() == ends[1].date() else "%m-%d %H:%M"
    for form in ("%Y-%m-%d %H:%M:%S", in_short, "%H:%M"):
        begin, end = (moment.strftime(form) for moment in ends)
        gap = axis.cells - len(begin) - len(end)
        if gap > 0:
            return begin + " " * gap + end
    return " " * axis.cells
