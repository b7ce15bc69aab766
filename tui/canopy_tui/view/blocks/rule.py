"""A line across the transcript: where a turn ended, and where work outside a turn begins.

The words stand in the line, so that it reads without colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from canopy_tui.model.rule_words import rule_words
from canopy_tui.model.sanitize import visible
from canopy_tui.view.drawing.strips import Row, fitted

if TYPE_CHECKING:
    from canopy_tui.model.entries import RuleEntry
    from canopy_tui.view.drawing.strips import Paper

_SHORT = 16
"""Cells of a name that leaves room for what else is to be said; in its own pane it says little."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``words`` in the line. ``loud``: something a person should notice. ``hit``: what a click
    does.
    """

    words: str
    loud: bool = False
    after_turn: bool = False
    hit: str = ""

    def draw(self, paper: Paper) -> list[Row]:
        """One row over the whole width."""
        ink, marks = paper.ink, paper.marks
        mark = f"{marks.after_turn} " if self.after_turn else ""
        words = fitted(visible(mark + self.words, multiline=False), paper.width - 6, marks.more)
        style = ink.accent if self.after_turn else ink.warning if self.loud else ink.muted
        rest = max(0, paper.width - cell_len(words) - 4)
        return [
            Row(
                (
                    (f"{marks.rule * 2} ", ink.faint),
                    (words, style),
                    (f" {marks.rule * rest}", ink.faint),
                ),
                3,
                hit=self.hit,
            )
        ]

    def guess(self, width: int) -> int:
        """Always one."""
        return 1


def rule(entry: RuleEntry, session: str) -> Rule:
    """The rule for ``entry`` in the transcript of a session called so."""
    whose = session if cell_len(session) <= _SHORT else ""
    words = rule_words(entry, _clock, whose)
    if entry.kind == "after_turn":
        return Rule(words, after_turn=True)
    loud = entry.kind == "turn_end" and entry.text not in ("end_turn", "cancelled", "")
    return Rule(words, loud=loud)


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%H:%M:%S")
