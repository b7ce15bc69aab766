"""Carries out what a person does with stored sessions: list, open, copy, rename, archive, delete.

It asks the agent and tells what came of it as events; what is shown of that is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, assert_never

from canopy_shared.errors import (
    REQUEST_CANCELLED,
    RESOURCE_NOT_FOUND,
    AcpError,
    ConnectionClosedError,
)
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.catalogue import ALL, ListedSession, Query
from canopy_tui.model.state import Problem
from canopy_tui.wire.answers import UnusableAgentError, details_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.wire.answers import AgentFacts
    from canopy_tui.wire.client import AcpClient

NO_HISTORY = "This agent does not send what was said before. It knows it, and the session goes on."
PICK_ANOTHER = "Pick another session, or go on in a new one."
_MOST_PAGES = 200
"""Pages that are looked through for one session."""

Refusal = (AcpError, UnusableAgentError)


class Recent(Protocol):
    """The client's own list of sessions, for agents that keep none."""

    def rows(self, query: Query) -> tuple[ListedSession, ...]:
        """Those that ``query`` wants, newest first."""

    def forget(self, session: str) -> None:
        """List a session no longer."""


class SessionLibrary:
    """What is stored at one agent. ``client`` is its endpoint, ``facts`` what it said of itself,
    ``recent`` what is listed when the agent lists nothing itself.
    """

    def __init__(
        self,
        client: AcpClient,
        facts: AgentFacts,
        on_event: Callable[[e.Event], None],
        state: Callable[[], ClientState],
        recent: Recent | None = None,
    ) -> None:
        usable = facts.takes_up_sessions and not facts.lists_sessions
        self._recent = recent if usable else None
        self._client = client
        self._facts = facts
        self._emit = on_event
        self._state = state

    async def carry_out(self, intent: i.OnStored) -> None:
        """Do what is wanted. A refusal of the agent becomes a problem that is told."""
        match intent:
            case i.ListSessions(query, more):
                await self._list(query, more=more)
            case i.LoadSession():
                await self._open(intent.session, intent.cwd, intent.title, intent.instead_of)
            case i.ForkSession():
                await self._fork(intent)
            case i.DeleteSession(session):
                await self._delete(session)
            case i.RenameSession(session, title):
                done = e.StoredSessionChanged(session, title=title)
                await self._change("renamed", self._client.stored.rename(session, title), done)
            case i.ArchiveSession(session, archived):
                done = e.StoredSessionChanged(session, archived=archived)
                work = self._client.stored.archive(session, archived)
                await self._change("archived" if archived else "brought back", work, done)
            case _:
                assert_never(intent)

    # --- the list -----------------------------------------------------------------------------

    @property
    def remembers(self) -> bool:
        """Whether the client keeps the list."""
        return self._recent is not None

    @property
    def lists(self) -> bool:
        """Whether there is a list of stored sessions."""
        return self.remembers or self._facts.lists_sessions

    async def _page(
        self, query: Query, cursor: str | None
    ) -> tuple[tuple[ListedSession, ...], str | None]:
        if self._recent is not None:
            return self._recent.rows(query), None
        return await self._client.stored.page(self._facts, query, cursor)

    async def _list(self, query: Query, *, more: bool) -> None:
        catalogue = self._state().catalogue
        same = catalogue.query == query
        if (same and catalogue.loading) or (more and (not same or catalogue.cursor is None)):
            return
        cursor = catalogue.cursor if more else None
        self._emit(e.SessionsAsked(query, more))
        try:
            rows, following = await self._page(query, cursor)
        except ConnectionClosedError:
            self._emit(e.ListingFailed(query, "The agent is gone."))
        except AcpError as error:
            self._emit(e.ListingFailed(query, _words(error)))
        else:
            # A cursor that does not move would be asked for ever.
            self._emit(e.SessionsListed(query, rows, None if following == cursor else following))

    async def find(self, session: str) -> ListedSession | None:
        """A stored session by its id, or by the only one that begins with it; None for none.

        Raises ``AcpError``.
        """
        if self._facts.has_session_index:
            row = await self._client.stored.get(session)
            if row is not None:
                return row
        begin_so: list[ListedSession] = []
        cursor, asked = None, set[str]()
        while len(asked) < _MOST_PAGES:
            rows, cursor = await self._page(Query(None, ALL), cursor)
            for row in rows:
                if row.id == session:
                    return row
            begin_so += [row for row in rows if row.id.startswith(session)]
            if cursor is None or cursor in asked:
                break
            asked.add(cursor)
        return begin_so[0] if len(begin_so) == 1 else None

    async def newest(self, cwd: str) -> ListedSession | None:
        """The session that was used last in a directory; None for none. Raises ``AcpError``.

        Where several were open, all changed at the end, when their costs are noted: the one that
        was written to last counts.
        """
        rows, _ = await self._page(Query(cwd), None)
        return max(rows, key=lambda row: (row.last_prompt_at, row.updated_at), default=None)

    # --- opening ------------------------------------------------------------------------------

    async def open_row(self, row: ListedSession) -> bool:
        """Open a stored session; whether it is open now."""
        return await self._open(row.id, row.cwd, row.title, None)

    async def _open(self, session: str, cwd: str, title: str, instead_of: str | None) -> bool:
        if session in self._state().sessions:
            return True
        try:
            await self._client.load_session(session, cwd, title)
        except ConnectionClosedError:
            self._emit(e.SessionClosed(session=session))
            return False
        except Refusal as error:
            self._emit(e.SessionClosed(session=session))
            if isinstance(error, AcpError) and error.code == REQUEST_CANCELLED:
                self._close(session)  # the person stopped it; the agent may have opened it already
            else:
                self._tell("The session was not opened", error)
                self._forget_if_gone(session, error)
            return False
        self._make_room(instead_of)
        if not self._facts.loads_sessions:
            at = self._state().sessions[session].started_at
            self._emit(e.Noticed(session=session, severity="info", title=NO_HISTORY, at=at))
        return True

    async def _fork(self, intent: i.ForkSession) -> None:
        try:
            copy = await self._client.fork_session(intent.session, intent.cwd)
        except ConnectionClosedError:
            return
        except Refusal as error:
            self._tell("The session was not copied", error)
            return
        await self._open(copy, intent.cwd, _title_of_copy(intent.title), intent.instead_of)

    def _make_room(self, session: str | None) -> None:
        view = self._state().sessions.get(session or "")
        if view is not None and _is_untouched(view):
            self._emit(e.SessionClosed(session=view.id))
            self._close(view.wire_id)

    def _close(self, session: str) -> None:
        if self._facts.closes_sessions:
            self._client.close_quietly(session)

    def _forget_if_gone(self, session: str, error: Exception) -> None:
        gone = isinstance(error, AcpError) and error.code == RESOURCE_NOT_FOUND
        if gone and self._recent is not None:
            self._recent.forget(session)
            self._emit(e.StoredSessionChanged(session, deleted=True))

    async def _delete(self, session: str) -> None:
        done = e.StoredSessionChanged(session, deleted=True)
        if self._recent is not None:
            self._recent.forget(session)  # the agent keeps what it has
            self._emit(done)
        elif await self._change("deleted", self._client.stored.delete(session), done):
            self._emit(e.SessionClosed(session=session))

    # --- changes ------------------------------------------------------------------------------

    async def _change(
        self, what: str, work: Coroutine[Any, Any, None], done: e.StoredSessionChanged
    ) -> bool:
        try:
            await work
        except ConnectionClosedError:
            return False
        except AcpError as error:
            self._tell(f"The session was not {what}", error)
            return False
        self._emit(done)
        return True

    def _tell(self, title: str, error: Exception) -> None:
        gone = isinstance(error, AcpError) and error.code == RESOURCE_NOT_FOUND
        detail = "The agent has no such session any more." if gone else ""
        told = _words(error) if isinstance(error, AcpError) else str(error)
        problem = Problem(title, "\n".join(filter(None, [detail, told])), PICK_ANOTHER, "sessions")
        self._emit(e.ProblemMet(problem))


def _words(error: AcpError) -> str:
    return "\n".join(filter(None, [error.message, details_of(error)]))


def _title_of_copy(title: str) -> str:
    return f"{title} (copy)" if title else ""


def _is_untouched(view: SessionView) -> bool:
    """Whether nothing would be missed of an open session."""
    return not (view.entries or view.children or view.queue or view.in_turn or view.turns_done)
