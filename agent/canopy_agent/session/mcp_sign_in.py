"""Signs in to MCP servers of the client that ask for it: a page for the person, then patience.

The CLI runs the OAuth flow; here its page is shown through an elicitation
(https://agentclientprotocol.com/rfds/elicitation) and its end is waited for. Problems are logged,
never shown: a server without a sign-in is a server without tools.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session.mcp_status import (
    CONNECTED,
    DISABLED,
    FAILED,
    NEEDS_AUTH,
    PENDING,
    error_words,
    servers_of,
)
from canopy_shared import methods as m
from canopy_shared.elicitation import ACCEPT, ElicitationAnswer
from canopy_shared.errors import AcpError

if TYPE_CHECKING:
    from canopy_shared.outbound import Outbound

log = logging.getLogger(__name__)

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

PAUSE: Final = 1.0
"""Seconds between two looks at the servers."""
PATIENCE: Final = 600.0
"""Seconds for one sign-in."""
START_PATIENCE: Final = 60.0
"""Seconds that servers get to say whether they need a sign-in."""


class McpSignIn:
    """The sign-ins of one session, one after another.

    ``names`` are the client's servers that can ask for one; ``spawn`` runs work beside the session
    and ends it with the session.
    """

    def __init__(
        self,
        session_id: str,
        peer: Outbound,
        names: frozenset[str],
        ask: Ask,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        *,
        pause: float = PAUSE,
    ) -> None:
        self._session = session_id
        self._peer = peer
        self._names = names
        self._ask = ask
        self._spawn = spawn
        self._pause = pause
        self._wanted: set[str] = set()
        self._runs = False
        self._pages: set[str] = set()
        """Servers whose page is shown now."""

    def begin(self, names: tuple[str, ...] | None = None) -> None:
        """Sign in to those of ``names`` (all by default) that turn out to need it."""
        self._wanted |= self._names if names is None else self._names.intersection(names)
        if self._wanted and not self._runs:
            self._runs = True
            self._spawn(self._run())

    async def ask_page(self, name: str) -> str:
        """Begin the sign-in to any server because the person wants it; its page is shown beside
        the session. Gives why it could not begin, "" when it did or was not needed.
        """
        if name in self._pages:
            return "Its page is open already."
        try:
            async with asyncio.timeout(START_PATIENCE):
                begun = await self._ask({"subtype": "mcp_authenticate", "serverName": name})
        except TimeoutError:
            return f"no answer within {START_PATIENCE:g} s"
        except ClaudeError as error:
            return error_words(getattr(error, "error", str(error)))
        if (url := _page_of(begun)) is not None:
            self._spawn(self._waited(name, url))
        return ""

    async def _waited(self, name: str, url: str) -> None:
        try:
            await self._show(name, url)
        except (ClaudeError, AcpError) as error:
            log.warning("the sign-in to the MCP server %s was given up: %s", name, error)

    async def _run(self) -> None:
        try:
            loop = asyncio.get_running_loop()
            until = loop.time() + START_PATIENCE
            while self._wanted and loop.time() < until:
                states = await self._states()
                for name in sorted(self._wanted):
                    if states.get(name) == PENDING:
                        continue
                    self._wanted.discard(name)
                    if states.get(name) == NEEDS_AUTH:
                        await self._sign_in(name)
                        until = loop.time() + START_PATIENCE
                if self._wanted:
                    await asyncio.sleep(self._pause)
        except (ClaudeError, AcpError) as error:
            log.warning("no sign-in to MCP servers: %s", error)
        finally:
            self._wanted.clear()
            self._runs = False

    async def _states(self) -> Mapping[str, str]:
        servers = servers_of(await self._ask({"subtype": "mcp_status"}))
        return {server.name: server.status for server in servers}

    async def _sign_in(self, name: str) -> None:
        try:
            begun = await self._ask({"subtype": "mcp_authenticate", "serverName": name})
        except ClaudeError as error:
            log.warning("the sign-in to the MCP server %s did not begin: %s", name, error)
            return
        if (url := _page_of(begun)) is not None and name not in self._pages:
            await self._show(name, url)

    async def _show(self, name: str, url: str) -> None:
        """Show the page until the server is up or nobody wants it any more."""
        self._pages.add(name)
        page = f"mcp-oauth-{uuid.uuid4()}"
        asked = asyncio.ensure_future(
            self._peer.request(
                m.ELICITATION_CREATE,
                {
                    "mode": "url",
                    "sessionId": self._session,
                    "message": f"Sign in to the MCP server {name}",
                    "url": url,
                    "elicitationId": page,
                },
            )
        )
        try:
            if await self._is_connected(name, asked):
                self._peer.notify(m.ELICITATION_COMPLETE, {"elicitationId": page})
        finally:
            self._pages.discard(name)
            asked.cancel()
            await asyncio.wait({asked})

    async def _is_connected(self, name: str, asked: asyncio.Future[Any]) -> bool:
        """Wait until the server is up, or there is nothing to wait for any more."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE
        while loop.time() < until:
            state = (await self._states()).get(name, DISABLED)
            if state in (CONNECTED, FAILED, DISABLED):
                return state == CONNECTED
            if asked.done():
                if not _accepted(asked):
                    return False
                await asyncio.sleep(self._pause)
            else:
                await asyncio.wait({asked}, timeout=self._pause)
        return False


def _page_of(begun: Mapping[str, Any]) -> str | None:
    """The page that the person has to visit, None when there is nothing to do."""
    url = begun.get("authUrl")
    return url if begun.get("requiresUserAction") is True and isinstance(url, str) else None


def _accepted(asked: asyncio.Future[Any]) -> bool:
    problem = asked.exception()
    if problem is not None:
        log.warning("the client could not show the page of a sign-in: %s", problem)
        return False
    return ElicitationAnswer.parse(asked.result()).action == ACCEPT
