"""The command palette of Textual with keys that can be changed like all others.

Which commands there are is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.command import CommandInput, CommandPalette

from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.late_clicks import forgive
from canopy_tui.view.keyboard.caret_keys import CARET
from canopy_tui.view.keyboard.keymap import take_keys
from canopy_tui.view.keyboard.keys import PALETTE, PALETTE_LINE

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType


class Palette(CommandPalette, Dialog[None], inherit_bindings=False):
    """The keys of the list come first: they are no keys for the line."""

    BINDINGS: ClassVar[list[BindingType]] = PALETTE.bindings()

    def on_mount(self) -> None:
        """Give the keys of the line their names."""
        forgive()
        take_keys(self.query_one(CommandInput), PALETTE_LINE, CARET)

    _width = 0

    def on_resize(self, event: events.Resize) -> None:
        """Lines are made for a width: make them anew for another."""
        before, self._width = self._width, event.size.width
        if before and before != self._width:
            self._cancel_gather_commands()
            self._gather_commands(self.query_one(CommandInput).value.strip())
