"""The base of every screen that lies over the main one: it closes once, and only itself.

Textual 8.2.8 takes away whatever is in front when a screen is dismissed: for one that lies below
another, or is on its way out already, that is the wrong one, or the last. What a dialog shows and
asks is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType

if TYPE_CHECKING:
    from textual import events


class Dialog(ModalScreen[ScreenResultType]):
    """The first ``dismiss`` counts. Below another screen it waits until that is gone."""

    _outcome: tuple[ScreenResultType | None] | None = None
    """What it was dismissed with."""
    _has_left = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close with ``result``, unless it closes already with another."""
        if self._outcome is None:
            self._outcome = (result,)
        if self._has_left or not self.is_active:
            return AwaitComplete()
        self._has_left = True
        return super().dismiss(self._outcome[0])

    def on_screen_resume(self, _event: events.ScreenResume) -> None:
        """It is in front, perhaps again."""
        if self._outcome is not None:
            self.call_next(self._leave)  # when Textual has brought it to the front

    def _leave(self) -> None:
        self.dismiss()  # its own message handler must not wait for that
