"""A line at the foot of screens that hide the footer: so many questions wait, and their key.

It counts what the state holds; opening a question is the app's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content

from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import name

if TYPE_CHECKING:
    from textual.screen import Screen

    from canopy_tui.model.state import ClientState


class WaitingLine(Clickable):
    """There is one on a screen while something waits."""

    DEFAULT_CSS = """
    WaitingLine { dock: bottom; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(self, state: ClientState) -> None:
        super().__init__()
        self._state = state

    def render(self) -> Content:
        """The same words as in the footer."""
        number = len(self._state.waiting())
        line = Content.styled(f"{name('next-request')} {number} waiting", "bold $warning")
        return line.stylize(clickable("app.next_request", 1))

    @classmethod
    def keep_on(cls, screen: Screen[Any], state: ClientState) -> None:
        """Put a line on ``screen``, draw it anew, or take it away."""
        if not screen.is_attached:
            return
        lines = list(screen.query(cls))
        waits = bool(state.waiting())
        for line in lines:
            line.refresh()
            line.display = waits
        if waits and not lines:
            screen.mount(cls(state))
