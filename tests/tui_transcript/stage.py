"""A stage for one transcript: an app with nothing else, and what a test asks of its screen."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from textual.app import App

from canopy_tui.view.drawing.strips import UNICODE
from canopy_tui.view.drawing.theme import DARK, THEMES
from canopy_tui.view.transcript.transcript import TranscriptView
from tui_transcript.samples import MAIN
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from textual.app import ComposeResult
    from textual.message import Message
    from textual.pilot import Pilot

    from canopy_tui.model.state import ClientState
    from canopy_tui.view.drawing.strips import Marks


class Stage(App[None]):
    """Holds one transcript and keeps every message that it posts."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "TranscriptView { width: 1fr; height: 1fr; }"

    def __init__(self, state: ClientState, *, theme: str = DARK, marks: Marks = UNICODE) -> None:
        super().__init__()
        self._state = state
        self._marks = marks
        self._first_theme = theme
        self.told: list[Message] = []

    def compose(self) -> ComposeResult:
        """Only the transcript."""
        yield TranscriptView(marks=self._marks)

    def on_mount(self) -> None:
        """Take the theme, show the root."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._first_theme
        view = self.query_one(TranscriptView)
        view.pause = 0
        view.focus()
        view.show(MAIN, self._state)

    def _tell(self, message: Message) -> None:
        self.told.append(message)

    on_transcript_view_open_child = _tell
    on_transcript_view_copy_text = _tell
    on_transcript_acts_leads = _tell
    on_transcript_view_notice_action = _tell
    on_transcript_view_seen_end = _tell
    on_transcript_view_left_end = _tell


class Playing:
    """A running stage. ``width`` and ``height`` are those of the terminal."""

    def __init__(self, app: Stage, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.view = app.query_one(TranscriptView)

    @property
    def lines(self) -> list[str]:
        """The screen as text."""
        view = self.view
        return [view.render_line(y).text.rstrip() for y in range(view.size.height)]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    def told(self, kind: type[Any]) -> list[Any]:
        """Messages of that kind so far."""
        return [message for message in self.app.told if isinstance(message, kind)]

    async def press(self, *keys: str) -> None:
        """Press keys and let them take effect."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def tell(self, *keys: int) -> None:
        """Say that entries changed and wait until the view shows it."""
        before = self.view.repaints
        self.view.touched(keys)
        await eventually(lambda: self.view.repaints > before, "a repaint")


@asynccontextmanager
async def playing(
    state: ClientState, width: int = 80, height: int = 24, **options: Any
) -> AsyncIterator[Playing]:
    """Run a stage with ``state``."""
    app = Stage(state, **options)
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield Playing(app, pilot)
