"""A count that does not flicker: it falls to nothing only after nothing was there for a moment.

Between the end of one agent and the turn that follows from it nothing runs for some milliseconds;
that is no news to anybody. Pure: the times are given, in seconds of any clock.
"""

from __future__ import annotations

from dataclasses import dataclass

MOMENT = 0.3
"""So long nothing must be there before the count says so."""


@dataclass(slots=True)
class Steady:
    """``last`` is what was there last, ``at`` when."""

    last: int = 0
    at: float = 0.0

    def shown(self, number: int, now: float) -> int:
        """What to show for ``number`` at ``now``."""
        if number or not 0 <= now - self.at < MOMENT:
            self.last = number
        if number:
            self.at = now
        return self.last
