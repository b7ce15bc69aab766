"""One tool call on a screen of its own: everything of it, with its own scroll, as it goes on.

It is a transcript of one entry, so that text of any length costs only what is in view; it answers
nothing and opens nothing itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content

from canopy_shared.content import Diff
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import ClientState, SessionView
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.blocks.tool import state_of
from canopy_tui.view.blocks.tool_words import exit_code_of
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.keyboard.keymap import everywhere, filled
from canopy_tui.view.keyboard.keys import DETAIL
from canopy_tui.view.transcript.selection import SelectsWithin
from canopy_tui.view.transcript.transcript import TranscriptView

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.view.drawing.strips import Marks

_FOLLOW = 0.25
"""Seconds between two looks at a call that goes on."""
_BESIDE = 110
"""Columns from which on changes are first shown side by side."""


class DetailScreen(SelectsWithin[None], Dialog[None]):
    """``d`` shows changes side by side or below each other; the keys of a transcript work too."""

    DEFAULT_CSS = """
    DetailScreen > Vertical {
        width: 100%; height: 100%; background: $background;
        border: round $primary; border-title-color: $primary; border-title-style: bold;
        border-subtitle-color: $text-muted;
    }
    DetailScreen TranscriptView { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *DETAIL.bindings(first=True),
        *everywhere("quit", "help"),
    ]

    def __init__(self, entry: ToolEntry, cwd: str, marks: Marks) -> None:
        super().__init__()
        self._entry = entry
        self._seen = entry.revision
        self._marks = marks
        view = SessionView(id="detail", cwd=cwd, entries=[entry])
        self._state = ClientState(sessions={"detail": view}, roots=["detail"])
        self._split: bool | None = None
        self._frame = Vertical()

    def compose(self) -> ComposeResult:
        """A frame around a transcript."""
        with self._frame:
            yield TranscriptView(marks=self._marks, id="detail")

    @property
    def transcript(self) -> TranscriptView:
        """The transcript of the one call."""
        return self.query_one(TranscriptView)

    def on_mount(self) -> None:
        """Show it, from its first line unless it is output that goes on."""
        self._title()
        self.transcript.show("detail", self._state)
        self.transcript.focus()
        self.set_interval(_FOLLOW, self._follow)

    def on_resize(self, event: events.Resize) -> None:
        """The first size decides how changes are shown."""
        if self._split is None:
            self._split = event.size.width >= _BESIDE
            self.call_after_refresh(self._look, self._entry.ended)

    def _look(self, from_start: bool = True) -> None:
        viewport = self.transcript.viewport
        if viewport is None:
            return
        viewport.layout.set_look(0, Look(expanded=True, whole=True, split=bool(self._split)))
        if from_start:
            viewport.jump(0)
        self.transcript.paint()

    def _title(self) -> None:
        entry = self._entry
        words = [clipped(entry.title or entry.name or "tool", 120), state_of(entry)]
        if (code := exit_code_of(entry)) is not None:
            words.append(f"exit {code}")
        self._frame.border_title = Content(" · ".join(words))
        line = "{transcript.copy} copy · {transcript.raw} raw · {transcript.lead} open"
        if any(isinstance(part, Diff) for part in entry.content):
            line = "{detail-split} side by side · " + line
        self._frame.border_subtitle = Content(filled(line + " · {detail-close} closes"))

    def _follow(self) -> None:
        if self._entry.revision != self._seen:
            self._seen = self._entry.revision
            self._title()
            self.transcript.touched([self._entry.key])

    def action_split(self) -> None:
        """Changes side by side, or below each other."""
        self._split = not self._split
        self._look()

    def on_transcript_view_seen_end(self, event: TranscriptView.SeenEnd) -> None:
        """Nobody else needs to know."""
        event.stop()

    def on_transcript_view_left_end(self, event: TranscriptView.LeftEnd) -> None:
        """Nobody else needs to know."""
        event.stop()
