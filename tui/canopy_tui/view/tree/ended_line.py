"""The line below the tree that says how many ended agents are left out, or could be.

A click does what the key does; which agents these are is the tree's business.
"""

from __future__ import annotations

from textual.content import Content

from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import name


class EndedLine(Clickable):
    """Takes no room while no agent is hidden."""

    def __init__(self) -> None:
        super().__init__(id="tree-ended")
        self._hidden = 0
        self.display = False

    def show(self, hidden: int) -> None:
        """So many are left out."""
        if hidden != self._hidden:
            self._hidden = hidden
            self.display = hidden > 0
            self.refresh()

    def render(self) -> Content:
        """One line, the count first."""
        line = Content.assemble(
            (f"{self._hidden} ended hidden", "$text-muted"),
            "  ",
            (name("tree-ended"), "bold $primary"),
            (" shows", "$text-muted"),
        )
        return line.stylize(clickable("app.toggle_ended")).truncate(self.size.width, ellipsis=True)
