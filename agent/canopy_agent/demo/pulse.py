"""Wait for conditions over state that changes inside one event loop: gates, turns, a log.

It knows no sockets and no rules; whoever changes state calls `beat`, whoever waits gives a
condition.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable


class Pulse:
    """Wakes everybody who waits, whenever something has changed."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def beat(self) -> None:
        """Something has changed: look again."""
        current, self._next = self._next, asyncio.Event()
        current.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds."""
        while not condition():
            await self._next.wait()

    async def within(
        self, condition: Callable[[], bool], bound: float, what: Callable[[], str]
    ) -> None:
        """The same with a bound in seconds; a `TimeoutError` then says `what()` was missed."""
        try:
            async with asyncio.timeout(bound):
                await self.until(condition)
        except TimeoutError:
            raise TimeoutError(f"not within {bound:g} s: {what()}") from None


class Gates:
    """Named gates that hold scripted answers until a test releases them."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._open: set[str] = set()
        self._arrivals: Counter[str] = Counter()

    def release(self, name: str) -> None:
        """Open a gate for good."""
        self._open.add(name)
        self._pulse.beat()

    def arrivals(self, name: str) -> int:
        """How many answers have come to a gate so far, held or not."""
        return self._arrivals[name]

    async def enter(self, name: str) -> None:
        """Arrive at a gate and wait until it is open."""
        self._arrivals[name] += 1
        self._pulse.beat()
        await self._pulse.until(lambda: name in self._open)


class Turns:
    """When each agent was first seen and when the main agent of each session last ended a turn."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._begun: dict[str, float] = {}
        self._ended: dict[str, float] = {}

    def seen(self, agent_id: str) -> None:
        """A request of this subagent came."""
        self._begun.setdefault(agent_id, _now())

    def ended(self, session_id: str) -> None:
        """The main agent of this session has been given the end of a turn."""
        self._ended[session_id] = _now()
        self._pulse.beat()

    async def after(self, session_id: str, agent_id: str, at_most: float, grace: float) -> None:
        """Wait until the session's turn has ended since the agent began, and was over for `grace`.

        Gives up after `at_most` seconds.
        """
        begun = self._begun.get(agent_id, 0.0)
        try:
            async with asyncio.timeout(at_most):
                await self._pulse.until(lambda: self._ended.get(session_id, 0.0) > begun)
        except TimeoutError:
            return
        await asyncio.sleep(self._ended[session_id] + grace - _now())


def _now() -> float:
    return asyncio.get_running_loop().time()
