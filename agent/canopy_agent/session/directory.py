"""The open sessions of one connection: opened, found by id, closed, and those stored on disk.

It decides which conversation a session goes on with; what a session does afterwards is its
runtime's.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.events import AgentsRemembered
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.indexed import IndexedSessions
from canopy_agent.session.launching import ProcessFactory, cli_process
from canopy_agent.session.narrator import Stage
from canopy_agent.session.opener import Session, SessionOpener, Start, Wanted, policy_of
from canopy_agent.session.opening import session_response
from canopy_agent.session.past_agents import past_agents
from canopy_agent.session.replay import Replay
from canopy_agent.session.replay_times import ReplayTimes
from canopy_agent.session.stored import Stored, StoredSessions
from canopy_agent.session.surroundings import Connection
from canopy_shared.errors import internal_error, resource_not_found
from canopy_shared.ext import air, canopy
from canopy_shared.methods import SESSION_UPDATE
from canopy_shared.replayed import ReplayedUpdate
from canopy_shared.unset import UNSET
from canopy_shared.updates import SessionUpdate, Update

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.auth.accounts import Accounts
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.session.activity import Activity
    from canopy_agent.settings import AdapterSettings
    from canopy_shared.outbound import Outbound
    from canopy_shared.requests import ListSessionsParams, SessionSetup


class SessionDirectory:
    """Sessions by id."""

    def __init__(
        self,
        peer: Outbound,
        profile: ClientProfile,
        settings: AdapterSettings,
        accounts: Accounts,
        *,
        process: ProcessFactory = cli_process,
    ) -> None:
        self._peer = peer
        self._profile = profile
        connection = Connection(peer, profile, settings, accounts, on_activity=self._poke)
        self._opener = SessionOpener(connection, process)
        self.follows_work = profile.reports_work
        self.is_own = profile.own
        accounts.renew = self.renew
        accounts.forget = connection.windows.forget
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}
        """Who opens or removes a session now, and how many want to."""
        self.stored = StoredSessions(settings.config_directory, profile)
        self.indexed: IndexedSessions | None = None
        if profile.keeps_index:
            self.indexed = IndexedSessions(self, peer, settings.config_directory)

    def _poke(self) -> None:
        if self.indexed is not None:
            self.indexed.changes.poke()

    def activities(self) -> dict[str, Activity]:
        """What each open session is doing."""
        return {id_: session.around.activity for id_, session in self._sessions.items()}

    async def page(self, params: ListSessionsParams) -> dict[str, Any]:
        """``session/list``. Raises invalid params."""
        if self.indexed is not None:
            return await self.indexed.page(params)
        return await self.stored.page(params.cwd, params.cursor)

    def find(self, session_id: str) -> Session | None:
        """An open session, None when it is not open."""
        return self._sessions.get(session_id)

    def home_of(self, session_id: str) -> Session:
        """The open session that has ``session_id``, its own or a subagent's. Raises resource not
        found.
        """
        homes = (one for one in self._sessions.values() if one.runtime.has_child(session_id))
        return self._sessions.get(session_id) or next(homes, None) or self.get(session_id)

    def get(self, session_id: str) -> Session:
        """An open session. Raises resource not found."""
        session = self._sessions.get(session_id)
        if session is None:
            raise resource_not_found(session_id)
        return session

    def transcript_of(self, session_id: str) -> Path | None:
        """Where an open session is stored, None when it is not. Blocking."""
        return self.stored.path_of(self.get(session_id).runtime.conversation_id)

    def of_task(self, session_id: str, task: str) -> Session:
        """The session whose background task ``task`` is; ``session_id`` may be that of a child.

        Raises resource not found.
        """
        owners = (one for one in self._sessions.values() if one.runtime.has_task(task))
        return self._sessions.get(session_id) or next(owners, None) or self.get(session_id)

    def cancel(self, session_id: str) -> None:
        """``session/cancel`` of a root or of a child; an unknown id is ignored."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.runtime.cancel()
            return
        for root in self._sessions.values():
            if root.runtime.cancel_child(session_id):
                return

    # --- opening ----------------------------------------------------------------------------------

    async def new(self, setup: SessionSetup) -> Session:
        """``session/new``. Raises an ACP error; nothing is left running then."""
        wanted = self._opener.check(setup)
        if wanted.caller.resume is not None:
            return await self._reopen(wanted.caller.resume, wanted, replay=False)
        session_id = str(uuid.uuid4())
        opened = self._opener.prepare(session_id, wanted, Start(session_id))
        opened.session.runtime.outlet.hold()
        return self._keep(await self._opener.start(opened))

    async def resume(self, session_id: str, setup: SessionSetup) -> Session:
        """``session/resume``: go on with a session. Raises an ACP error."""
        return await self._reopen(session_id, self._opener.check(setup), replay=False)

    async def load(self, session_id: str, setup: SessionSetup) -> Session:
        """``session/load``: go on with a session whose history the client gets first."""
        return await self._reopen(session_id, self._opener.check(setup), replay=True)

    async def fork(self, session_id: str, setup: SessionSetup) -> Session:
        """``session/fork``: a copy of a session, opened; the session itself stays as it is."""
        wanted = self._opener.check(setup)
        source = await self._stored(session_id)
        if source is None:
            raise resource_not_found(session_id)
        new_id = str(uuid.uuid4())
        self.stored.held.add(new_id)
        try:
            copy = await self.stored.fork(session_id, source, new_id, setup.meta)
            opened = self._opener.prepare(
                new_id, wanted, Start(new_id, resume=True, last=copy.last)
            )
            opened.session.runtime.outlet.hold()
            await _remember(opened.session, copy)
            session = await self._opener.start(opened)
        except BaseException:
            await asyncio.shield(self.stored.remove(new_id))
            self.stored.held.discard(new_id)
            raise
        session.followers.append(lambda: self.stored.held.discard(new_id))
        self._follow(session, _titled(session, copy))
        return self._keep(session)

    def _keep(self, session: Session) -> Session:
        self._sessions[session.runtime.id] = session
        return session

    @asynccontextmanager
    async def _alone(self, session_id: str) -> AsyncIterator[None]:
        """One opening of a session at a time: the next one finds what the first one made."""
        lock, users = self._turns.get(session_id, (asyncio.Lock(), 0))
        self._turns[session_id] = lock, users + 1
        try:
            async with lock:
                yield
        finally:
            users = self._turns.pop(session_id)[1] - 1
            if users:
                self._turns[session_id] = lock, users

    async def _reopen(self, session_id: str, wanted: Wanted, *, replay: bool) -> Session:
        session = await self._reopened(session_id, wanted, replay=replay)
        session.returns = True
        return session

    async def _reopened(self, session_id: str, wanted: Wanted, *, replay: bool) -> Session:
        async with self._alone(session_id):
            live = self._sessions.get(session_id)
            stored = await self._stored(session_id)
            if live is not None and live.wanted.fingerprint == wanted.fingerprint:
                return await self._reuse(live, stored, replay=replay)
            if live is None and stored is None:
                raise resource_not_found(session_id)
            mode = live.config.state.mode if live is not None else None
            await self.close(session_id)
            if stored is None:  # it was never prompted
                start = Start(session_id, mode=mode)
                return self._keep(
                    await self._opener.start(self._opener.prepare(session_id, wanted, start))
                )
            start = Start(stored.conversation, resume=True, mode=mode, last=stored.last)
            return self._keep(await self._resumed(session_id, wanted, start, stored, replay))

    async def _stored(self, session_id: str) -> Stored | None:
        """What is stored of a session, with everything that its CLI has told of."""
        live = self._sessions.get(session_id)
        if live is None:
            return await self.stored.find(session_id)
        stored = await self.stored.find(session_id, live.runtime.conversation_id)
        if stored is not None:
            await self.stored.settled(stored.path, live.observer.last_record)
        return stored

    async def _reuse(self, session: Session, stored: Stored | None, *, replay: bool) -> Session:
        """Go on with the CLI that runs."""
        session.response = session_response(session.runtime.id, session.config.state, self._profile)
        if replay and stored is not None:
            await self._replayed(session, stored, live=True)
        if stored is not None:
            self._follow(session, _titled(session, stored))
        return session

    def _follow(self, session: Session, titled: Callable[[], None]) -> None:
        """The title comes after the response, for a client that follows work before it."""
        (session.leaders if self._profile.reports_work else session.followers).append(titled)

    async def _resumed(
        self, session_id: str, wanted: Wanted, start: Start, stored: Stored, replay: bool
    ) -> Session:
        """Start a CLI that goes on with a stored conversation, while its history replays."""
        opened = self._opener.prepare(session_id, wanted, start)
        session = opened.session
        starting = asyncio.create_task(self._opener.start(opened), name="claude-start")
        work: list[asyncio.Task[Any]] = [starting, asyncio.create_task(_remember(session, stored))]
        if replay:
            played = self._replayed(session, stored, live=False)
            work.append(asyncio.create_task(played, name="replay"))
        try:
            await _all(work)
        except BaseException:
            if starting.done() and not starting.cancelled() and starting.exception() is None:
                await session.runtime.close(grace=1.0)
            raise
        self._follow(session, _titled(session, stored))
        return session

    # --- replaying --------------------------------------------------------------------------------

    async def _replayed(self, session: Session, stored: Stored, *, live: bool) -> None:
        """Show the history of a session; ``live`` when its CLI has been running for a while."""
        runtime, wanted = session.runtime, session.wanted
        history = self._profile.reports_work
        times = ReplayTimes() if self._profile.own else None

        def show(update: Update, session_id: str) -> None:
            kind = ReplayedUpdate if history else SessionUpdate
            at = times.of(update, session_id) if times is not None else 0.0
            meta = canopy.told_at(at) if at else UNSET
            self._peer.notify(SESSION_UPDATE, kind(session_id, update, meta))

        def telling(record: Mapping[str, Any], _call: str | None) -> None:
            if times is not None:
                times.telling(record)

        stage = Stage(show, self._peer.drained, telling=telling)
        if live:
            stage = replace(stage, live=runtime.live_child, is_open=runtime.is_open)
        renderer = Renderer(
            self._profile, wanted.place.cwd, child_options=session.config.child_options
        )
        policy = policy_of(self._profile, wanted.caller, wanted.place.cwd)
        replay = Replay(runtime.id, stored.path, policy, self._profile, renderer, stage)
        try:
            await replay.run()
        except OSError as error:
            raise internal_error(f"the session could not be read: {error.strerror}") from error
        history, times = False, None
        if not live:
            session.renderer.take_plan(renderer)
        session.followers.append(replay.afterwards)

    async def renew(self) -> None:
        """Give every open session a CLI that is told of the provider in force."""
        await asyncio.gather(*(session.around.renew() for session in self._sessions.values()))

    # --- closing ----------------------------------------------------------------------------------

    async def close(self, session_id: str) -> None:
        """``session/close``; one that is not open is closed already."""
        session = self._sessions.pop(session_id, None)
        if session is not None:
            await session.runtime.close()

    async def delete(self, session_id: str) -> None:
        """``session/delete``. Raises resource not found for clients that keep an index."""
        async with self._alone(session_id):
            was_open = session_id in self._sessions
            await self.close(session_id)
            if self._profile.air and not self._profile.air_has(air.SESSION_INDEX):
                await self.stored.archive(session_id)
                return
            removed = await self.stored.remove(session_id)
            self._poke()
            if self._profile.air and not (removed or was_open):
                raise resource_not_found(session_id)

    async def close_all(self, *, grace: float = 1.0) -> None:
        """The connection is over: end every session, side by side."""
        if self.indexed is not None:
            await self.indexed.changes.aclose()
        runtimes = [session.runtime for session in self._sessions.values()]
        runtimes += list(self._opener.opening)
        self._sessions.clear()
        await asyncio.gather(
            *(runtime.close(grace=grace) for runtime in runtimes), return_exceptions=True
        )


async def _remember(session: Session, stored: Stored) -> None:
    """Let the session know the subagents that a message may wake."""
    agents = await asyncio.to_thread(past_agents, stored.path)
    if agents:
        session.runtime.handle(AgentsRemembered(agents, time.time_ns() // 1_000_000))


def _titled(session: Session, stored: Stored) -> Callable[[], None]:
    """Tells the title that a session was stored with."""

    def tell() -> None:
        if stored.title is not None:
            session.titles.changed(stored.title)

    return tell


async def _all(work: list[asyncio.Task[Any]]) -> None:
    """Wait for all of ``work``; when one fails, or the wait is cancelled, the rest is stopped."""
    try:
        await asyncio.wait(work, return_when=asyncio.FIRST_EXCEPTION)
        for task in work:
            if task.done():
                task.result()
    finally:
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
