"""How far the session in view is loaded, with a way to stop that.

Hidden while nothing is loaded; it draws the state and stops nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.loading import progress
from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.drawing.strips import fitted

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

_STOP = "[stop]"
_TICK = 1.0


class LoadBanner(Clickable):
    """One line above the transcript, which fills meanwhile."""

    def __init__(self, state: ClientState, now: Callable[[], float]) -> None:
        super().__init__(id="loading")
        self._state = state
        self._now = now
        self._root: SessionView | None = None
        self.display = False

    def on_mount(self) -> None:
        """Time goes by also while nothing arrives."""
        self.set_interval(_TICK, self.refresh)

    def show(self, session: str | None) -> None:
        """Follow the session in view."""
        view = self._state.sessions.get(session or "")
        root = self._state.root_of(view) if view is not None else None
        self._root = root if root is not None and root.loading is not None else None
        self.display = self._root is not None
        if self.display:
            self.refresh()

    def render(self) -> Content:
        """The line."""
        if self._root is None:
            return Content("")
        words = progress(self._state, self._root, self._now())
        stop = Content.styled(_STOP, "$primary").stylize(clickable("app.stop_turn"))
        room = self.size.width - len("Loading  ") - len(_STOP) - 2
        line = Content.assemble(("Loading  ", "bold $primary"), fitted(words, max(8, room)), "  ")
        return Content.assemble(line, stop).truncate(max(1, self.size.width), ellipsis=True)
