"""Takes what the agent sends in small helpings, and none for a moment after a key.

A key goes through a dozen passes of the event loop until it is on screen, and all that an agent
sends while a session is loaded would come between. What is sent, and what a key does, is not known
here.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_shared.frames import Frame
    from canopy_shared.transport import Transport
    from canopy_tui.agents.agent_connection import AgentConnection, Ending, Launch

HELPING = 16
"""Frames that are taken at once: one or two milliseconds of work."""
REST = 0.024
"""Seconds that belong to a key alone: until it is painted, at 60 frames a second."""


class Courtesy:
    """``key`` with every key; whoever has much to do awaits ``breathe`` between its parts."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0

    def key(self) -> None:
        """The person does something."""
        self._until = self._clock() + REST

    async def breathe(self) -> None:
        """Let everybody else go on, and the last key be painted. Keys that keep coming do not hold
        it up any longer.
        """
        await asyncio.sleep(max(0.0, self._until - self._clock()))


class _CourteousTransport:
    def __init__(self, inner: Transport, courtesy: Courtesy) -> None:
        self._inner = inner
        self._courtesy = courtesy
        self._waiting: deque[Frame] = deque()

    def send(self, frame: Frame) -> None:
        self._inner.send(frame)

    async def receive(self) -> list[Frame]:
        await self._courtesy.breathe()
        if not self._waiting:
            self._waiting.extend(await self._inner.receive())
        return [self._waiting.popleft() for _ in range(min(HELPING, len(self._waiting)))]

    async def drained(self) -> None:
        await self._inner.drained()

    async def aclose(self) -> None:
        await self._inner.aclose()


class _CourteousAgent:
    def __init__(self, inner: AgentConnection, courtesy: Courtesy) -> None:
        self._inner = inner
        self.transport: Transport = _CourteousTransport(inner.transport, courtesy)

    def heard(self) -> str:
        return self._inner.heard()

    async def ending(self) -> Ending:
        return await self._inner.ending()

    async def aclose(self) -> None:
        await self._inner.aclose()


def courteous(launch: Launch, courtesy: Courtesy) -> Launch:
    """``launch``, with what its agents send taken in helpings."""

    async def start() -> AgentConnection:
        return _CourteousAgent(await launch(), courtesy)

    return start
