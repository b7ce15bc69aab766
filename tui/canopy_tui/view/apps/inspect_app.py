"""The app on a stored session: the same screens, marked as past, with a timeline of its agents.

It follows a session that is still written to, and changes nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.content import Content

from canopy_tui.model.efforts import rows_of, summary_of
from canopy_tui.model.glyphs import ASCII, UNICODE
from canopy_tui.model.intents import ListSessions, LoadSession, Watch
from canopy_tui.view.apps.read_only_app import ReadOnlyApp
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.labels import whole
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.keyboard.keys import INSPECTION, Group
from canopy_tui.view.screens.timeline_screen import TimelineScreen
from canopy_tui.view.stored.session_picker import SessionPicker

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.widget import Widget

    from canopy_tui.inspect.host import InspectHost

_JOINT = " · "
_REFRESH = 1.0


class InspectBar(Clickable):
    """The line that says that this is the past."""

    DEFAULT_CSS = """
    InspectBar { height: 1; padding: 0 1; background: $primary 25%; }
    """

    def __init__(self, host: InspectHost, glyphs: str = UNICODE) -> None:
        super().__init__(id="inspect-bar")
        self._host = host
        self._ascii = glyphs == ASCII

    def on_mount(self) -> None:
        """Follow what is read."""
        self.set_interval(_REFRESH, self.refresh)

    def render(self) -> Content:
        """State, key, summary; the last is cut where there is no room."""
        reading = self._host.reading
        word = "LIVE" if reading is not None and reading.running else "PAST SESSION"
        [key] = INSPECTION.keys
        go = clickable(f"app.{key.action}")
        line = Content.assemble(
            (f" {word} ", "bold reverse $primary"),
            "  ",
            Content.assemble((name(key.id), "bold $primary"), " timeline").stylize(go),
            "  ",
            *self._others(),
        )
        none = "none is open" if self._host.source is None else ""
        words = none or self._host.problem or summary_of(self._host.state, reading)
        told = whole(words.split(_JOINT), self.size.width - line.cell_length)
        line = Content.assemble(line, (told, "$text-muted"))
        return line.truncate(max(1, self.size.width), ellipsis=True)

    def _others(self) -> Iterable[Content | str]:
        """The way to the other sessions, where there is one."""
        if self._host.past is None:
            return ()
        go = clickable("app.show_sessions")
        return (
            Content.assemble((name("sessions"), "bold $primary"), " sessions").stylize(go),
            "  ",
        )


class InspectApp(ReadOnlyApp):
    """Its host is an :class:`InspectHost`."""

    TITLE = "canopy inspect"
    passes: ClassVar[tuple[type, ...]] = (Watch, ListSessions, LoadSession)
    why_not = "This is a look at the past: nothing can be sent."
    key_groups: ClassVar[tuple[Group, ...]] = (INSPECTION, *ReadOnlyApp.key_groups)
    plain_keys = frozenset(key.action for key in INSPECTION.keys)
    BINDINGS: ClassVar[list[BindingType]] = INSPECTION.bindings(first=True)

    @property
    def inspected(self) -> InspectHost:
        """What was read."""
        return cast("InspectHost", self.inner)

    def foot(self) -> Iterable[Widget]:
        """Mark the screen as the past."""
        return (InspectBar(self.inspected, self.around.glyphs),)

    def begin(self) -> None:
        """Read the session, or show what there is to look at."""
        super().begin()
        if self.inspected.source is None:
            self.action_show_sessions()

    def action_show_sessions(self) -> None:
        """The stored sessions; leaving the list with nothing open leaves."""
        if self.inspected.past is None:
            self.say(self.why_not)
        elif not isinstance(self.screen, SessionPicker):
            self.push_screen(self.session_picker(), self._picked)

    def _picked(self, _nothing: None) -> None:
        self.call_later(self._leave_if_empty)

    def _leave_if_empty(self) -> None:
        if self.inspected.source is None and self.shows_main:
            self.leave()

    def action_show_timeline(self) -> None:
        """Who worked when."""
        host = self.inspected
        screen = TimelineScreen(
            lambda: rows_of(host.state, host.reading),
            lambda: summary_of(host.state, host.reading),
            ascii_only=self.around.glyphs == ASCII,
        )
        self.push_screen(screen, self._chosen)

    def _chosen(self, session: str | None) -> None:
        if session is not None:
            self.go(session)
