"""A second transcript left of the one in view: the main agent beside one of its own agents.

It shows a session and follows the state; when it is wanted is decided by the main screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from canopy_tui.view.bars.crumbs import Crumbs
from canopy_tui.view.drawing.labels import marks_of
from canopy_tui.view.transcript.transcript import TranscriptView

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState, Touched


class Beside(Vertical):
    """Hidden while ``session`` is None."""

    def __init__(self, state: ClientState, glyphs: str, now: Callable[[], float]) -> None:
        super().__init__(id="beside")
        self._state = state
        self._glyphs = glyphs
        self._now = now
        self.session: str | None = None
        self.display = False

    def _furnish(self) -> None:
        """The path above the transcript, made when something is shown first."""
        self.mount(
            Crumbs(self._state, self._glyphs, now=self._now, id="beside-crumbs"),
            TranscriptView(marks=marks_of(self._glyphs), now=self._now, id="beside-transcript"),
        )

    @property
    def transcript(self) -> TranscriptView:
        """Its transcript."""
        return self.query_one(TranscriptView)

    def show(self, session: str | None) -> None:
        """Show another session, or none."""
        shown = session if session in self._state.sessions else None
        self.display = shown is not None
        if shown == self.session:
            return
        self.session = shown
        if shown is not None:
            if not self.children:
                self._furnish()
            self.query_one(Crumbs).show(shown)
            self.transcript.show(shown, self._state)

    def update(self, touched: Touched) -> None:
        """Draw what changed."""
        if self.session is None:
            return
        own = [key for session, key in touched.entries if session == self.session]
        if own or touched.sessions or touched.tree:
            self.transcript.touched(own)
        self.query_one(Crumbs).show(self.session)
