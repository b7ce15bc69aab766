"""One background task: what it is, how it stands, and the end of its output as it comes.

It follows the state and says what the person wants; it stops nothing itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.drawing.ansi import ansi_lines
from canopy_tui.view.drawing.labels import duration, name_of
from canopy_tui.view.drawing.strips import Row, laid
from canopy_tui.view.keyboard.keymap import name
from canopy_tui.view.keyboard.keys import TASK
from canopy_tui.view.tree import task_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from canopy_tui.model.background import BackgroundTask
    from canopy_tui.model.state import ClientState
    from canopy_tui.view.drawing.strips import Marks, Paper

_TICK = 1.0


class TaskScreen(Dialog[None]):
    """Shows the task with ``key``, also after its end."""

    BINDINGS: ClassVar[list[BindingType]] = TASK.bindings()

    @dataclass
    class StopAsked(Message):
        """The person wants to stop the task."""

        task: str

    @dataclass
    class CopyText(Message):
        """The person wants ``text`` on the clipboard."""

        text: str

    def __init__(
        self,
        state: ClientState,
        key: str,
        marks: Marks,
        glyphs: str,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self._state = state
        self._key = key
        self._marks = marks
        self._glyphs = glyphs
        self._now = now
        self._drawn: tuple[str, bool] | None = None

    def compose(self) -> ComposeResult:
        """Facts above the output."""
        frame = Vertical(
            Static("", id="task-facts", markup=False),
            Preview(self._marks, id="task-output"),
            id="task-frame",
        )
        frame.border_title = Content("Background")
        yield frame

    def on_mount(self) -> None:
        """Follow the state."""
        self.set_interval(_TICK, self.show)
        self.query_one(Preview).focus()
        self.show()

    @property
    def shown_task(self) -> BackgroundTask | None:
        """The task, None when its session is gone."""
        return self._state.tasks.get(self._key)

    def show(self) -> None:
        """Draw the task as it is now; who reads further up stays there."""
        task = self.shown_task
        if task is None:
            return
        self.query_one("#task-facts", Static).update(self._facts(task))
        keys = [key for key in TASK.keys if key.id != "task-stop" or task.stops]
        words = Content("  ".join(f"{name(key.id)} {key.label}" for key in keys))
        self.query_one("#task-frame").border_subtitle = words
        now = (task.tail, task.tail_is_cut)
        if now == self._drawn:
            return
        first, self._drawn = self._drawn is None, now
        pane = self.query_one(Preview)
        follows = first or pane.scroll_y >= pane.max_scroll_y
        at = pane.scroll_y
        pane.draw(_output_of(task))
        if follows:
            self.call_after_refresh(pane.scroll_end, animate=False)
        else:
            pane.scroll_to(y=at, animate=False)

    def _facts(self, task: BackgroundTask) -> Content:
        view = self._state.sessions.get(task.session)
        words = [
            task_row.word_of(task),
            duration(task_row.seconds_of(task, self._now())),
            clipped(task.kind, 40),
            *([f"of {name_of(self._state, view)}"] if view else []),
        ]
        lines = [
            Content.assemble(
                task_row.glyph_of(task, self._glyphs), " ", (task_row.name_of(task), "bold")
            ),
            Content.styled(" · ".join(words), "$text-muted"),
        ]
        if task.summary:
            lines.append(Content(clipped(task.summary, 400)))
        return Content("\n").join(lines)

    def action_stop(self) -> None:
        """Ask to stop it."""
        self.post_message(self.StopAsked(self._key))

    def action_copy(self) -> None:
        """Copy what is read of the output."""
        if self.shown_task is not None:
            self.post_message(self.CopyText(self.shown_task.tail))


def _output_of(task: BackgroundTask) -> Callable[[Paper], list[Row]]:
    def draw(paper: Paper) -> list[Row]:
        if not task.tail:
            words = "no output" if task.is_over else "no output yet"
            return [Row(((words, paper.ink.muted),))]
        rows = []
        if task.tail_is_cut:
            words = f"the beginning is in {task.output_file}"
            rows += laid([[(clipped(words, 500), paper.ink.faint)]], paper.width)
        lines = ansi_lines(task.tail.rstrip("\n"), paper.ink.text, paper.ink.named)
        return rows + laid(lines, paper.width)

    return draw
