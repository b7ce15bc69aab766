"""A bounded pane of drawn rows with its own scroll, and a word on how much lies below.

It draws what a function gives for its width; what the rows say is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView

from canopy_tui.view import ink
from canopy_tui.view.keys import PREVIEW
from canopy_tui.view.strips import Marks, Paper, Row, strip_of

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType
    from textual.strip import Strip

Draw = Callable[[Paper], list[Row]]


class Preview(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows drawn by ``draw``, drawn anew when width or theme change."""

    BINDINGS: ClassVar[list[BindingType]] = PREVIEW.bindings()

    def __init__(self, marks: Marks, id: str = "preview") -> None:
        super().__init__(id=id)
        self._marks = marks
        self._draw: Draw = lambda _paper: []
        self._rows: list[Row] = []

    def draw(self, draw: Draw) -> None:
        """Show what ``draw`` gives, from the top."""
        self._draw = draw
        self.scroll_home(animate=False)
        self._redraw()

    @property
    def text(self) -> str:
        """What is shown, as text to copy."""
        parts = [row.joint + row.text[row.gutter :].rstrip() for row in self._rows]
        return "".join(parts).removeprefix("\n")

    def on_mount(self) -> None:
        """Follow the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _theme: self._redraw())

    def on_resize(self, event: events.Resize) -> None:
        """Rows are wrapped to the width."""
        self._redraw()

    def _redraw(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        paper = Paper(width, ink.mix(self.app.theme_variables), self._marks)
        self._rows = self._draw(paper)
        self.virtual_size = Size(width, len(self._rows))
        self._count_below()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as what is shown, up to the limit of the style sheet."""
        return max(1, len(self._rows))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Keep the count of what lies below right."""
        super().watch_scroll_y(old_value, new_value)
        self._count_below()

    def _count_below(self) -> None:
        height = self.scrollable_content_region.height
        below = len(self._rows) - round(self.scroll_y) - height
        words = f"{below} more {'line' if below == 1 else 'lines'} {self._marks.below}"
        self.border_subtitle = Content(words if below > 0 and height > 0 else "")

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        row = self._rows[index] if 0 <= index < len(self._rows) else Row()
        return strip_of(row, width).apply_style(self.rich_style)
