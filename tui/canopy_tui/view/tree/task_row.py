"""What one background task looks like in a line: its mark, name, how long it takes, its last words.

Used by the panel and by the screen of one task; which tasks there are is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.background import COMPLETED, FAILED, PAUSED, STOPPED
from canopy_tui.model.glyphs import mark
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.ansi import ansi_lines
from canopy_tui.view.drawing.labels import duration
from canopy_tui.view.drawing.strips import NONE, fitted

if TYPE_CHECKING:
    from canopy_tui.model.background import BackgroundTask

_MARKS = {COMPLETED: "done", FAILED: "failed", STOPPED: "cancelled", PAUSED: "queued"}
_STYLES = {"done": "$success", "failed": "bold $error", "cancelled": "$text-muted"}
_NAME_LIMIT = 200
_LAST = 2000
"""Characters at the end of the output among which its last line is looked for."""


def glyph_of(task: BackgroundTask, glyphs: str) -> Content:
    """The mark of its state."""
    name = _MARKS.get(task.state, "running")
    return Content.styled(mark(name, glyphs).glyph, _STYLES.get(name, "$primary"))


def word_of(task: BackgroundTask) -> str:
    """Its state in a word."""
    return "stopping" if task.stopping else {COMPLETED: "done"}.get(task.state, task.state)


def seconds_of(task: BackgroundTask, now: float) -> float:
    """How long it took, or takes so far."""
    end = now if task.ended_at is None else task.ended_at
    return max(0.0, end - task.started_at)


def name_of(task: BackgroundTask) -> str:
    """What a person calls it."""
    return clipped(task.name or task.description or task.id, _NAME_LIMIT)


def last_words(task: BackgroundTask) -> str:
    """The last line of its output, else what the agent says of it; harmless text."""
    if task.is_over and task.summary:
        return clipped(task.summary, _NAME_LIMIT)
    lines = ansi_lines(task.tail[-_LAST:], NONE)
    plain = ("".join(text for text, _ in line).strip() for line in reversed(lines))
    found = next((line for line in plain if line), "")
    return clipped(found, _NAME_LIMIT) or clipped(task.summary, _NAME_LIMIT)


def rows(task: BackgroundTask, now: float, width: int, glyphs: str) -> list[Content]:
    """One line, and a second one with the last words of a task that goes on."""
    right = Content.styled(duration(seconds_of(task, now)), "$text-muted")
    if task.is_over or task.stopping or task.state == PAUSED:
        style = _STYLES.get(_MARKS.get(task.state, ""), "$text-muted")
        right = Content.assemble((word_of(task), style), " ", right)
    left = Content.assemble("  ", glyph_of(task, glyphs), " ")
    room = width - left.cell_length - right.cell_length - 2
    name = Content.styled(
        fitted(name_of(task), max(1, room)), "$text-muted" if task.is_over else ""
    )
    gap = width - left.cell_length - name.cell_length - right.cell_length - 1
    first = Content.assemble(left, name, " " * max(1, gap), right)
    words = "" if task.is_over else last_words(task)
    if not words:
        return [first]
    return [first, Content.assemble("    ", (fitted(words, max(1, width - 5)), "$text-muted"))]
