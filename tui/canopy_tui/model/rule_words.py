"""What a line across a transcript says: the end of a turn, the beginning of work outside one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_tui.model.words import still

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.entries import RuleEntry

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
_MARKDOWN = re.compile(r"[`*]+")


def rule_words(entry: RuleEntry, clock: Callable[[float], str], session: str = "") -> str:
    """One line. ``clock`` words a time; ``session`` is named as the one whose turn ended."""
    match entry.kind:
        case "after_turn":
            origin = _ORIGINS.get(entry.text, entry.text)
            if entry.detail:
                origin = f"follow-up: {_MARKDOWN.sub('', entry.detail)}"
            since = f" · after the turn of {clock(entry.at)}" if entry.at else ""
            return origin + since
        case "resumed":
            task = entry.text.strip().partition("\n")[0]
            return f"works again: {task}" if task else "works again"
        case _:
            how = _STOPS.get(entry.text, f"ended: {entry.text}" if entry.text else "ended")
            words = still(entry.running, 0, entry.held)
            after = f" · {words}" if words else ""
            whose = f"turn of {session}" if session else "turn"
            return f"{whose} {how} {clock(entry.at)}{after}"
