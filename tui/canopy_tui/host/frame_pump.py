"""Paints at most so many times a second, however fast the state changes, and never without cause.

It knows neither the state nor the screen; waiting is done by whoever gives ``schedule``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from canopy_tui.model.state import Touched

LOCAL_RATE = 20.0
REMOTE_RATE = 10.0
"""Frames a second: a frame of a scrolling transcript is about 13 kB on the terminal."""
LOADING_RATE = 4.0
"""Frames a second while a session is loaded: nobody reads along, and painting all of them would
take as long as the load.
"""

_SLACK = 0.25
"""A frame that comes early by this part of an interval is not put off."""

Schedule = Callable[[float, Callable[[], None]], object]
"""Calls the callback once, in so many seconds."""


def frame_rate(environment: Mapping[str, str]) -> float:
    """Frames a second for this terminal: fewer over SSH."""
    return REMOTE_RATE if environment.get("SSH_CONNECTION") else LOCAL_RATE


class FramePump:
    """Gathers what was touched and hands it on once a frame; ``loading`` says whether a session is
    being loaded.
    """

    def __init__(
        self,
        paint: Callable[[Touched], None],
        schedule: Schedule,
        *,
        rate: float = LOCAL_RATE,
        clock: Callable[[], float] = time.monotonic,
        loading: Callable[[], bool] = lambda: False,
    ) -> None:
        self._paint = paint
        self._schedule = schedule
        self._interval = 1.0 / rate
        self._loading = loading
        self._clock = clock
        self._touched = Touched()
        self._painted_at = self._planned_after = -self._interval
        self._due = False
        self._stopped = False

    def add(self, touched: Touched) -> None:
        """Paint ``touched`` with the next frame; requests and the connection are painted now."""
        if not touched or self._stopped:
            return
        self._touched.merge(touched)
        if touched.requests or touched.link:
            self.flush()
        elif not self._due:
            self._plan()

    def stop(self) -> None:
        """Paint nothing any more: there is no screen."""
        self._stopped = True
        self._touched = Touched()

    def _wait(self) -> float:
        slow = 1.0 / LOADING_RATE if self._loading() else 0.0
        return self._painted_at + max(self._interval, slow) - self._clock()

    def _plan(self) -> None:
        self._due, self._planned_after = True, self._painted_at
        self._schedule(max(0.0, self._wait()), self._frame)

    def _frame(self) -> None:
        """Paint, unless something was painted at once since this frame was planned."""
        self._due = False
        too_early = self._painted_at != self._planned_after
        if too_early and self._touched and self._wait() > self._interval * _SLACK:
            self._plan()
        else:
            self.flush()

    def flush(self) -> None:
        """Paint what is pending, if anything is."""
        if not self._touched:
            return
        touched, self._touched = self._touched, Touched()
        self._painted_at = self._clock()
        self._paint(touched)
