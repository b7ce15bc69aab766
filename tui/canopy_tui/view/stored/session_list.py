"""The stored sessions as lines with a cursor: what each does, how old it is, its title.

It draws the rows that it is given; searching, and what is done with a session, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from canopy_tui.model.glyphs import ASCII, mark
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.bars.header import home_short
from canopy_tui.view.drawing.strips import fitted

if TYPE_CHECKING:
    from textual import events

    from canopy_tui.model.catalogue import ListedSession

_AGE_WIDTH = 4
_MARKS = {"running": "running", "requires_action": "ask", "error": "failed"}
_STYLES = {"running": "$primary", "requires_action": "bold $warning", "error": "bold $error"}


class SessionList(ScrollView, can_focus=False):
    """``Picked`` tells that a row was clicked twice, or once where the cursor was already."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"sessions--cursor"}

    @dataclass
    class Picked(Message):
        """The person clicked the row under the cursor."""

    @dataclass
    class Moved(Message):
        """The cursor is on another row."""

    def __init__(self, glyphs: str, now: Callable[[], float]) -> None:
        super().__init__(id="session-list")
        self._glyphs = glyphs
        self._now = now
        self._rows: Sequence[ListedSession] = ()
        self._open: frozenset[str] = frozenset()
        self._with_place = False
        self._cursor: str | None = None

    def show(
        self, rows: Sequence[ListedSession], open_sessions: frozenset[str], *, with_place: bool
    ) -> None:
        """Draw ``rows``; the cursor stays on its session. ``with_place`` adds the directory."""
        self._rows, self._open, self._with_place = rows, open_sessions, with_place
        if not any(row.id == self._cursor for row in rows):
            self._cursor = rows[0].id if rows else None
            self.scroll_to(y=0, animate=False)
        self.virtual_size = Size(self.scrollable_content_region.width, len(rows))
        self.refresh()

    @property
    def current(self) -> ListedSession | None:
        """The row under the cursor."""
        return next((row for row in self._rows if row.id == self._cursor), None)

    @property
    def place(self) -> int:
        """The index of the row under the cursor."""
        return next((at for at, row in enumerate(self._rows) if row.id == self._cursor), 0)

    @property
    def page(self) -> int:
        """Rows that are in view."""
        return max(1, self.size.height)

    def move(self, step: int) -> None:
        """Move the cursor."""
        if self._rows:
            at = max(0, min(self.place + step, len(self._rows) - 1))
            self._cursor = self._rows[at].id
            top = self.scroll_offset.y
            if not top <= at < top + self.page:
                self.scroll_to(y=at if at < top else at - self.page + 1, animate=False)
            self.refresh()
            self.post_message(self.Moved())

    def render_line(self, y: int) -> Strip:
        """One row."""
        width, at = self.scrollable_content_region.width, y + self.scroll_offset.y
        if not 0 <= at < len(self._rows):
            return Strip.blank(width, self.rich_style)
        row = self._rows[at]
        here = row.id == self._cursor
        style = self.get_visual_style("sessions--cursor") if here else self.visual_style
        content = self._content(row, width)
        if here:
            content = Content(content.plain)
        return Strip(
            [Segment(text, part.rich_style) for text, part in content.render(style, end="")], width
        )

    def _content(self, row: ListedSession, width: int) -> Content:
        age = age_of(row.updated_at, self._now())
        line = Content.assemble(
            " ", self._mark(row), " ", (age.rjust(_AGE_WIDTH), "$text-muted"), "  "
        )
        note = " archived" if row.archived else ""
        place = clipped(home_short(row.cwd), 200) if self._with_place else ""
        room = max(4, width - line.cell_length - len(note) - 1)
        title = fitted(clipped(row.title, 300) or "(no title)", room)
        line = Content.assemble(line, title, (note, "$text-muted"))
        left = width - line.cell_length - 3
        if place and left > 8:
            line = Content.assemble(line, "  ", (fitted(place, left), "$text-muted"))
        return Content.assemble(line, " " * max(0, width - line.cell_length))

    def _mark(self, row: ListedSession) -> Content:
        if row.id in self._open:
            return Content.styled("#" if self._glyphs == ASCII else "▌", "$primary")
        name = _MARKS.get(row.state)
        return (
            Content.styled(mark(name, self._glyphs).glyph, _STYLES[row.state])
            if name
            else Content(" ")
        )

    def on_click(self, event: events.Click) -> None:
        """Put the cursor there; a second click picks."""
        at = event.y + self.scroll_offset.y
        if 0 <= at < len(self._rows):
            if at == self.place:
                self.post_message(self.Picked())
            else:
                self.move(at - self.place)

    def on_resize(self) -> None:
        """Rows fill the width."""
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))


def age_of(moment: str, now: float) -> str:
    """How long ago an ISO 8601 time was, in at most four cells; empty when it is none."""
    try:
        seconds = now - datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError, OSError):
        return ""
    for size, unit in ((365 * 86400, "y"), (7 * 86400, "w"), (86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{min(int(seconds // size), 999)}{unit}"
    return "now"


def day_of(moment: str) -> str:
    """An ISO 8601 time as this machine's clock shows it; as it came when it is none."""
    try:
        return f"{datetime.fromisoformat(moment).astimezone():%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return moment
