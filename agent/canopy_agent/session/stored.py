"""The sessions that are stored on disk, for one client: found by id, listed, forked, removed.

All work with files runs in a thread; which sessions are open is not known here.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.history import fork as forking
from canopy_agent.history.listing import ARCHIVED, PAGE, Listing, Row, title_of
from canopy_agent.history.store import Store, settle
from canopy_agent.history.tail import LastOptions, last_options
from canopy_agent.session.successions import newest, owners
from canopy_shared import jsonio
from canopy_shared.errors import internal_error, invalid_params, resource_not_found
from canopy_shared.ext import air

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

_CURSOR = re.compile(r"offset:(\d{1,9})")
_LONGEST_ARCHIVED = 200
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
        if directory is not None and not Path(directory).is_absolute():
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
        for at, row in enumerate(self._rows(directory)):
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

    def _rows(self, directory: str | None) -> Iterator[Row]:
        current = newest(self._directory)
        replaced = {*owners(self._directory), *current} - set(current.values())
        rows = self._listing.rows(
            directory,
            sessions={conversation: session for session, conversation in current.items()},
            replaced=replaced | self.held,
        )
        for row in rows:
            if not (self._profile.air and (row.named or "").startswith(ARCHIVED)):
                yield row

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

    async def archive(self, session_id: str) -> None:
        """Mark a session as archived in its title; one that is not stored is left alone."""
        stored = await self.find(session_id)
        if stored is None or (stored.title or "").startswith(ARCHIVED):
            return
        title = f"{ARCHIVED}{stored.title or ''}"[:_LONGEST_ARCHIVED].strip()
        row = {"type": "custom-title", "customTitle": title, "sessionId": stored.conversation}
        try:
            await asyncio.to_thread(_append, stored.path, jsonio.dumps(row) + b"\n")
        except OSError as error:
            raise internal_error(f"the session could not be archived: {error.strerror}") from error


def _append(path: Path, line: bytes) -> None:
    with path.open("ab") as file:
        file.write(line)


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
