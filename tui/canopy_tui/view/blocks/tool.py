"""The one line of a tool call: how it stands, what it does, and what came of it.

What an expanded call shows below that line is in ``tool_parts``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_shared.content import Diff, TextContent, ToolContent
from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import INDENT
from canopy_tui.view.blocks.diff import change_runs
from canopy_tui.view.labels import duration
from canopy_tui.view.strips import NONE, Row, fitted, width_of

if TYPE_CHECKING:
    from rich.style import Style

    from canopy_tui.model.entries import ToolEntry
    from canopy_tui.view.strips import Paper, Run

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*$\n?", re.MULTILINE)
_FOUND = re.compile(r"Found (\d[\d,]* \w+)")
_CODE = re.compile(r"`([^`]+)`")
_NOUNS = {"search": "match", "read": "line"}
_TITLE = 20
"""Cells of the title that stay, rather than less important results."""
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

    def draw(self, paper: Paper) -> list[Row]:
        """Exactly one row; a long title is cut so that the result stays in sight."""
        ink = paper.ink
        mark, word, style = self._state(paper)
        tail: list[Run] = [(f"  {word}", style)] if word else []
        for old, new in self.change:
            tail += change_runs(old, new, paper)
        tail += [(f"  {visible(result, multiline=False)}", ink.muted) for result in self.results]
        room = paper.width - INDENT
        while len(tail) > 1 and room - width_of(tail) < _TITLE:
            tail.pop()
        title = self._title(paper, max(room - width_of(tail), room // 2))
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
        title=entry.title or entry.name or "",
        command=entry.kind == "execute" and bool(entry.title),
        results=tuple(filter(None, (_result(entry), _time(entry)))),
        change=diffs if len(diffs) == 1 else (),
        opens=opens,
    )


def state_of(entry: ToolEntry) -> str:
    """One of ``pending``, ``asks``, ``running``, ``background``, ``done``, ``failed``."""
    if entry.waits and not entry.ended:
        return "asks"
    if entry.status == "failed" or (entry.ended and entry.exit_code):
        return "failed"
    if entry.in_background:
        return "background"
    if entry.backgrounded and not (entry.ended and entry.exited):
        return "background" if not entry.exited else "done"
    if entry.ended:
        return "done"
    return "running" if entry.status == "in_progress" else "pending"


def _result(entry: ToolEntry) -> str:
    """``exit 1``, ``12 matches``, ``40 lines``, …: empty when there is nothing short to say."""
    if entry.exited and entry.exit_code:
        return f"exit {entry.exit_code}"
    if not entry.ended or entry.status == "failed":
        return ""
    if entry.has_terminal:
        return _many(_lines_in(entry.output), "line") if entry.output.strip() else "no output"
    text = "\n".join(
        part.content.text
        for part in entry.content
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent)
    )
    if found := _FOUND.match(text):
        return found[1]
    count = _lines_in(_FENCE.sub("", text))
    noun = _NOUNS.get(entry.kind, "line")
    if entry.kind == "search" and not count and not entry.content:
        return ""
    return _many(count, noun) if count else ""


def _lines_in(text: str) -> int:
    return len(text.strip("\n").split("\n")) if text.strip() else 0


def _many(count: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{count:,} {noun}{'' if count == 1 else plural}"


def _time(entry: ToolEntry) -> str:
    if entry.ended_at is None or (taken := entry.ended_at - entry.at) < _SLOW:
        return ""
    return f"{taken:.1f}s" if taken < 60 else duration(taken)
