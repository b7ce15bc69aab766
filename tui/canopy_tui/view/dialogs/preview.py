"""A bounded pane of drawn rows with its own scroll, and a word on how much lies below.

It draws what a function gives for its width; what the rows say is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from canopy_tui.view.drawing import ink
from canopy_tui.view.drawing.strips import Marks, Paper, Row, strip_of
from canopy_tui.view.keyboard.keys import PREVIEW

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

ALL = 1_000
"""More rows than what stands around a preview has."""
Draw = Callable[[Paper], list[Row]]


class Preview(ScrollView, can_focus=True, inherit_bindings=False):
    """Rows drawn by ``draw``, drawn anew when width or theme change."""

    BINDINGS: ClassVar[list[BindingType]] = PREVIEW.bindings()

    @dataclass
    class Beyond(Message):
        """A key scrolls on, beyond the last row or, with ``step`` below 0, the first."""

        step: int

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

    @property
    def _below(self) -> int:
        height = self.scrollable_content_region.height
        return max(0, len(self._rows) - round(self.scroll_y) - height) if height > 0 else 0

    def _count_below(self) -> None:
        below = self._below
        words = f"{below} more {'line' if below == 1 else 'lines'} {self._marks.below}"
        self.border_subtitle = Content(words if below else "")

    def render_line(self, y: int) -> Strip:
        """One row; where no border tells how much lies below, the last row in view does."""
        width, height = self.scrollable_content_region.size
        index = y + self.scroll_offset.y
        row = self._rows[index] if 0 <= index < len(self._rows) else Row()
        strip = strip_of(row, width).apply_style(self.rich_style)
        below = self._below if y == height - 1 and not self.styles.border_bottom[0] else 0
        if not below:
            return strip
        warning = ink.mix(self.app.theme_variables).warning
        told = Strip([Segment(f" +{below} {self._marks.below}", warning)])
        told = told.apply_style(self.rich_style)
        return Strip.join([strip.adjust_cell_length(max(0, width - told.cell_length)), told])

    def _scroll_beyond(self, step: int) -> None:
        if self.scroll_y >= self.max_scroll_y if step > 0 else self.scroll_y <= 0:
            self.post_message(self.Beyond(step))

    def action_scroll_down(self) -> None:
        """A row down."""
        self._scroll_beyond(1)
        super().action_scroll_down()

    def action_scroll_up(self) -> None:
        """A row up."""
        self._scroll_beyond(-1)
        super().action_scroll_up()

    def action_page_down(self) -> None:
        """A page down."""
        self._scroll_beyond(1)
        super().action_page_down()

    def action_page_up(self) -> None:
        """A page up."""
        self._scroll_beyond(-1)
        super().action_page_up()

    def action_scroll_end(self) -> None:
        """To the last row, and to what comes after it."""
        self.post_message(self.Beyond(ALL))
        super().action_scroll_end()

    def action_scroll_home(self) -> None:
        """To the first row, and to what comes before it."""
        self.post_message(self.Beyond(-ALL))
        super().action_scroll_home()
