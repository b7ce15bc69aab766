"""A notice of the agent or of the client: how serious, what, the detail, and what helps.

The action is a name that the app knows; a click or enter asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import beside, guessed, inside, more_row
from canopy_tui.view.drawing.strips import PROSE, Row, laid, printable
from canopy_tui.view.keyboard.keymap import filled

if TYPE_CHECKING:
    from canopy_tui.model.entries import NoticeEntry
    from canopy_tui.view.drawing.strips import Paper

_DETAIL = 6
"""Rows of detail before it is expanded; stderr has its point at the end."""


@dataclass(frozen=True, slots=True)
class Notice:
    """``severity`` is ``info``, ``warning`` or ``error``."""

    severity: str
    title: str
    detail: str = ""
    action: str | None = None
    expanded: bool = False
    hint: str = ""
    recovered: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """The title behind its severity, the detail below, the action last."""
        ink, page = paper.ink, inside(paper)
        mark, word, style = {
            "error": (paper.marks.failed, "error: ", ink.error),
            "warning": (paper.marks.asks, "warning: ", ink.warning),
        }.get(self.severity, (paper.marks.info, "", ink.secondary))
        if self.recovered:
            mark, word, style = paper.marks.done, "recovered: ", ink.success
        width = min(page.width, PROSE)
        head, *more = printable(self.title).split("\n")
        lines = [[(word, style), (head, ink.text)], *([(line, ink.text)] for line in more)]
        rows = laid([[run for run in line if run[0]] for line in lines], width)
        if self.detail:
            rows += self._detail(page, width)
        if self.hint:
            rows += laid([[(printable(self.hint), ink.muted)]], width)
        if self.action:
            name = visible(self.action.replace("_", " "), multiline=False)
            rows.append(Row(((f"[enter: {name}]", ink.primary),), hit="action"))
        return beside(rows, (mark, style))

    def _detail(self, paper: Paper, width: int) -> list[Row]:
        lines = printable(self.detail.strip("\n")).split("\n")
        rows = laid([[(line, paper.ink.muted)] for line in lines], width)
        if self.expanded or len(rows) <= _DETAIL:
            return rows
        return [more_row(len(rows) - _DETAIL + 1, paper), *rows[1 - _DETAIL :]]

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        detail = guessed(self.detail, width) if self.detail else 0
        return (
            guessed(self.title, width)
            + bool(self.hint)
            + (detail if self.expanded else min(detail, _DETAIL))
            + 1
        )


def notice(entry: NoticeEntry, expanded: bool) -> Notice:
    """The block for a notice."""
    return Notice(
        entry.severity,
        entry.title,
        entry.detail,
        entry.action,
        expanded,
        filled(entry.hint),
        entry.recovered,
    )
