"""Says that a session is not being stored, and why, before the person loses it.

Claude Code goes on without a word when its transcripts cannot be written; it looks at the disk
after a turn. What is stored, and where, is the store's.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.domain.facts import Noted
from canopy_agent.history.store import Store, settle

if TYPE_CHECKING:
    from canopy_agent.session.observer import Observer
    from canopy_agent.session.runtime import SessionRuntime

log = logging.getLogger(__name__)

_SOON, _LATER = 0.3, 1.7
"""Seconds before the looks: a CLI writes a little later than it speaks."""
_LITTLE: Final = 64 * 1024
NOT_STORED: Final = "This session is not being stored"


def obstacle(store: Store) -> str | None:
    """Why no transcript can be written, None when nothing is in the way. Blocking."""
    place = store.projects
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    if not place.is_dir():
        return f"{place} is not a directory"
    for folder in (place, *(store.folders() if place == store.projects else ())):
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"{folder} cannot be written"
    if shutil.disk_usage(place).free < _LITTLE:
        return f"no space is left on the disk of {place}"
    return None


class StorageWatch:
    """Watches one session, which is to be stored under ``config_directory``."""

    def __init__(self, config_directory: str, observer: Observer, runtime: SessionRuntime) -> None:
        self._store = Store(config_directory)
        self._observer = observer
        self._runtime = runtime
        self._looking: asyncio.Task[Any] | None = None
        self._seen: str | None = None
        self._told: str | None = None

    def turned(self) -> None:
        """Every prompt is answered."""
        if self._looking is None or self._looking.done():
            self._looking = self._runtime.spawn(self._look())

    async def _look(self) -> None:
        while (record := self._observer.last_record) is not None and record != self._seen:
            for seconds in (_SOON, _LATER):
                if await self._is_stored(record, seconds) or await self._tell():
                    break
            self._seen = record

    async def _is_stored(self, record: str, seconds: float) -> bool:
        await asyncio.sleep(seconds)
        path = await asyncio.to_thread(self._store.find, self._runtime.conversation_id)
        stored = path is not None and await asyncio.to_thread(settle, path, record)
        if stored:
            self._told = None
        return stored

    async def _tell(self) -> bool:
        """Say what is in the way; False when nothing is."""
        try:
            why = await asyncio.to_thread(obstacle, self._store)
        except OSError as error:
            why = error.strerror
        if why is None:
            log.info("a transcript is behind its session, or not wanted")
            return False
        if why != self._told:
            self._told = why
            words = f"{why[:1].upper()}{why[1:]}. What is said now is lost when the session closes."
            self._runtime.note(Noted("warning", NOT_STORED, words, advisory=True))
        return True
