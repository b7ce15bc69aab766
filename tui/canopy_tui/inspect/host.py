"""Stands where the controller stands when there is an agent: shows and follows a stored session.

It sends nothing to anybody; who reads the files is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_tui.host.frame_pump import FramePump
from canopy_tui.inspect.story import Story
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.catalogue import ListedSession
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Problem, Touched

if TYPE_CHECKING:
    from canopy_tui.host.frame_pump import Schedule
    from canopy_tui.model.stored import Past, Reading, Source

log = logging.getLogger(__name__)

LOOK = 1.0
"""Seconds between two looks at the files."""
_SHARE = 4
"""A look waits so many times as long as the last reading took: a huge session is read seldom."""
_BATCH = 500
_ANOTHER = "{sessions} lists what there is."


class InspectHost:
    """``reading`` is what the files said last; ``problem`` why they could not be read. Without a
    ``source`` nothing is shown until one of ``past`` is opened.
    """

    def __init__(
        self,
        source: Source | None,
        *,
        past: Past | None = None,
        schedule: Schedule,
        on_touched: Callable[[Touched], None],
        pause: float = LOOK,
    ) -> None:
        self.state = ClientState()
        self.reading: Reading | None = None
        self.problem = ""
        self.source = source
        self.past = past
        self._listing: set[asyncio.Task[None]] = set()
        self._pump = FramePump(on_touched, schedule)
        self._pause = pause
        self._story = Story()
        self._watched: frozenset[str] = frozenset()
        self._taking = False
        self._following: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Read the session, and whatever is added to it."""
        if self.past is not None:
            can: dict[str, Any] = {"sessionCapabilities": {"list": {}}}
            self._apply(e.LinkChanged(status="ready", capabilities=can, at=time.time()))
        if self.source is not None:
            self._begin(self.source)

    def _begin(self, source: Source) -> None:
        self.source, self.reading, self.problem = source, None, ""
        self._story = Story()
        self._following = asyncio.get_running_loop().create_task(self._follow(source))

    async def aclose(self) -> None:
        """Follow no more."""
        self._pump.stop()
        for task in (self._following, *self._listing):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    def act(self, intent: i.Intent) -> None:
        """Only what is in view, the list, and which session is open changes anything."""
        if isinstance(intent, i.ListSessions):
            task = asyncio.get_running_loop().create_task(self._list(intent))
            self._listing.add(task)
            task.add_done_callback(self._listing.discard)
        elif isinstance(intent, i.LoadSession):
            self._open(intent.session)
        elif isinstance(intent, i.Watch) and intent.sessions != self._watched:
            self._watched = intent.sessions
            if not self._taking:
                self._apply(e.Watched(intent.sessions))

    def now(self) -> float:
        """The present of a session that goes on; the end of one that is over."""
        reading = self.reading
        if reading is None or reading.running or not reading.told:
            return time.time()
        return reading.told[-1].at

    def _open(self, session: str) -> None:
        """Look at another session in place of the one that is shown."""
        source = self.past.open(session) if self.past is not None else None
        if source is None:
            problem = Problem("The session was not opened", "It is not stored any more.", _ANOTHER)
            self._apply(e.ProblemMet(problem))
            return
        if self._following is not None:
            self._following.cancel()
        for root in tuple(self.state.roots):
            self._apply(e.SessionClosed(session=root))
        self._begin(source)

    async def _list(self, wanted: i.ListSessions) -> None:
        query, catalogue = wanted.query, self.state.catalogue
        if self.past is None or (catalogue.loading and catalogue.query == query):
            return
        start = len(catalogue.rows) if wanted.more and catalogue.query == query else 0
        self._apply(e.SessionsAsked(query, wanted.more))
        try:
            found, more = await self.past.page(query.cwd, start)
        except OSError as error:
            self._apply(e.ListingFailed(query, error.strerror or str(error)))
            return
        rows = tuple(
            ListedSession(id=row.id, cwd=row.cwd, title=row.title, updated_at=row.updated_at)
            for row in found
        )
        self._apply(e.SessionsListed(query, rows, "more" if more else None))

    async def _follow(self, source: Source) -> None:
        while True:
            began = time.monotonic()
            try:
                if await source.changed():
                    await self._take(await source.read())
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
