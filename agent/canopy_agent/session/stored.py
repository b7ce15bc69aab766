"""The sessions that are stored on disk, for one client: found by id, listed, forked, removed.

All work with files runs in a thread; which sessions are open is not known here.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.history import fork as forking
from canopy_agent.history import naming
from canopy_agent.history.listing import PAGE, Listing, Row, title_of
from canopy_agent.history.naming import is_archived
from canopy_agent.history.store import Store, is_place, settle
from canopy_agent.history.tail import LastOptions, last_options
from canopy_agent.session.successions import newest, owners
from canopy_shared.errors import internal_error, invalid_params, resource_not_found
from canopy_shared.ext import air

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_CURSOR = re.compile(r"offset:(\d{1,9})")
_SETTLE_TRIES, _SETTLE_WAIT = 100, 0.02
"""How often, and after how many seconds, a file is looked at that a CLI still writes to."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored session: the id of its conversation, its transcript, and what that says last."""

    conversation: str
    path: Path
    last: LastOptions
    title: str | None


class StoredSessions:
    """Sessions under one configuration directory."""

    def __init__(self, config_directory: str, profile: ClientProfile) -> None:
        self._directory = config_directory
        self._profile = profile
        self._store = Store(config_directory)
        self._listing = Listing(self._store)
        self.held: set[str] = set()
        """New sessions that no client has been told of yet: they are in no list."""

    def path_of(self, conversation: str) -> Path | None:
        """The transcript of a conversation. Blocking."""
        return self._store.find(conversation)

    async def find(self, session_id: str, conversation: str | None = None) -> Stored | None:
        """The stored session, None when there is none. ``conversation`` is its id on disk when
        that is known.
        """
        return await asyncio.to_thread(self._find, session_id, conversation)

    def _find(self, session_id: str, conversation: str | None) -> Stored | None:
        id_ = conversation or newest(self._directory).get(session_id, session_id)
        path = self._store.find(id_)
        if path is None:
            return None
        return Stored(id_, path, last_options(path), title_of(path))

    async def settled(self, path: Path, record: str | None) -> None:
        """Wait, within bounds, until the transcript holds ``record``, which the CLI has told of."""
        for _ in range(_SETTLE_TRIES):
            if record is None or await asyncio.to_thread(settle, path, record):
                return
            await asyncio.sleep(_SETTLE_WAIT)
        log.warning("the transcript %s is behind its session", path.name)

    # --- listing ----------------------------------------------------------------------------------

    async def page(self, directory: str | None, cursor: str | None) -> dict[str, Any]:
        """The result of ``session/list``. Raises invalid params."""
        if directory is not None and not is_place(directory):
            raise invalid_params("cwd must be an absolute path", {"cwd": directory})
        offset = 0
        if cursor is not None:
            found = _CURSOR.fullmatch(cursor)
            if found is None:
                raise invalid_params("cursor is none that session/list gave", {"cursor": cursor})
            offset = int(found.group(1))
        return await asyncio.to_thread(self._page, directory, offset)

    def _page(self, directory: str | None, offset: int) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        result: dict[str, Any] = {"sessions": rows}
        shown = (row for row in self.rows(directory) if not self._hides(row))
        for at, row in enumerate(shown):
            if at >= offset + PAGE:
                result["nextCursor"] = f"offset:{offset + PAGE}"
                break
            if at >= offset:
                rows.append(
                    {
                        "sessionId": row.id,
                        "cwd": row.cwd,
                        "title": row.title,
                        "updatedAt": row.updated_at,
                    }
                )
        return result

    def _hides(self, row: Row) -> bool:
        return self._profile.air and is_archived(row.named)

    def rows(self, directory: str | None) -> Iterator[Row]:
        """The sessions of a directory (None: of all), the newest first. Blocking."""
        current = newest(self._directory)
        replaced = {*owners(self._directory), *current} - set(current.values())
        return self._listing.rows(
            directory,
            sessions={conversation: session for session, conversation in current.items()},
            replaced=replaced | self.held,
        )

    # --- forking ----------------------------------------------------------------------------------

    async def fork(self, session_id: str, stored: Stored, new_id: str, meta: Json) -> Stored:
        """Copy a session under ``new_id``. Raises invalid params for a fork point that it does not
        have. Cancelled, it leaves nothing behind.
        """
        point = _fork_point(meta)
        after: str | None = None
        if point is not None:
            after = await asyncio.to_thread(forking.find_point, stored.path, point)
            if after is None:
                told = {"messageId": point.message_id}
                raise invalid_params("the session has no message with this id", told)
        work = asyncio.ensure_future(
            asyncio.to_thread(forking.fork, stored.path, new_id, after=after)
        )
        try:
            path = await asyncio.shield(work)
        except asyncio.CancelledError:
            with suppress(Exception):
                await work
            await self.remove(new_id)
            raise
        except forking.EmptyFork:
            raise resource_not_found(session_id) from None
        except OSError as error:
            raise internal_error(f"the session could not be copied: {error.strerror}") from error
        return Stored(new_id, path, stored.last, await asyncio.to_thread(title_of, path))

    # --- removing ---------------------------------------------------------------------------------

    async def remove(self, session_id: str) -> bool:
        """Delete a session for good; False when there was none. Raises an internal error."""
        try:
            return await asyncio.to_thread(self._remove, session_id)
        except OSError as error:
            raise internal_error(f"the session could not be deleted: {error.strerror}") from error

    def _remove(self, session_id: str) -> bool:
        ids = [session_id, *(c for c, s in owners(self._directory).items() if s == session_id)]
        removed = [self._store.delete(id_) for id_ in ids]
        return any(removed)

    # --- titles -----------------------------------------------------------------------------------

    async def archive(self, session_id: str) -> bool:
        """Mark a session as archived in its title; False for one that is not stored."""
        return await self._named(session_id, naming.archive)

    async def unarchive(self, session_id: str) -> bool:
        """Take that mark away; False for a session that is not stored."""
        return await self._named(session_id, naming.unarchive)

    async def rename(self, session_id: str, title: str) -> bool:
        """Give a session a person's title; False for one that is not stored."""
        return await self._named(session_id, lambda path: naming.rename(path, title))

    async def _named(self, session_id: str, change: Callable[[Path], None]) -> bool:
        stored = await self.find(session_id)
        if stored is None:
            return False
        try:
            await asyncio.to_thread(change, stored.path)
        except OSError as error:
            raise internal_error(f"the title could not be stored: {error.strerror}") from error
        return True


def _fork_point(meta: Json) -> forking.ForkPoint | None:
    """The fork point of ``_meta.jetbrains.air.fork``, None when there is none that counts."""
    given = (air.payload_of(meta) or {}).get("fork")
    if not isinstance(given, Mapping) or given.get("version") != 1:
        return None
    message = given.get("messageId")
    if not isinstance(message, str) or not message.strip():
        return None
    fingerprint, occurrence = given.get("messageFingerprint"), given.get("messageOccurrence")
    return forking.ForkPoint(
        message.strip(),
        fingerprint if isinstance(fingerprint, str) else None,
        occurrence if isinstance(occurrence, int) and not isinstance(occurrence, bool) else None,
    )
