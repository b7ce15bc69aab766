"""A connection inside one process: a linked pair of transports that hand objects over as they are.

No JSON and no copy, so a sent frame must not be changed afterwards; the pair knows nothing of what
it carries.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from canopy_shared.coalesce import coalesce

if TYPE_CHECKING:
    from canopy_shared.frames import Frame

HIGH_WATER = 256
"""Frames that may wait before :meth:`InProcessTransport.drained` holds the sender back."""


class InProcessTransport:
    """One end of a pair. Both ends belong to the same event loop."""

    __slots__ = ("_arrived", "_closed", "_inbox", "_other", "_relieved")

    def __init__(self) -> None:
        self._inbox: deque[Frame] = deque()
        self._arrived = asyncio.Event()
        self._relieved = asyncio.Event()
        self._relieved.set()
        self._closed = False
        self._other: InProcessTransport | None = None

    def send(self, frame: Frame) -> None:
        """Hand ``frame`` to the other end."""
        other = self._other
        if self._closed or other is None or other._closed:
            return
        other._inbox.append(frame)
        other._arrived.set()
        if len(other._inbox) >= HIGH_WATER:
            other._relieved.clear()

    async def receive(self) -> list[Frame]:
        """All frames that wait, neighbouring text deltas joined."""
        while not self._inbox:
            if self._closed:
                return []
            self._arrived.clear()
            await self._arrived.wait()
        frames = coalesce(self._inbox)
        self._inbox.clear()
        self._relieved.set()
        return frames

    async def drained(self) -> None:
        """Wait while the other end has more than :data:`HIGH_WATER` frames to read."""
        other = self._other
        if other is not None and not other._closed:
            await other._relieved.wait()

    async def aclose(self) -> None:
        """End both directions; frames that already wait can still be received."""
        for end in (self, self._other):
            if end is not None and not end._closed:
                end._closed = True
                end._arrived.set()
                end._relieved.set()


def linked_pair() -> tuple[InProcessTransport, InProcessTransport]:
    """Two transports, each the other's far end."""
    a, b = InProcessTransport(), InProcessTransport()
    a._other, b._other = b, a
    return a, b
