"""The life of the agent: started, greeted, its sessions opened, lost, and started again.

It tells what happens as events; the queue of prompts and what the person wants are not its
business.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from typing import TYPE_CHECKING

from canopy_shared.errors import AUTH_REQUIRED, AcpError, ConnectionClosedError
from canopy_tui.agent_connection import StartFailedError
from canopy_tui.client import AcpClient
from canopy_tui.model import events as e
from canopy_tui.wire_answers import AgentFacts, UnusableAgentError, details_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.agent_connection import AgentConnection, Ending, Launch
    from canopy_tui.model.state import ClientState

log = logging.getLogger(__name__)

_LOGIN = "The agent wants you to log in first"


class AgentLife:
    """At most one agent at a time. ``client`` is its endpoint from the greeting on."""

    def __init__(
        self,
        launch: Launch,
        cwd: str,
        on_event: Callable[[e.Event], None],
        state: Callable[[], ClientState],
        clock: Callable[[], float],
    ) -> None:
        self._launch = launch
        self._cwd = cwd
        self._emit = on_event
        self._state = state
        self._clock = clock
        self._request_keys = itertools.count(1)
        self._facts = AgentFacts()
        self._closing = False
        self._again = False
        self.client: AcpClient | None = None
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
        self._link("starting")

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
            self.client = None
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
        )
        receiving = asyncio.create_task(client.run())
        try:
            refusal = await self._greet(client)
            if refusal is not None:
                await client.aclose()
            await receiving
        finally:
            receiving.cancel()
        if not self._closing:
            self._ended(await connection.ending(), refusal)

    def _ended(self, ending: Ending, refusal: str | None) -> None:
        was_ready = self._state().link.status == "ready"
        if refusal is not None:
            self._link("failed", refusal, ending.stderr)
        else:
            self._link("lost" if was_ready else "failed", ending.reason, ending.stderr)

    async def _greet(self, client: AcpClient) -> str | None:
        """Initialize and open the sessions; why the agent cannot be used, None when it can."""
        try:
            facts = self._facts = await client.initialize()
            self._emit(
                e.LinkChanged(
                    status="ready",
                    name=facts.name,
                    capabilities=facts.capabilities,
                    meta=facts.meta,
                    at=self._clock(),
                )
            )
            await self._take_up(client, facts)
        except ConnectionClosedError:
            return None  # how it ended says more
        except UnusableAgentError as error:
            return str(error)
        except AcpError as error:
            return self._explained(error)
        return None

    def _explained(self, error: AcpError) -> str:
        if error.code == AUTH_REQUIRED:
            return "\n".join([f"{_LOGIN}: {error.message}", *self._facts.login_hints])
        return "\n".join(filter(None, [error.message, details_of(error)]))

    # --- sessions -----------------------------------------------------------------------------

    async def _take_up(self, client: AcpClient, facts: AgentFacts) -> None:
        state = self._state()
        roots = [state.sessions[root] for root in state.roots]
        roots = [root for root in roots if root.successor is None]
        if not roots:
            await client.new_session(self._cwd)
            return
        for root in roots:
            await self._restore(client, facts, root.id, root.cwd or self._cwd)

    async def _restore(self, client: AcpClient, facts: AgentFacts, session: str, cwd: str) -> None:
        """Load an old session; where that is impossible, open a new one beside it."""
        problem = "this agent cannot load an old session"
        if facts.loads_sessions:
            try:
                await client.load_session(session, cwd)
            except ConnectionClosedError:
                raise
            except AcpError as error:
                problem = f"the old one could not be loaded ({error.message})"
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
