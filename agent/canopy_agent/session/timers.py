"""Named timers of a session; one of a name runs at a time.

What a timer is for is the core's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Timers:
    """Calls ``fired(name)`` when a timer ran out."""

    def __init__(self, fired: Callable[[str], None]) -> None:
        self._fired = fired
        self._running: dict[str, asyncio.TimerHandle] = {}

    def start(self, name: str, seconds: float) -> None:
        """Begin, or begin anew."""
        self.stop(name)
        loop = asyncio.get_running_loop()
        self._running[name] = loop.call_later(seconds, self._ran_out, name)

    def stop(self, name: str) -> None:
        """Forget a timer; one that does not run is forgotten already."""
        timer = self._running.pop(name, None)
        if timer is not None:
            timer.cancel()

    def stop_all(self) -> None:
        """Forget every timer."""
        for name in list(self._running):
            self.stop(name)

    def _ran_out(self, name: str) -> None:
        self._running.pop(name, None)
        self._fired(name)
