"""The goal that a transcript ends with: Claude Code notes each check of it there.

Blocking; call it in a thread. Records are those of the CLI 2.1.332 (``goal_status`` attachments).
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from canopy_agent.history.tail import lines_backwards
from canopy_agent.history.transcript import Json, parse, section, text
from canopy_shared.ext.goal import Goal
from canopy_shared.ordinary import open_ordinary

_KIND = "goal_status"
_FARTHEST = 8 * 1024 * 1024
"""Bytes from the end after which nothing is looked for any more."""


def goal_of(path: Path | None) -> Goal | None:
    """The goal that is not reached yet; None for none, also without a file that can be read."""
    if path is None:
        return None
    checks, reason, spent = 0, None, 0
    try:
        with open_ordinary(path) as file:
            for raw in lines_backwards(file):
                spent += len(raw)
                record = parse(raw) if _KIND.encode() in raw else None
                status = section(record.get("attachment")) if record is not None else {}
                if status.get("type") == _KIND:
                    if status.get("met") is True or status.get("failed") is True:
                        return None  # it was reached, given up or cleared
                    condition = text(status.get("condition"))
                    if status.get("sentinel") is True or condition is None:
                        return _goal(condition, checks, reason, record or {})
                    checks += 1
                    reason = reason or text(status.get("reason"))
                if spent > _FARTHEST:
                    break
    except OSError:
        return None
    return None


def _goal(condition: str | None, checks: int, reason: str | None, record: Json) -> Goal | None:
    if not condition:
        return None
    return Goal(condition, checks, reason, _milliseconds(record.get("timestamp")))


def _milliseconds(value: Any) -> int | None:
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000)
    except (TypeError, ValueError):
        return None
