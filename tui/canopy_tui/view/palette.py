"""The command palette of Textual with keys that can be changed like all others.

Which commands there are is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.command import CommandInput, CommandPalette

from canopy_tui.view.caret_keys import CARET
from canopy_tui.view.keymap import take_keys
from canopy_tui.view.keys import PALETTE, PALETTE_LINE

if TYPE_CHECKING:
    from textual.binding import BindingType


class Palette(CommandPalette, inherit_bindings=False):
    """The keys of the list come first: they are no keys for the line."""

    BINDINGS: ClassVar[list[BindingType]] = PALETTE.bindings()

    def on_mount(self) -> None:
        """Give the keys of the line their names."""
        take_keys(self.query_one(CommandInput), PALETTE_LINE, CARET)
