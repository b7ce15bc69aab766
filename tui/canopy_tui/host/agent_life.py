"""The life of the agent: started, greeted, its sessions opened, lost, and started again.

It tells what happens as events; the queue of prompts and what the person wants are not its
business.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from typing import TYPE_CHECKING

from canopy_shared.errors import AUTH_REQUIRED, REQUEST_CANCELLED, AcpError, ConnectionClosedError
from canopy_tui.agents.agent_connection import StartFailedError
from canopy_tui.host.first_session import Beginning, begin
from canopy_tui.host.session_library import SessionLibrary
from canopy_tui.model import events as e
from canopy_tui.model.login import LoginNeed
from canopy_tui.model.state import Phase
from canopy_tui.wire.answers import AgentFacts, UnusableAgentError, details_of
from canopy_tui.wire.client import AcpClient

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_shared.frames import Malformed
    from canopy_tui.agents.agent_connection import AgentConnection, Ending, Launch
    from canopy_tui.host.session_library import Recent
    from canopy_tui.model.state import ClientState

log = logging.getLogger(__name__)

PATIENCE = 10.0
"""Seconds after which it is told that the agent has not answered the greeting."""


class AgentLife:
    """At most one agent at a time. ``client`` is its endpoint from the greeting on."""

    def __init__(
        self,
        launch: Launch,
        cwd: str,
        on_event: Callable[[e.Event], None],
        state: Callable[[], ClientState],
        clock: Callable[[], float],
        beginning: Beginning | None = None,
        patience: float = PATIENCE,
        recent: Recent | None = None,
        on_lost_line: Callable[[Malformed], None] | None = None,
    ) -> None:
        self._recent = recent
        self._on_lost_line = on_lost_line
        self._beginning = beginning or Beginning()
        self._patience = patience
        self._launch = launch
        self._cwd = cwd
        self._emit = on_event
        self._state = state
        self._clock = clock
        self._request_keys = itertools.count(1)
        self._facts = AgentFacts()
        self._closing = False
        self._again = False
        self._closings: set[asyncio.Future[None]] = set()
        self.client: AcpClient | None = None
        self.library: SessionLibrary | None = None
        """What is stored at the agent, from the greeting on."""
        self.busy = False
        """An agent is being started, is there, or is being cleared away."""
        self.launching = False
        """An agent is being started, which may be cancelled."""

    async def run(self) -> None:
        """Start an agent, take up the sessions that the state has (or open the first), and stay
        until the agent is gone; then again, when that was wanted meanwhile.
        """
        self.busy = True
        self._again = True
        try:
            while self._again and not self._closing:
                self._again = False
                await self._run_one()
        finally:
            self.busy = False

    def run_again(self) -> None:
        """Start another agent as soon as this one is cleared away."""
        self._again = True
        if self._state().link.status == "ready":
            self._link("lost", "The agent was told to start again.")
        self._link("starting")
        if self.client is not None:
            self._closings.add(closing := asyncio.ensure_future(self.client.aclose()))
            closing.add_done_callback(self._closings.discard)

    async def _run_one(self) -> None:
        self._link("starting")
        self.launching = True
        try:
            connection = await self._launch()
        except StartFailedError as error:
            self._link("failed", str(error))
            return
        except Exception as error:
            self._fault(error)
            return
        finally:
            self.launching = False
        try:
            await self._serve(connection)
        except Exception as error:
            self._fault(error)
        finally:
            self.client = self.library = None
            await connection.aclose()

    def _fault(self, error: Exception) -> None:
        """A fault of our own must not look like an agent that is still starting."""
        log.error("could not run the agent", exc_info=error)
        self._link("failed", f"A fault of Canopy: {str(error) or type(error).__name__}")

    async def _serve(self, connection: AgentConnection) -> None:
        client = self.client = AcpClient(
            connection.transport,
            self._emit,
            clock=self._clock,
            request_keys=self._request_keys,
            on_lost_line=self._on_lost_line,
        )
        receiving = asyncio.create_task(client.run())
        slow = asyncio.get_running_loop().call_later(self._patience, self._waits, connection)
        try:
            refusal = await self._greet(client, slow)
            if refusal is not None:
                await client.aclose()
            await receiving
        finally:
            slow.cancel()
            receiving.cancel()
        if not (self._closing or self._again):
            self._ended(await connection.ending(), refusal)

    def _ended(self, ending: Ending, refusal: str | None) -> None:
        was_ready = self._state().link.status == "ready"
        if refusal is not None:
            self._link("failed", refusal, ending.stderr)
        else:
            self._link("lost" if was_ready else "failed", ending.reason, ending.stderr)

    def _waits(self, connection: AgentConnection) -> None:
        """The agent has not answered the greeting for long, or opened no session; it may still
        do so.
        """
        seconds, state = f"{self._patience:g} s", self._state()
        if state.link.status != "ready":
            self._link("starting", f"The agent has not answered for {seconds}.", connection.heard())
        elif not state.roots and state.login is None:
            what = f"The agent is there, but has opened no session for {seconds}."
            self._ready(what, connection.heard())

    async def _greet(self, client: AcpClient, slow: asyncio.TimerHandle) -> str | None:
        """Initialize and open the sessions; why the agent cannot be used, None when it can."""
        try:
            facts = self._facts = await client.initialize()
            self.library = SessionLibrary(client, facts, self._emit, self._state, self._recent)
            self._ready()
            await self._take_up_or_ask(client, facts)
        except ConnectionClosedError:
            return None  # how it ended says more
        except UnusableAgentError as error:
            return str(error)
        except AcpError as error:
            return self._explained(error)
        finally:
            slow.cancel()
            if self._state().link.status == "ready" and self._state().link.detail:
                self._ready()
        return None

    def _ready(self, detail: str = "", stderr: str = "") -> None:
        facts, library = self._facts, self.library
        self._emit(
            e.LinkChanged(
                status="ready",
                name=facts.name,
                detail=detail,
                stderr=stderr,
                capabilities=facts.capabilities,
                meta=facts.meta,
                logins=facts.logins,
                remembers=library is not None and library.remembers,
                at=self._clock(),
            )
        )

    def _explained(self, error: AcpError) -> str:
        if error.code == AUTH_REQUIRED:
            ways = [f"{one.name}: {one.description}" for one in self._facts.logins]
            return "\n".join([f"The agent wants you to log in first: {error.message}", *ways])
        return "\n".join(filter(None, [error.message, details_of(error)]))

    # --- logging in ---------------------------------------------------------------------------

    async def _take_up_or_ask(self, client: AcpClient, facts: AgentFacts) -> bool:
        """Take up the sessions; when the agent wants a login first, ask for one (False)."""
        before = self._state().login
        try:
            await self._take_up(client, facts)
        except AcpError as error:
            if error.code != AUTH_REQUIRED or not self._beginning.asks_for_login:
                raise
            tried = "" if before is None else "The agent still wants a login."
            self._emit(e.LoginChanged(LoginNeed(error.message, tried)))
            return False
        return True

    async def log_in(self, method: str) -> bool:
        """Have the agent log in, then take up what waited for that; whether it worked."""
        client, need = self.client, self._state().login or LoginNeed("")
        if client is None or need.busy:
            return False
        self._emit(e.LoginChanged(LoginNeed(need.message, busy=True)))
        try:
            await client.authenticate(method)
        except ConnectionClosedError:
            return False
        except AcpError as error:
            self._emit(e.LoginChanged(LoginNeed(need.message, error.message)))
            return False
        return await self.logged_in()

    async def logged_in(self, problem: str = "") -> bool:
        """A login is over: take up what waited for it; whether it worked."""
        client, need = self.client, self._state().login or LoginNeed("")
        if client is None or problem:
            self._emit(e.LoginChanged(LoginNeed(need.message, problem)))
            return False
        self._emit(e.LoginChanged(LoginNeed(need.message, busy=True)))
        try:
            if not self._is_served() and not await self._take_up_or_ask(client, self._facts):
                return False
        except ConnectionClosedError:
            return False
        except (AcpError, UnusableAgentError) as error:
            self._emit(e.LoginChanged(LoginNeed(need.message, str(error))))
            return False
        self._emit(e.LoginChanged(None))
        return True

    def _is_served(self) -> bool:
        """Whether every session that is shown is open at the agent."""
        state = self._state()
        roots = [state.sessions[root] for root in state.roots]
        phases = [root.phase for root in roots if root.successor is None]
        return bool(phases) and Phase.DISCONNECTED not in phases

    # --- sessions -----------------------------------------------------------------------------

    async def _take_up(self, client: AcpClient, facts: AgentFacts) -> None:
        state = self._state()
        roots = [state.sessions[root] for root in state.roots]
        roots = [root for root in roots if root.successor is None]
        if not roots and self.library is not None:
            await begin(client, facts, self.library, self._beginning, self._cwd, self._emit)
            return
        for root in roots:
            await self._restore(client, facts, root.id, root.cwd or self._cwd)

    async def _restore(self, client: AcpClient, facts: AgentFacts, session: str, cwd: str) -> None:
        """Load an old session; where that is impossible, open a new one beside it."""
        problem = "this agent cannot load an old session"
        if facts.takes_up_sessions:
            try:
                await client.load_session(session, cwd)
            except ConnectionClosedError:
                raise
            except AcpError as error:
                if error.code == AUTH_REQUIRED:
                    raise
                problem = f"the old one could not be loaded ({error.message})"
                if error.code == REQUEST_CANCELLED:
                    problem = "loading the old one was stopped"
            else:
                self._notice(session, "info", "The agent was started again; this session goes on.")
                return
        self._notice(session, "warning", f"A new session was opened, because {problem}.")
        new = await client.new_session(cwd)
        self._emit(e.SessionReplaced(session=session, by=new))

    async def open_session(self, cwd: str | None) -> None:
        """Open one more session."""
        client, state = self.client, self._state()
        if client is None or state.link.status != "ready":
            return
        try:
            await client.new_session(cwd or self._cwd)
        except (AcpError, UnusableAgentError) as error:
            for root in state.roots[:1]:
                self._notice(root, "error", f"The session was not opened: {error}")

    async def close_session(self, client: AcpClient, session: str) -> None:
        """Stop what a session does, and close it where the agent can do that."""
        client.cancel(session)
        if self._facts.closes_sessions:
            try:
                await client.close_session(session)
            except AcpError as error:
                log.info("the agent did not close a session: %s", error.message)

    # --- the end ------------------------------------------------------------------------------

    async def aclose(self) -> None:
        """End the connection; :meth:`run` then stops the agent and returns, within seconds."""
        self._closing = True
        if self.client is not None:
            await self.client.aclose()

    def _link(self, status: str, detail: str = "", stderr: str = "") -> None:
        self._emit(e.LinkChanged(status=status, detail=detail, stderr=stderr, at=self._clock()))

    def _notice(self, session: str, severity: str, title: str) -> None:
        self._emit(e.Noticed(session=session, severity=severity, title=title, at=self._clock()))
