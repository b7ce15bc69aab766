"""The line above an entry that is shown as it came, with the key that shows it drawn again.

It is of the screen and not of the entry: nothing that is copied with a key holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.view.blocks.block import INDENT
from canopy_tui.view.drawing.strips import Row
from canopy_tui.view.keyboard.keymap import name

if TYPE_CHECKING:
    from canopy_tui.view.drawing.strips import Paper


@dataclass(frozen=True, slots=True)
class RawLabel:
    """One row; a click on it does what the key does."""

    def draw(self, paper: Paper) -> list[Row]:
        """The label."""
        ink = paper.ink
        leave = f"  [{name('transcript.raw')}: as usual]"
        runs = ((" " * INDENT, ink.muted), ("raw, as it came", ink.warning), (leave, ink.faint))
        return [Row(runs, INDENT, hit="toggle")]

    def guess(self, width: int) -> int:
        """Always one."""
        return 1
