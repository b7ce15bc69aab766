"""The sessions of a client that keeps an index of them: listed, renamed, archived, followed.

It joins what is stored with what is open; each part of the work is done elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.history.naming import is_archived, without_mark
from canopy_agent.session.index import SessionIndex, absolute
from canopy_agent.session.list_changes import ListChanges
from canopy_shared import methods as m
from canopy_shared.errors import resource_not_found
from canopy_shared.ext import session_index as si
from canopy_shared.extension_requests import ListFilter
from canopy_shared.updates import SessionInfoUpdate, SessionUpdate

if TYPE_CHECKING:
    from canopy_agent.session.directory import SessionDirectory
    from canopy_shared.outbound import Outbound
    from canopy_shared.requests import ListSessionsParams


class IndexedSessions:
    """See the module. ``changes`` are those whom the client follows."""

    def __init__(self, directory: SessionDirectory, peer: Outbound, config_directory: str) -> None:
        self._directory = directory
        self._peer = peer
        self.index = SessionIndex(config_directory, directory.stored, directory.activities)
        self.changes = ListChanges(
            self.index.entries, lambda params: peer.notify(m.SESSION_LIST_CHANGES, params)
        )

    async def page(self, params: ListSessionsParams) -> dict[str, Any]:
        """``session/list``. Raises invalid params."""
        wanted = ListFilter.parse(si.list_wanted(params.meta))
        return await self.index.page(params.cwd, params.cursor, wanted)

    async def subscribe(self, cwd: str) -> dict[str, Any]:
        """``_session/list/subscribe``. Raises invalid params or invalid request."""
        return {"subscriptionId": await self.changes.subscribe(absolute(cwd))}

    async def rename(self, session_id: str, title: str) -> None:
        """``_session/rename``. Raises resource not found."""
        session = self._directory.find(session_id)
        if session is None or not await self._renamed_by_cli(session_id, title):
            stored = await self._directory.stored.rename(session_id, title)
            if not stored and session is None:
                raise resource_not_found(session_id)
        if session is not None:
            session.titles.changed(title)
        self.changes.poke()

    async def _renamed_by_cli(self, session_id: str, title: str) -> bool:
        """A running CLI stores the title itself, and would overwrite one that it does not know."""
        session = self._directory.find(session_id)
        if session is None:
            return False
        order = {"subtype": "rename_session", "title": title, "source": "host"}
        try:
            await session.runtime.control_request(
                {**order, "session_id": session.runtime.conversation_id}
            )
        except ClaudeError:
            return False
        return True

    async def archive(self, session_id: str) -> None:
        """``_session/archive``: the session is closed, and leaves the usual list. Raises resource
        not found.
        """
        was_open = self._directory.find(session_id) is not None
        await self._directory.close(session_id)
        if not await self._directory.stored.archive(session_id) and not was_open:
            raise resource_not_found(session_id)
        self._tell(session_id, archived=True)

    async def unarchive(self, session_id: str) -> None:
        """``_session/unarchive``. Raises resource not found."""
        stored = await self._directory.stored.find(session_id)
        if stored is None:
            raise resource_not_found(session_id)
        title = without_mark(stored.title or "")
        if self._directory.find(session_id) is not None and is_archived(stored.title) and title:
            await self.rename(session_id, title)
        else:
            await self._directory.stored.unarchive(session_id)
        self._tell(session_id, archived=False)

    def _tell(self, session_id: str, *, archived: bool) -> None:
        update = SessionInfoUpdate(meta=si.archived(archived))
        self._peer.notify(m.SESSION_UPDATE, SessionUpdate(session_id, update))
        self.changes.poke()
