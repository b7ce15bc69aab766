"""Stands where the controller stands when there is an agent: shows and follows a stored session.

It sends nothing to anybody; who reads the files is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from canopy_tui.frame_pump import FramePump
from canopy_tui.inspect.story import Story
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Touched

if TYPE_CHECKING:
    from canopy_tui.frame_pump import Schedule
    from canopy_tui.model.stored import Reading, Source

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at the files."""
_SHARE = 4
"""A look waits so many times as long as the last reading took: a huge session is read seldom."""
_BATCH = 500


class InspectHost:
    """``reading`` is what the files said last; ``problem`` why they could not be read."""

    def __init__(
        self,
        source: Source,
        *,
        schedule: Schedule,
        on_touched: Callable[[Touched], None],
        pause: float = LOOK,
    ) -> None:
        self.state = ClientState()
        self.reading: Reading | None = None
        self.problem = ""
        self._source = source
        self._pump = FramePump(on_touched, schedule)
        self._pause = pause
        self._story = Story()
        self._watched: frozenset[str] = frozenset()
        self._taking = False
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Read the session, and whatever is added to it."""
        self._following = asyncio.get_running_loop().create_task(self._follow())

    async def aclose(self) -> None:
        """Follow no more."""
        self._pump.stop()
        if self._following is not None:
            self._following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._following

    def act(self, intent: i.Intent) -> None:
        """Only what is in view changes anything."""
        if isinstance(intent, i.Watch) and intent.sessions != self._watched:
            self._watched = intent.sessions
            if not self._taking:
                self._apply(e.Watched(intent.sessions))

    def now(self) -> float:
        """The present of a session that goes on; the end of one that is over."""
        reading = self.reading
        if reading is None or reading.running or not reading.told:
            return time.time()
        return reading.told[-1].at

    async def _follow(self) -> None:
        while True:
            began = time.monotonic()
            try:
                if await self._source.changed():
                    await self._take(await self._source.read())
            except OSError as error:
                self._fails(error.strerror or str(error))
            except Exception as error:
                log.exception("a session could not be read")
                self._fails(str(error))
            took = time.monotonic() - began
            await asyncio.sleep(self._pause + took * _SHARE)

    async def _take(self, reading: Reading) -> None:
        self.reading, self.problem = reading, ""
        self._taking = True
        try:
            for number, event in enumerate(self._story.events(reading)):
                self._apply(event)
                if number % _BATCH == _BATCH - 1:
                    await asyncio.sleep(0)
        finally:
            self._taking = False
        self._apply(e.Watched(self._watched))

    def _fails(self, why: str) -> None:
        if self.problem == why:
            return
        self.problem = why
        if self.reading is None:
            self._apply(e.LinkChanged(status="failed", detail=why, at=time.time()))

    def _apply(self, event: e.Event) -> None:
        self._pump.add(reduce(self.state, event))
