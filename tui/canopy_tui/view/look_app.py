"""The part of the app that chooses the theme: the person's, else one that fits the terminal.

The first frame is drawn by what is known already; the terminal is asked after it, and the theme
follows when the answer comes. Nobody waits for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import constants

from canopy_tui.view import terminal_background as background
from canopy_tui.view.pane_app import PaneApp
from canopy_tui.view.theme import DARK, LIGHT, THEMES

if TYPE_CHECKING:
    from canopy_tui.view.surroundings import MakeHost, Surroundings


class LookApp(PaneApp):
    """``ask_background`` is called when the first frame is out."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        for theme in THEMES:
            self.register_theme(theme)
        chosen = around.theme or (
            constants.DEFAULT_THEME in (DARK, LIGHT) and constants.DEFAULT_THEME
        )
        self._follows = not chosen
        self.theme = chosen or (LIGHT if around.background == background.LIGHT else DARK)
        self._first = self.theme

    def ask_background(self) -> None:
        """Ask the terminal for its background, unless the person has chosen a theme."""
        asks = self._follows and self.around.asks_background
        if asks and self._driver is not None and not self.is_headless:
            background.REPLIES.asked()
            self._driver.write(background.QUERY)

    def on_background_told(self, event: background.BackgroundTold) -> None:
        """The terminal answered: follow it, and know it the next time."""
        event.stop()
        if self._follows and self.theme == self._first:
            self.theme = LIGHT if event.background == background.LIGHT else DARK
        self._follows = False
        self.around.on_background(event.background)
