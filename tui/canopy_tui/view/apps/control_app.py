"""The part of the app with the controls of a session: its options, what it uses, its servers.

It opens the screen and keeps it up to date; what is changed is the host's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from canopy_tui.view.apps.work_app import WorkApp
from canopy_tui.view.composer.placeholders import agent_missing
from canopy_tui.view.drawing.labels import name_of

if TYPE_CHECKING:
    from canopy_tui.view.controls.control_screen import Page


class ControlApp(WorkApp):
    """``show_controls`` opens the screen of the session in view, that of a child being its root."""

    def action_show_options(self) -> None:
        """Everything that can be set."""
        self.show_controls(0)

    def action_show_usage(self) -> None:
        """What the session uses."""
        self.show_controls(1)

    def action_show_servers(self) -> None:
        """Its MCP servers."""
        self.show_controls(2)

    def show_controls(self, at: int) -> None:
        """Open the page with this number, or turn to it."""
        from canopy_tui.view.controls.control_screen import ControlScreen

        root = self.root
        if isinstance(self.screen, ControlScreen):
            self.screen.turn_to(at)
        elif root is None:
            self.say(agent_missing(self.state) or "There is no session yet.")
        elif self.shows_main:
            of = "" if root is self.view else f"of {name_of(self.state, root)}"
            pages = self._pages(root.id)
            self.push_screen(ControlScreen(pages, at, of))

    def _pages(self, root: str) -> list[Page]:
        from canopy_tui.view.controls.options_page import OptionsPage
        from canopy_tui.view.controls.servers_page import ServersPage
        from canopy_tui.view.controls.usage_page import UsagePage

        state, around = self.state, self.around
        glyphs, read_only = around.glyphs, around.read_only
        return [
            OptionsPage(state, root, glyphs, read_only=read_only),
            UsagePage(state, root, glyphs, around.now, read_only=read_only),
            ServersPage(state, root, glyphs, read_only=read_only),
        ]

    def follow_screens(self) -> None:
        """The controls are drawn anew with what they show."""
        from canopy_tui.view.controls.control_screen import ControlScreen

        super().follow_screens()
        for screen in self.screen_stack:
            if isinstance(screen, ControlScreen) and screen.is_mounted:
                try:
                    screen.show()
                except NoMatches:  # it is being taken down
                    continue
