"""Keeps what the interpreter does beside the program from holding up keys.

A full collection of garbage looks at everything there is, which takes a tenth of a second and more
after long sessions: it waits until nobody types. It knows neither keys nor what is collected.
"""

from __future__ import annotations

import gc
import sys
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

HAND_OVER: float = 0.0002
"""Seconds after which a thread that waits for the interpreter gets it. Textual reads keys and
writes to the terminal on threads of their own; with the usual 5 ms they get no turn at all while an
event loop is busy whose passes are shorter.
"""
PATIENCE = 1.0
"""Seconds without a key after which nobody types."""
_NEVER = 1_000_000_000
_LEAST = 50_000
"""New objects for which a full collection is not worth it."""
_MOST = 4_000_000
"""New objects above those that were there, at which a full collection waits for nobody."""


class Garbage(Protocol):
    """The collector of the interpreter."""

    def new(self) -> int:
        """Objects that were made since the last full collection, about."""

    def collect(self) -> int:
        """Collect everything; how many objects are left."""


class _Interpreters:
    def new(self) -> int:
        young, middle, _ = gc.get_threshold()
        return gc.get_count()[2] * young * middle

    def collect(self) -> int:
        gc.collect()
        return len(gc.get_objects())


class Calm:
    """``used`` with every key; ``look`` about once a second."""

    def __init__(
        self, garbage: Garbage | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._garbage: Garbage = garbage or _Interpreters()
        self._clock = clock
        self._used = clock()
        self._kept = 0

    @staticmethod
    def begin() -> None:
        """Leave full collections to :meth:`look`, and let waiting threads go on soon."""
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        sys.setswitchinterval(HAND_OVER)

    def used(self) -> None:
        """The person does something."""
        self._used = self._clock()

    def look(self) -> None:
        """Collect everything when it is worth it and nobody types."""
        new = self._garbage.new()
        if new < max(_LEAST, self._kept // 4):  # a quarter: the interpreter's own measure
            return
        if self._clock() - self._used >= PATIENCE or new > self._kept + _MOST:
            self._kept = self._garbage.collect()
