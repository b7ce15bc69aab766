"""How a stored session ended: its last prompt and model, whether its last turn is complete.

Blocking; call it in a thread. It reads the end of a transcript, and of its beginning only where it
was forked from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from canopy_agent.history.tail import lines_backwards
from canopy_agent.history.texts import blocks_of, is_hidden, notification_of
from canopy_agent.history.transcript import Json, parse, section, text
from canopy_shared.ordinary import open_ordinary

_FARTHEST = 512 * 1024
"""Bytes from the end after which nothing is looked for any more."""
_HEAD = 64 * 1024
_FORKED: Final = re.compile(rb'"forkedFrom": ?\{[^{}]*?"sessionId": ?"([0-9a-fA-F-]{36})"')
_INTERRUPTED: Final = "[Request interrupted by user"
_OPEN_STOPS: Final = frozenset({"tool_use", "pause_turn"})


@dataclass(frozen=True, slots=True)
class Ending:
    """Times are ISO 8601 as the transcript has them; ``open_since`` is set, in seconds since 1970,
    when the last turn has no end.
    """

    last_prompt_at: str | None = None
    model: str | None = None
    turn_ended_at: str | None = None
    open_since: float | None = None
    forked_from: str | None = None


def ending_of(path: Path) -> Ending:
    """What the transcript says of its end; nothing when it cannot be read."""
    scan, spent = _Scan(), 0
    try:
        with open_ordinary(path) as file:
            for raw in lines_backwards(file):
                spent += len(raw)
                record = parse(raw) if b'"assistant"' in raw or b'"user"' in raw else None
                if (record is not None and scan.take(record)) or spent > _FARTHEST:
                    break
            file.seek(0)
            forked = _FORKED.search(file.read(_HEAD))
    except OSError:
        return Ending()
    source = forked.group(1).decode() if forked is not None else None
    return Ending(scan.prompted, scan.model, scan.ended, scan.open_since, source)


class _Scan:
    """The records of a transcript from its end."""

    def __init__(self) -> None:
        self.prompted: str | None = None
        self.model: str | None = None
        self.ended: str | None = None
        self.open_since: float | None = None
        self._last_seen = False

    def take(self, record: Json) -> bool:
        """See one record; whether nothing more is wanted."""
        if record.get("isSidechain") is True or record.get("isMeta") is True:
            return False
        kind, when = record.get("type"), text(record.get("timestamp"))
        message = section(record.get("message"))
        if kind == "assistant":
            self._assistant(message, when)
        elif kind == "user" and not is_hidden(record):
            self._user(record, when)
        else:
            return False
        self._last_seen = True
        return self.prompted is not None and self.model is not None and self.ended is not None

    def _assistant(self, message: Json, when: str | None) -> None:
        model, stop = text(message.get("model")), message.get("stop_reason")
        if self.model is None and model and not model.startswith("<"):
            self.model = model
        complete = stop not in _OPEN_STOPS
        if complete and self.ended is None:
            self.ended = when
        if not complete and not self._last_seen:
            self.open_since = _seconds(when)

    def _user(self, record: Json, when: str | None) -> None:
        words = "".join(text(block.get("text")) or "" for block in blocks_of(record))
        results = any(block.get("type") == "tool_result" for block in blocks_of(record))
        interrupted = words.startswith(_INTERRUPTED)
        if interrupted and self.ended is None:
            self.ended = when
        if not self._last_seen and not interrupted:
            self.open_since = _seconds(when)
        said = not (results or interrupted) and notification_of(record) is None
        if said and self.prompted is None and not words.startswith("<"):
            self.prompted = when


def _seconds(when: str | None) -> float | None:
    try:
        return None if when is None else datetime.fromisoformat(when).timestamp()
    except ValueError:
        return None
