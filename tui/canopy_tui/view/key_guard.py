"""When a key counts for a request that has just appeared, and when it was meant for the message.

Pure: the times are given (seconds of any monotonic clock), and no widget is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

QUIET = 0.3
"""So long after a request appeared a key does not count for it."""
QUIET_OVER_DRAFT = 0.8
"""The same when it opened by itself over a message half written."""
IDLE = 1.0
"""A request opens by itself over a draft only when no key came for so long."""


class Verdict(Enum):
    """What to do with a key."""

    PASS = "pass"
    IGNORE = "ignore"
    GIVE_BACK = "give back"
    """The person is typing: the request steps back and the key goes where it was meant for."""


@dataclass(slots=True)
class KeyGuard:
    """Guards one request on screen. ``by_person``: it was asked for, so nobody is surprised."""

    appeared: float
    by_person: bool
    over_draft: bool = False

    def verdict(self, now: float, *, types_text: bool, harmless: bool = False) -> Verdict:
        """Judge a key at ``now``. ``types_text``: it would write a character; ``harmless``: it can
        answer nothing, so that it counts at any time.
        """
        if harmless:
            return Verdict.PASS
        quiet = QUIET_OVER_DRAFT if self.over_draft and not self.by_person else QUIET
        if now - self.appeared >= quiet:
            return Verdict.PASS
        return Verdict.GIVE_BACK if types_text and not self.by_person else Verdict.IGNORE


def may_open(now: float, last_key: float, *, typing: bool) -> bool:
    """Whether a request may open by itself now. ``typing``: something is half written."""
    return not typing or now - last_key >= IDLE
