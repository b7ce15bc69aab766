"""The part of the app that chooses the theme: the person's, else one that fits the terminal.

The first frame is drawn by what is known already; the terminal is asked after it, and the theme
follows when the answer comes. Nobody waits for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import constants

from canopy_tui.view.apps.pane_app import PaneApp
from canopy_tui.view.drawing.theme import AUTO, DARK, LIGHT, THEMES
from canopy_tui.view.terminal import background as background

if TYPE_CHECKING:
    from canopy_tui.view.surroundings import MakeHost, Surroundings


class LookApp(PaneApp):
    """``ask_background`` is called when the first frame is out, ``choose_theme`` by the palette."""

    def __init__(self, make_host: MakeHost, around: Surroundings) -> None:
        super().__init__(make_host, around)
        for theme in THEMES:
            self.register_theme(theme)
        chosen = around.theme or (
            constants.DEFAULT_THEME in (DARK, LIGHT) and constants.DEFAULT_THEME
        )
        self._background = around.background
        self._follows = not chosen
        self.theme_choice = chosen or AUTO
        """What the person chose, ``auto`` to follow the terminal."""
        self.theme = chosen or self._fitting

    @property
    def _fitting(self) -> str:
        return LIGHT if self._background == background.LIGHT else DARK

    def ask_background(self) -> None:
        """Ask the terminal for its background, unless the person has chosen a theme."""
        asks = self._follows and self.around.asks_background
        if asks and self._driver is not None and not self.is_headless:
            background.REPLIES.asked()
            self._driver.write(background.QUERY)

    def on_background_told(self, event: background.BackgroundTold) -> None:
        """The terminal answered: follow it, and know it the next time."""
        event.stop()
        self._background = event.background
        if self._follows:
            self.theme = self._fitting
        self._follows = False
        self.around.on_background(event.background)

    def choose_theme(self, choice: str) -> None:
        """Take a theme, or ``auto``, from now on: it is kept in the person's settings."""
        self.theme_choice, self._follows = choice, choice == AUTO
        self.theme = self._fitting if self._follows else choice
        self.ask_background()
        self.say(self.around.keep_theme(choice), 8.0)
