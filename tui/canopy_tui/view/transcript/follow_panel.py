"""The file at which the agent in view works, below its transcript: it goes where the agent goes.

Made when it is wanted first; what is read comes from ``file_window``, and nothing is written.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from canopy_tui.desk.file_window import FileWindow, place_of, read_window
from canopy_tui.model.changes import shortened
from canopy_tui.model.followed import FilePlace, newest_place
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.bars.header import ending, home_short
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.highlight import code_lines, language_of
from canopy_tui.view.drawing.ink import mix
from canopy_tui.view.drawing.labels import name_of
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keys import FOLLOWED

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.state import ClientState
    from canopy_tui.view.drawing.strips import Line

BESIDE = 120
"""Columns of a pane from which on a file has room beside its transcript."""
_LEAD = "Follows  "
_CLOSE = "[close]"
_WAITS = "No tool call has named a file yet."


class FollowTitle(Clickable):
    """The place in words, and the way to be rid of it."""

    DEFAULT_CSS = "FollowTitle { height: 1; padding: 0 1; background: $panel; }"

    def __init__(self) -> None:
        super().__init__()
        self.place = ""
        self.note = ""
        self.who = ""

    def render(self) -> Content:
        """One line; a path is cut at its beginning."""
        close = Content.styled(_CLOSE, "$primary").stylize(clickable("app.toggle_follow"))
        width = max(1, self.size.width)
        room = width - cell_len(self.who) - cell_len(_LEAD) - len(_CLOSE) - 2
        place = ending(self.place, max(8, room))
        note = fitted(self.note, room - cell_len(place)) if room - cell_len(place) > 8 else ""
        line = Content.assemble(
            (_LEAD, "bold $secondary"), place, (self.who, "$text-muted"), (note, "$warning")
        )
        line = line.truncate(max(1, width - len(_CLOSE) - 1), ellipsis=True)
        return Content.assemble(line, " " * (width - line.cell_length - len(_CLOSE)), close)


class FollowFile(ScrollView, can_focus=True):
    """The lines, with their numbers and a mark at the place. Tab goes there, to read around."""

    BINDINGS: ClassVar[list[BindingType]] = FOLLOWED.bindings()
    HELP = "The file at which the agent works. It goes on when the agent does."

    DEFAULT_CSS = """
    FollowFile {
        height: 1fr;
        background: $surface;
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        &:focus { background-tint: $foreground 5%; }
    }
    """

    def __init__(self, glyphs: str) -> None:
        super().__init__(id="followed-file")
        self._mark = ">" if glyphs == ASCII else "▶"
        self._window = FileWindow(problem=_WAITS)
        self._path = ""
        self._lines: list[Line] = []

    def show(self, window: FileWindow, path: str) -> None:
        """Draw ``window``, with the place in the middle; where the person has scrolled to stays
        in view while the place is the same.
        """
        before = (self._path, self._window.first, self._window.line)
        self._window, self._path = window, path
        self._colour()
        self.virtual_size = Size(self.size.width, max(1, len(window.lines)))
        self.refresh()
        if before != (path, window.first, window.line):
            self._centre()

    def action_move(self, step: int) -> None:
        """Scroll by so many lines."""
        self.scroll_to(y=self.scroll_offset.y + step, animate=False, immediate=True, force=True)

    def action_page(self, step: int) -> None:
        """Scroll by so many pages."""
        self.action_move(step * max(1, self.size.height - 1))

    def action_place(self) -> None:
        """Back to the place."""
        self._centre()

    def _centre(self) -> None:
        at = (self._window.line or 1) - self._window.first
        # At once: of two scrolls that are put off the older may come last.
        self.scroll_to(
            y=max(0, at - self.size.height // 2), animate=False, immediate=True, force=True
        )

    def _colour(self) -> None:
        ink = mix(self.app.theme_variables, native=self.app.native_ansi_color)
        source = "\n".join(self._window.lines)
        self._lines = code_lines(source, language_of(self._path), ink) if source else []

    def notify_style_update(self) -> None:
        """The theme may be another."""
        super().notify_style_update()
        self._colour()

    def on_resize(self) -> None:
        """Lines are cut at the width."""
        self.virtual_size = Size(self.size.width, max(1, len(self._lines)))
        self._centre()

    def render_line(self, y: int) -> Strip:
        """One line of the file, or what is wrong with it."""
        width, at = self.size.width, y + self.scroll_offset.y
        window, base = self._window, self.rich_style
        if window.problem or not 0 <= at < len(self._lines):
            words = f" {fitted(window.problem, max(1, width - 2))}" if y == 0 else ""
            return Strip([Segment(words, base)]).adjust_cell_length(width, base)
        number = window.first + at
        here = number == window.line
        digits = len(str(window.first + len(self._lines)))
        gutter = f"{self._mark if here else ' '} {number:>{digits}} "
        strong = Style(bold=True, reverse=True) if here else Style(dim=True)
        parts = [Segment(gutter, base + strong)]
        # Only the colour of a token: the background of code ends with the text.
        for text, style in self._lines[at]:
            pen = base + Style(color=style.color, bold=style.bold or here, italic=style.italic)
            parts.append(Segment(text, pen))
        return Strip(parts).adjust_cell_length(width, base)


class FollowPanel(Vertical):
    """Shows where the session in view, or an agent below it, works. Reads one file at a time."""

    DEFAULT_CSS = """
    FollowPanel { height: 40%; min-height: 3; max-height: 20; }
    FollowPanel.-side {
        dock: right;
        width: 50%;
        height: 100%;
        max-height: 100%;
        border-left: vkey $line;
    }
    """

    def __init__(self, state: ClientState, glyphs: str) -> None:
        super().__init__(id="follow")
        self._state = state
        self._glyphs = glyphs
        self._session: str | None = None
        self._wanted: FilePlace | None = None
        self._shown: FilePlace | None = None
        self._reads = False

    def compose(self) -> ComposeResult:
        """Title and file."""
        yield FollowTitle()
        yield FollowFile(self._glyphs)

    def on_mount(self) -> None:
        """Begin with what is there."""
        self.show(self._session)

    def show(self, session: str | None) -> None:
        """Follow the session in view."""
        self._session = session
        if not (self.display and self.is_mounted):
            return
        self.place()
        self._wanted = newest_place(self._state, session) if session is not None else None
        if self._wanted is None and self._shown is not None:
            self._shown = None
            self._draw(FileWindow(problem=_WAITS), None)
        elif self._wanted != self._shown and not self._reads:
            self._reads = True
            self.run_worker(self._read(), group="follow", exit_on_error=False)

    def place(self) -> None:
        """Beside the transcript where there is room for both, else below it."""
        pane = self.parent
        self.set_class(isinstance(pane, Widget) and pane.size.width >= BESIDE, "-side")

    def on_resize(self) -> None:
        """There may be room beside the transcript now, or not any more."""
        self.call_later(self.place)

    async def _read(self) -> None:
        """Until what is shown is what is wanted: places that come meanwhile are skipped."""
        try:
            while self.is_mounted and self._wanted not in (None, self._shown):
                place = self._wanted
                assert place is not None
                window = await asyncio.to_thread(
                    read_window, place.path, place.cwd, place.line, place.texts, place.skip
                )
                self._shown = place
                if self.is_mounted:
                    self._draw(window, place)
        finally:
            self._reads = False

    def _draw(self, window: FileWindow, place: FilePlace | None) -> None:
        title = self.query_one(FollowTitle)
        title.place = title.who = title.note = ""
        if place is not None:
            line = f":{window.line}" if window.line else ""
            path = shortened(str(place_of(place.path, place.cwd)), place.cwd)
            title.place = f"{clipped(home_short(path), 400)}{line}"
            title.note = f"  {window.note}" if window.note else ""
            view = self._state.sessions.get(place.session)
            if view is not None and place.session != self._session:
                title.who = f"  {name_of(self._state, view)}"
        title.refresh()
        self.query_one(FollowFile).show(window, place.path if place is not None else "")
