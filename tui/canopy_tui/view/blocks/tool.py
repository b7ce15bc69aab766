"""The one line of a tool call: how it stands, what it does, and what came of it.

What an expanded call shows below that line is in ``tool_parts``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from canopy_shared.content import Diff
from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import INDENT
from canopy_tui.view.blocks.diff import change_runs
from canopy_tui.view.blocks.tool_words import result_of, subject_of, title_of
from canopy_tui.view.drawing.labels import duration
from canopy_tui.view.drawing.strips import NONE, Row, fitted, width_of

if TYPE_CHECKING:
    from rich.style import Style

    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.view.drawing.strips import Paper, Run

_CODE = re.compile(r"`([^`]+)`")
_TITLE = 20
"""Cells of the title that stay, rather than less important results."""
_LEAST = 6
"""Least cells for a result."""
_SUBJECT = 8
"""Least cells for what the call is about."""
_SLOW = 1.0
"""Seconds from which on the time that a call took is worth telling."""


@dataclass(frozen=True, slots=True)
class ToolLine:
    """Facts of the line: ``state`` as ``state_of`` gives it, and ``results``, the most important
    first.
    """

    state: str
    title: str
    command: bool
    results: tuple[str, ...] = ()
    change: tuple[tuple[str | None, str], ...] = ()
    opens: bool = True
    subject: str = ""

    def draw(self, paper: Paper) -> list[Row]:
        """Exactly one row; a long title is cut so that the result stays in sight."""
        ink = paper.ink
        mark, word, style = self._state(paper)
        tail: list[Run] = [(f"  {word}", style)] if word else []
        for old, new in self.change:
            tail += change_runs(old, new, paper)
        room = paper.width - INDENT
        titled = min(cell_len(visible(self.title, multiline=False)) + 2, room // 2)
        reserved = min(cell_len(self.subject), _TITLE) + 2 if self.subject else 0
        for result in self.results:
            left = room - titled - width_of(tail) - 2
            cells = left - reserved if left - reserved >= _TITLE else left
            if cells >= _LEAST:
                words = fitted(visible(result, multiline=False), cells, paper.marks.more)
                tail.append((f"  {words}", ink.muted))
        while len(tail) > 1 and room - width_of(tail) < _TITLE:
            tail.pop()
        title = self._title(paper, max(room - width_of(tail), room // 2))
        if (
            self.subject not in ("", *self.results)
            and (left := room - width_of(tail) - width_of(title) - 2) >= _SUBJECT
        ):
            about = fitted(visible(self.subject, multiline=False), left, paper.marks.more)
            title.append((f"  {about}", ink.faint))
        runs = [(f"{mark} ", style), *title, *tail]
        return [Row(tuple(runs), INDENT, hit="toggle" if self.opens else "")]

    def _title(self, paper: Paper, room: int) -> list[Run]:
        ink = paper.ink
        title = visible(self.title, multiline=False)
        if self.command:
            return [("$ ", ink.muted), (fitted(title, room - 2, paper.marks.more), ink.strong)]
        runs: list[Run] = []
        for number, part in enumerate(_CODE.split(title)):
            cells = room - width_of(runs)
            if part and cells > 0:
                style = ink.code_inline if number % 2 else ink.text
                runs.append((fitted(part, cells, paper.marks.more), style))
        return runs or [("tool", ink.muted)]

    def _state(self, paper: Paper) -> tuple[str, str, Style]:
        ink, marks = paper.ink, paper.marks
        return {
            "pending": (marks.pending, "", ink.muted),
            "asks": (marks.asks, "asks", ink.warning),
            "running": (marks.running, "running", ink.secondary),
            "background": (marks.running, "in background", ink.secondary),
            "done": (marks.done, "", ink.success),
            "rejected": (marks.cancelled, "rejected", ink.warning),
            "stopped": (marks.cancelled, "stopped", ink.warning),
            "failed": (marks.failed, "failed", ink.error),
        }.get(self.state, (marks.pending, self.state, NONE))

    def guess(self, width: int) -> int:
        """Always one."""
        return 1


def tool_line(entry: ToolEntry, *, opens: bool) -> ToolLine:
    """The line for a call as it is now."""
    diffs = tuple(
        (part.old_text if isinstance(part.old_text, str) else None, part.new_text)
        for part in entry.content
        if isinstance(part, Diff)
    )
    return ToolLine(
        state=state_of(entry),
        title=title_of(entry),
        subject=subject_of(entry),
        command=entry.kind == "execute" and bool(entry.title),
        results=tuple(filter(None, (result_of(entry), _time(entry)))),
        change=diffs if len(diffs) == 1 else (),
        opens=opens,
    )


def state_of(entry: ToolEntry) -> str:
    """One of ``pending``, ``asks``, ``running``, ``background``, ``done``, ``failed``,
    ``rejected``, ``stopped``.
    """
    if entry.waits and not entry.ended:
        return "asks"
    if entry.rejected and entry.status != "completed":  # some agents never end such a call
        return "rejected"
    if entry.status == "failed" and entry.stopped:
        return "stopped"
    if entry.status == "failed" or (entry.ended and entry.exit_code):
        return "failed"
    if entry.in_background:
        return "background"
    if entry.backgrounded and not (entry.ended and entry.exited):
        return "background" if not entry.exited else "done"
    if entry.ended:
        return "done"
    return "running" if entry.status == "in_progress" else "pending"


def _time(entry: ToolEntry) -> str:
    """How long it took, without the time for which it waited for the person."""
    if entry.ended_at is None or (taken := entry.ended_at - entry.at - entry.waited) < _SLOW:
        return ""
    return f"{taken:.1f}s" if taken < 60 else duration(taken)
