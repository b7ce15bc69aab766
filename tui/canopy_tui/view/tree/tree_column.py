"""The column with the tree, as wide as a person wants it: its border is dragged, or moved by keys.

It knows widths only; what stands in it, and where a width is kept, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.message import Message

if TYPE_CHECKING:
    from textual import events

LEAST = 20
"""Columns that hold a mark, a name and a time."""
_PANE = 48
"""Columns that are left for the transcript."""
_AT_EDGE = "-at-edge"


class TreeColumn(Vertical):
    """``wanted`` columns, 0 for as wide as usual; only where it is beside a transcript."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "TreeColumn.-at-edge { border-right: vkey $primary; }"

    @dataclass
    class Chosen(Message):
        """The person wants this width, 0 for the usual one."""

        width: int

    def __init__(self, wanted: int) -> None:
        super().__init__(id="tree-column")
        self.wanted = wanted
        self._drags = False

    def fit(self, *, beside: bool) -> None:
        """Take the width that is wanted, as far as there is room; ``beside`` a transcript only."""
        styles = self.styles
        if not (self.wanted and beside):
            cleared = [styles.clear_rule(rule) for rule in ("width", "min_width", "max_width")]
            if any(cleared):
                self.refresh(layout=True)
            return
        width = max(LEAST, min(self.wanted, self.app.size.width - _PANE))
        if styles.width is None or styles.width.value != width or not styles.width.is_cells:
            styles.width = styles.min_width = styles.max_width = width

    def step(self, by: int) -> None:
        """Wider, or narrower."""
        self._take(self.region.width + by)
        self.post_message(self.Chosen(self.wanted))

    def _take(self, width: int) -> None:
        self.wanted = max(LEAST, min(width, self.app.size.width - _PANE))
        self.fit(beside=True)

    def _is_edge(self, event: events.MouseEvent) -> bool:
        return event.screen_x == self.region.right - 1 and self.styles.layer != "above"

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Hold the border."""
        if event.button == 1 and self._is_edge(event):
            event.stop()
            self._drags = True
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Have it follow the pointer; show that it can be held."""
        if self._drags:
            event.stop()
            self._take(event.screen_x - self.region.x + 1)
        self.set_class(self._drags or self._is_edge(event), _AT_EDGE)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let it go."""
        if self._drags:
            event.stop()
            self._drags = False
            self.release_mouse()
            self.post_message(self.Chosen(self.wanted))

    def on_leave(self) -> None:
        """The pointer is elsewhere."""
        self.set_class(self._drags, _AT_EDGE)

    def on_click(self, event: events.Click) -> None:
        """Two clicks on the border: as wide as usual."""
        if event.chain == 2 and self._is_edge(event):
            event.stop()
            self.wanted = 0
            self.fit(beside=True)
            self.post_message(self.Chosen(0))
