"""An agent that lives in this process, at the other end of a linked pair of transports.

It is given a way to make the server and knows nothing of what that is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from canopy_shared.inproc import linked_pair
from canopy_tui.agents.agent_connection import Ending

if TYPE_CHECKING:
    from canopy_shared.inproc import InProcessTransport
    from canopy_shared.transport import Transport

log = logging.getLogger(__name__)

STOP_PATIENCE = 10.0
"""Seconds in which the server ends its sessions, before it is cancelled."""


class Server(Protocol):
    """An ACP server on one transport."""

    def serve(self) -> Awaitable[None]:
        """Serve until the connection ends."""

    def stop(self) -> Awaitable[None]:
        """End the connection; ``serve`` returns soon after."""


class InProcessAgent:
    """A running server and our end of its connection."""

    def __init__(self, make_server: Callable[[Transport], Server]) -> None:
        """Raises what ``make_server`` raises."""
        self._transport, theirs = linked_pair()
        self._server = make_server(theirs)
        self._serving = asyncio.ensure_future(self._server.serve())

    @property
    def transport(self) -> InProcessTransport:
        """Our end."""
        return self._transport

    def heard(self) -> str:
        """Nothing: it has no stderr of its own."""
        return ""

    async def ending(self) -> Ending:
        """Why it stopped."""
        await asyncio.wait([self._serving], timeout=STOP_PATIENCE)
        if not self._serving.done() or self._serving.cancelled():
            return Ending("The agent was stopped.")
        error = self._serving.exception()
        if error is None:
            return Ending("The agent stopped.")
        log.error("the agent failed", exc_info=error)
        return Ending(f"The agent stopped because of a fault: {str(error) or type(error).__name__}")

    async def aclose(self) -> None:
        """End the server and, through it, all its sessions."""
        if not self._serving.done():
            await self._server.stop()
            await asyncio.wait([self._serving], timeout=STOP_PATIENCE)
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)
        await self._transport.aclose()
