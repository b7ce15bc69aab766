"""``session/list`` and what else a client may do with stored sessions, read and written.

Follows ACP v1 (https://agentclientprotocol.com/protocol/session-list) and the AIR session index;
lenient towards what an agent answers. Who wants a list is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared import methods
from canopy_shared.ext import session_index
from canopy_tui.model.catalogue import ListedSession, Query
from canopy_tui.wire.answers import mapping
from canopy_tui.wire.faults import bad_answer

if TYPE_CHECKING:
    from canopy_shared.peer import Peer
    from canopy_tui.wire.answers import AgentFacts

PAGE = 200
"""Rows that are asked for at once; an agent may send fewer or more."""


class StoredSessions:
    """The requests, over one connection. Each raises ``AcpError``."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    async def page(
        self, facts: AgentFacts, query: Query, cursor: str | None
    ) -> tuple[tuple[ListedSession, ...], str | None]:
        """One page, and the cursor of the next."""
        params: dict[str, Any] = {}
        if query.cwd is not None:
            params["cwd"] = query.cwd
        if cursor is not None:
            params["cursor"] = cursor
        if facts.has_session_index:
            params["_meta"] = session_index.list_request(limit=PAGE, archived=query.archived)
        result = await self._peer.request(methods.SESSION_LIST, params)
        if not isinstance(mapping(result).get("sessions"), (list, tuple)):
            raise bad_answer(methods.SESSION_LIST, "sessions", result)
        return read_page(result)

    async def get(self, session: str) -> ListedSession | None:
        """One session by its id (AIR index); None when the agent has none of it."""
        params = {"sessionIds": [session]}
        rows, _ = read_page(await self._peer.request(methods.SESSION_BATCH_GET, params))
        return next((row for row in rows if row.id == session), None)

    async def delete(self, session: str) -> None:
        """Delete a stored session."""
        await self._peer.request(methods.SESSION_DELETE, {"sessionId": session})

    async def rename(self, session: str, title: str) -> None:
        """Give a stored session another title (AIR index)."""
        await self._peer.request(methods.SESSION_RENAME, {"sessionId": session, "title": title})

    async def archive(self, session: str, archived: bool) -> None:
        """Archive a stored session or bring it back (AIR index)."""
        method = methods.SESSION_ARCHIVE if archived else methods.SESSION_UNARCHIVE
        await self._peer.request(method, {"sessionId": session})


def read_page(result: object) -> tuple[tuple[ListedSession, ...], str | None]:
    """Rows and the next cursor; what is no row is left out."""
    answer = mapping(result)
    given = answer.get("sessions")
    items = given if isinstance(given, (list, tuple)) else ()
    rows = [_row(item) for item in items if isinstance(item, Mapping)]
    cursor = answer.get("nextCursor")
    return (
        tuple(row for row in rows if row is not None),
        cursor if isinstance(cursor, str) and cursor else None,
    )


def _row(item: Mapping[str, Any]) -> ListedSession | None:
    session = item.get("sessionId")
    if not isinstance(session, str) or not session:
        return None
    facts = session_index.read(item.get("_meta"))
    return ListedSession(
        id=session,
        cwd=_text(item, "cwd"),
        title=_text(item, "title"),
        updated_at=_text(item, "updatedAt"),
        archived=facts.archived,
        model=facts.model or "",
        state=facts.state or "",
        forked_from=facts.forked_from or "",
        last_prompt_at=facts.last_prompt_at or "",
        cost=facts.cost,
    )


def _text(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    return value if isinstance(value, str) else ""
