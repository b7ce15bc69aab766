"""A line across the transcript: where a turn ended, and where work outside a turn begins.

The words stand in the line, so that it reads without colour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from canopy_tui.model.sanitize import visible
from canopy_tui.view.labels import still
from canopy_tui.view.strips import Row, fitted

if TYPE_CHECKING:
    from canopy_tui.model.entries import RuleEntry
    from canopy_tui.view.strips import Paper

_STOPS = {
    "end_turn": "ended",
    "not_said": "ended (the agent did not say why)",
    "cancelled": "stopped",
    "max_tokens": "ended at the token limit",
    "max_turn_requests": "ended at the request limit",
    "refusal": "ended: the model refused",
    "error": "failed",
    "disconnected": "cut off: the agent is gone",
}
_ORIGINS = {
    "background": "background",
    "task-notification": "follow-up: a background task reported",
    "scheduled": "scheduled",
    "peer": "peer message",
    "coordinator": "message of the coordinator",
    "observer": "message of an observer",
    "observer-activity": "message of an observer",
    "command": "command",
}
_SHORT = 16
"""Cells of a name that leaves room for what else is to be said; in its own pane it says little."""
_MARKDOWN = re.compile(r"[`*]+")


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
    match entry.kind:
        case "after_turn":
            origin = _ORIGINS.get(entry.text, entry.text)
            if entry.detail:
                origin = f"follow-up: {_MARKDOWN.sub('', entry.detail)}"
            since = f" · after the turn of {_clock(entry.at)}" if entry.at else ""
            return Rule(origin + since, after_turn=True)
        case "resumed":
            task = entry.text.strip().partition("\n")[0]
            return Rule(f"works again: {task}" if task else "works again")
        case _:
            how = _STOPS.get(entry.text, f"ended: {entry.text}" if entry.text else "ended")
            words = still(entry.running, 0, entry.held)
            after = f" · {words}" if words else ""
            whose = f"turn of {session}" if cell_len(session) <= _SHORT else "turn"
            words = f"{whose} {how} {_clock(entry.at)}{after}"
            return Rule(words, loud=entry.text not in ("end_turn", "cancelled", ""))


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at).strftime("%H:%M:%S")
