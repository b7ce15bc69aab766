"""The list of background tasks below the tree: commands, workflows, monitors.

It draws what the state says and tells which task was chosen; it opens and stops nothing itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from canopy_tui.model import background
from canopy_tui.model.glyphs import UNICODE
from canopy_tui.view.keyboard.keys import BACKGROUND
from canopy_tui.view.tree import task_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType

    from canopy_tui.model.background import BackgroundTask
    from canopy_tui.model.state import ClientState

ENDED = 5
"""So many tasks that are over stay in the list, the newest ones."""


class BackgroundPanel(ScrollView, can_focus=True):
    """Rows with a cursor; hidden while there is no task. Enter or a click shows the output."""

    BINDINGS: ClassVar[list[BindingType]] = BACKGROUND.bindings()
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tasks--cursor"}

    @dataclass
    class Opened(Message):
        """The person wants to see the output of a task."""

        task: str

    @dataclass
    class StopAsked(Message):
        """The person wants to stop a task."""

        task: str

    @dataclass
    class Moved(Message):
        """The cursor is on another row."""

    @dataclass
    class LeftUp(Message):
        """The cursor went up beyond the first row."""

    def __init__(
        self,
        state: ClientState,
        glyphs: str = UNICODE,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(id="tasks")
        self._state = state
        self._glyphs = glyphs
        self._now = now
        self._tasks: list[BackgroundTask] = []
        self._lines: list[tuple[str, Content]] = []
        self._cursor: str | None = None
        self.display = False

    def show(self) -> None:
        """Draw the state as it is now."""
        shown = list(background.shown(self._state))
        over = [task.key for task in shown if task.is_over]
        dropped = set(over[: max(0, len(over) - ENDED)])
        self._tasks = [task for task in shown if task.key not in dropped]
        if self._cursor not in {task.key for task in self._tasks}:
            self._cursor = self._tasks[0].key if self._tasks else None
        self.display = bool(self._tasks)
        self._draw()

    def _draw(self) -> None:
        width, now = self.scrollable_content_region.width, self._now()
        lines = [
            (task.key, line)
            for task in self._tasks
            for line in task_row.rows(task, now, width, self._glyphs)
        ]
        grown = len(lines) != len(self._lines)
        self._lines = lines
        self.virtual_size = Size(width, len(lines))
        self.refresh(layout=grown)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as the list, up to the limit of the style sheet."""
        return max(1, len(self._lines))

    def render_line(self, y: int) -> Strip:
        """One row."""
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        if not 0 <= index < len(self._lines):
            return Strip.blank(width, self.rich_style)
        key, content = self._lines[index]
        style = self.visual_style
        if key == self._cursor and self.has_focus:
            style = self.get_visual_style("tasks--cursor")
            content = Content(content.plain)
        segments = [Segment(text, part.rich_style) for text, part in content.render(style, end="")]
        return Strip(segments).extend_cell_length(width, style.rich_style).crop(0, width)

    @property
    def marked_stops(self) -> bool:
        """Whether the task under the cursor can be stopped."""
        return any(task.key == self._cursor and task.stops for task in self._tasks)

    # --- what the person does ---------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """The cursor moves; up beyond the first row it leaves to the tree."""
        keys = [task.key for task in self._tasks]
        place = (keys.index(self._cursor) if self._cursor in keys else 0) + step
        if place < 0:
            self.post_message(self.LeftUp())
        elif keys:
            self._cursor = keys[min(place, len(keys) - 1)]
            row = next(at for at, (key, _) in enumerate(self._lines) if key == self._cursor)
            self.scroll_to(y=max(0, row - self.size.height + 2), animate=False)
            self.refresh()
            self.post_message(self.Moved())

    def action_open(self) -> None:
        """Show the output of the task under the cursor."""
        if self._cursor is not None:
            self.post_message(self.Opened(self._cursor))

    def action_stop(self) -> None:
        """Ask to stop the task under the cursor."""
        if self._cursor is not None:
            self.post_message(self.StopAsked(self._cursor))

    def on_click(self, event: events.Click) -> None:
        """Open the task under the pointer."""
        index = event.y + self.scroll_offset.y
        if 0 <= index < len(self._lines):
            self._cursor = self._lines[index][0]
            self.action_open()

    def on_resize(self) -> None:
        """Rows fill the width."""
        self._draw()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the cursor, or hide it."""
        super().watch_has_focus(has_focus)
        self.refresh()
