"""Who wants to hear of changes in the session index, and what is told to whom.

Changes wait a little for others, in order and within bounds; how rows are made is the index's.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.session.index import Entry
from canopy_shared.errors import invalid_request

log = logging.getLogger(__name__)

QUIET: Final = 0.15
"""Seconds without a further change before a change is told."""
LONGEST_WAIT: Final = 1.0
APART: Final = 1.0
"""Seconds between two changes of one session."""
RESCAN: Final = 10.0
MOST_SUBSCRIPTIONS: Final = 128
MOST_ROWS: Final = 200

Json = dict[str, Any]
Entries = Callable[[str], Awaitable[list[Entry]]]


@dataclass(slots=True)
class Subscription:
    """What one subscriber knows: the rows it was told of, by session, and when."""

    cwd: str
    told: dict[str, Json] = field(default_factory=dict)
    at: dict[str, float] = field(default_factory=dict)

    def begin(self, entries: list[Entry]) -> None:
        """What the subscriber can have from a list."""
        self.told = {entry.row.id: entry.shown() for entry in entries}

    def news(self, entries: list[Entry], now: float) -> tuple[list[Json], list[str], bool]:
        """Rows that changed, newest first, ids that are gone, and whether more has to wait.

        A row that is only newer did not change.
        """
        rows: list[Json] = []
        waits = False
        for entry in entries:
            row, known = entry.shown(), self.told.get(entry.row.id)
            if known is not None and _same(row, known):
                continue
            early = known is not None and now - self.at.get(entry.row.id, -APART) < APART
            if early or len(rows) == MOST_ROWS:
                waits = True
                continue
            rows.append(row)
            self.told[entry.row.id] = row
            self.at[entry.row.id] = now
        present = {entry.row.id for entry in entries}
        removed = [id_ for id_ in self.told if id_ not in present]
        for id_ in removed:
            del self.told[id_]
            self.at.pop(id_, None)
        return rows, removed, waits


def _same(row: Json, known: Json) -> bool:
    ignored = {"updatedAt": ""}
    return row | ignored == known | ignored


class ListChanges:
    """The subscriptions of one client. ``entries`` gives the sessions of a directory, ``tell``
    sends a notification's parameters.
    """

    def __init__(self, entries: Entries, tell: Callable[[Json], None]) -> None:
        self._entries = entries
        self._tell = tell
        self._subscriptions: dict[str, Subscription] = {}
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def subscribe(self, cwd: str) -> str:
        """Begin to tell of changes in ``cwd``; gives the subscription's id. Raises invalid request
        when there are too many.
        """
        if len(self._subscriptions) >= MOST_SUBSCRIPTIONS:
            raise invalid_request(f"at most {MOST_SUBSCRIPTIONS} subscriptions can be open")
        id_, subscription = str(uuid.uuid4()), Subscription(cwd)
        subscription.begin(await self._entries(cwd))
        self._subscriptions[id_] = subscription
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="session-list-changes")
        return id_

    def unsubscribe(self, id_: str) -> None:
        """Tell no more; an unknown subscription is over already."""
        self._subscriptions.pop(id_, None)
        if not self._subscriptions:
            self._stop()

    def poke(self) -> None:
        """Something about a session may have changed."""
        self._changed.set()

    async def aclose(self) -> None:
        """The connection is over."""
        self._subscriptions.clear()
        task = self._stop()
        if task is not None:
            await asyncio.wait({task}, timeout=5.0)

    def _stop(self) -> asyncio.Task[None] | None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        return task

    async def _run(self) -> None:
        pause = RESCAN
        while True:
            await self._wait(pause)
            try:
                pause = APART if await self._look() else RESCAN
            except Exception:
                log.exception("changes of the session list could not be told")
                pause = RESCAN

    async def _wait(self, pause: float) -> None:
        """Wait for a change and for the quiet after it, or for ``pause`` seconds."""
        try:
            async with asyncio.timeout(pause):
                await self._changed.wait()
        except TimeoutError:
            return
        try:
            async with asyncio.timeout(LONGEST_WAIT):
                while self._changed.is_set():
                    self._changed.clear()
                    await asyncio.sleep(QUIET)
        except TimeoutError:
            self._changed.clear()

    async def _look(self) -> bool:
        """Tell every subscriber what is new; whether something has to wait."""
        waits, now = False, asyncio.get_running_loop().time()
        found: dict[str, list[Entry]] = {}
        for id_, subscription in list(self._subscriptions.items()):
            if subscription.cwd not in found:
                found[subscription.cwd] = await self._entries(subscription.cwd)
            if id_ not in self._subscriptions:
                continue
            rows, removed, later = subscription.news(found[subscription.cwd], now)
            waits = waits or later
            if rows or removed:
                self._tell({"subscriptionId": id_, "sessions": rows, "removed": removed})
        return waits
