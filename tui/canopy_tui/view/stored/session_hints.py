"""The keys below the list of stored sessions, as far as they can be used and fit.

It knows no session and does nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from canopy_tui.view.drawing.clicks import Clickable, clickable
from canopy_tui.view.keyboard.keymap import brief
from canopy_tui.view.keyboard.keys import SESSIONS


class SessionHints(Clickable):
    """The keys, as far as they fit."""

    def __init__(self, usable: Callable[[str], bool]) -> None:
        super().__init__(id="session-hints")
        self._usable = usable
        self.renaming = False

    def render(self) -> Content:
        """As many lines as there are."""
        lines: list[Content] = []
        line = Content("")
        keys = [key for key in SESSIONS.keys if key.hint and self._usable(key.action)]
        for key in keys[:2] if self.renaming else keys:
            word = {"session-open": "keep the title"}.get(key.id) if self.renaming else key.hint
            go = clickable(key.action)
            name = brief(key.id)
            part = Content.assemble((name, "bold $primary"), " ", (word or key.hint, "$text-muted"))
            part = part.stylize(go)
            longer = Content.assemble(line, "  " if line else "", part)
            if longer.cell_length > self.size.width and len(lines) + 1 >= self.size.height:
                break
            if longer.cell_length > self.size.width:
                lines.append(line)
                longer = part
            line = longer
        return Content("\n").join([*lines, line])
