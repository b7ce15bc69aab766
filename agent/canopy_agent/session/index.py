"""The session index: stored sessions with what is known of each, filtered, in pages, by id.

All work with files runs in a thread. Who hears of changes is the business of ``list_changes``.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.history.ends import Ending, ending_of
from canopy_agent.history.naming import is_archived, without_mark
from canopy_agent.history.registry import running_elsewhere
from canopy_agent.history.store import is_place
from canopy_agent.history.worktrees import is_agents_own, worktrees_of
from canopy_shared import jsonio
from canopy_shared.errors import AcpError, invalid_params
from canopy_shared.ext.session_index import IDLE, RUNNING, SessionFacts, wrap
from canopy_shared.extension_requests import ListFilter

if TYPE_CHECKING:
    from canopy_agent.history.listing import Row
    from canopy_agent.session.activity import Activity
    from canopy_agent.session.stored import StoredSessions

UNFINISHED_SECONDS: Final = 600.0
"""How long a turn without an end counts as running, when nothing else is known of its session."""


def absolute(cwd: str) -> str:
    """``cwd``, which has to be an absolute path. Raises invalid params."""
    if not is_place(cwd):
        raise invalid_params("cwd must be an absolute path", {"cwd": cwd})
    return cwd


@dataclass(frozen=True, slots=True)
class Entry:
    """One session of the index."""

    row: Row
    facts: SessionFacts

    @property
    def place(self) -> tuple[int, str]:
        """Its place in a list, which begins with the greatest."""
        return self.row.updated, self.row.id

    def shown(self) -> dict[str, Any]:
        """The row as a client gets it."""
        return {
            "sessionId": self.row.id,
            "cwd": self.row.cwd,
            "title": without_mark(self.row.title),
            "updatedAt": self.row.updated_at,
            "_meta": wrap(self.facts),
        }


class SessionIndex:
    """The index of one client. ``open_sessions`` gives what its open sessions are doing, by id."""

    def __init__(
        self,
        config_directory: str,
        stored: StoredSessions,
        open_sessions: Callable[[], Mapping[str, Activity]],
    ) -> None:
        self._directory = config_directory
        self._stored = stored
        self._open = open_sessions
        self._endings: dict[str, tuple[int, Ending]] = {}
        self._reading = Lock()
        """Several requests may be at the files, each in its thread; what was read is shared."""

    async def page(self, cwd: str | None, cursor: str | None, wanted: ListFilter) -> dict[str, Any]:
        """The result of ``session/list``. Raises invalid params."""
        if cwd is not None:
            absolute(cwd)
        after = None if cursor is None else _place_of(cursor, _bound_to(cwd, wanted))
        entries, more = await asyncio.to_thread(self._page, cwd, wanted, after, self._open())
        result: dict[str, Any] = {"sessions": [entry.shown() for entry in entries]}
        if more:
            result["nextCursor"] = _cursor(entries[-1].place, _bound_to(cwd, wanted))
        return result

    def _page(
        self,
        cwd: str | None,
        wanted: ListFilter,
        after: tuple[int, str] | None,
        open_sessions: Mapping[str, Activity],
    ) -> tuple[list[Entry], bool]:
        entries: list[Entry] = []
        elsewhere = running_elsewhere(self._directory)
        with self._reading:
            for row in self._rows(cwd, worktrees=wanted.worktrees):
                archived = is_archived(row.named)
                kept = wanted.archived == "all" or archived == (wanted.archived == "archived")
                if not kept or (after is not None and (row.updated, row.id) >= after):
                    continue
                if len(entries) == wanted.limit:
                    return entries, True
                entries.append(self._entry(row, open_sessions, elsewhere))
        return entries, False

    def _rows(self, cwd: str | None, *, worktrees: bool) -> Iterator[Row]:
        if cwd is None or not worktrees:
            yield from self._stored.rows(cwd)
            return
        found = {row.id: row for place in worktrees_of(cwd) for row in self._stored.rows(place)}
        yield from sorted(found.values(), key=lambda row: (row.updated, row.id), reverse=True)

    async def get(self, ids: tuple[str, ...]) -> list[dict[str, Any]]:
        """The rows of sessions by id, in that order; unknown ones are left out."""
        open_sessions = self._open()
        entries = await asyncio.to_thread(self._entries, None, open_sessions, set(ids))
        known = {entry.row.id: entry for entry in entries}
        return [known[id_].shown() for id_ in ids if id_ in known]

    async def entries(self, cwd: str) -> list[Entry]:
        """Every session of a directory, the newest first."""
        return await asyncio.to_thread(self._entries, cwd, self._open(), None)

    def _entries(
        self, cwd: str | None, open_sessions: Mapping[str, Activity], ids: set[str] | None
    ) -> list[Entry]:
        elsewhere = running_elsewhere(self._directory)
        with self._reading:
            rows = (row for row in self._stored.rows(cwd) if ids is None or row.id in ids)
            return [self._entry(row, open_sessions, elsewhere) for row in rows]

    # --- one session ------------------------------------------------------------------------------

    def _entry(
        self, row: Row, open_sessions: Mapping[str, Activity], elsewhere: Mapping[str, str]
    ) -> Entry:
        ending, activity = self._ending(row), open_sessions.get(row.id)
        ended_at, cost = ending.turn_ended_at, None
        if activity is not None:
            state = activity.state
            ended_at, cost = activity.turn_ended_at or ended_at, activity.cost
        else:
            state = elsewhere.get(row.id) or _guessed(ending)
        facts = SessionFacts(
            is_archived(row.named),
            ending.last_prompt_at,
            ending.model,
            ending.forked_from,
            is_agents_own(row.cwd),
            state,
            ended_at,
            cost,
        )
        return Entry(row, facts)

    def _ending(self, row: Row) -> Ending:
        known = self._endings.get(row.path)
        if known is not None and known[0] == row.updated:
            return known[1]
        ending = ending_of(Path(row.path))
        self._endings[row.path] = (row.updated, ending)
        return ending


def _guessed(ending: Ending) -> str:
    since = ending.open_since
    return RUNNING if since is not None and time.time() - since < UNFINISHED_SECONDS else IDLE


# --- cursors --------------------------------------------------------------------------------------


def _bound_to(cwd: str | None, wanted: ListFilter) -> str:
    """What a cursor belongs to: another directory or filter has other places."""
    asked = jsonio.dumps([cwd, wanted.archived, wanted.worktrees])
    return hashlib.sha256(asked).hexdigest()[:16]


def _cursor(place: tuple[int, str], bound: str) -> str:
    return base64.urlsafe_b64encode(jsonio.dumps({"after": place, "of": bound})).decode()


def _place_of(cursor: str, bound: str) -> tuple[int, str]:
    try:
        value = jsonio.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        updated, id_ = value["after"]
        if value["of"] == bound and isinstance(updated, int) and isinstance(id_, str):
            return updated, id_
    except (ValueError, TypeError, KeyError):
        pass
    raise _foreign_cursor()


def _foreign_cursor() -> AcpError:
    return invalid_params("cursor is none that session/list gave for this cwd and these filters")
