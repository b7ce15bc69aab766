"""A key that must come twice: the first press only says what the second would do.

Pure: the times are given, in seconds of any monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass

WINDOW = 2.0
"""So long the second press is waited for."""


@dataclass(slots=True)
class Arming:
    """``name`` is what was pressed once, None when nothing was."""

    name: str | None = None
    at: float = 0.0

    def press(self, name: str, now: float) -> bool:
        """Whether this press is the second one in time; otherwise it is the first."""
        second = self.name == name and now - self.at <= WINDOW
        self.name = None if second else name
        self.at = now
        return second
