"""An agent of a few lines for tests in one process: its end of a linked pair, moved by the test.

It speaks through the product's own peer, so it says nothing about bytes; FAKE-AGENT does that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_shared.codec import decode_update
from canopy_shared.inproc import linked_pair
from canopy_shared.peer import IncomingRequest, Peer
from canopy_shared.updates import SessionUpdate
from canopy_tui.agents.agent_connection import Ending

if TYPE_CHECKING:
    from canopy_shared.inproc import InProcessTransport


class InProcessFake:
    """An agent connection whose other end the test holds. Prompts wait for :meth:`finish`."""

    def __init__(self) -> None:
        self.transport: InProcessTransport
        self.transport, theirs = linked_pair()
        self.peer = Peer(theirs, on_request=self._request, on_notification=self._notified)
        self.calls: list[tuple[str, Any]] = []
        self.prompts: list[IncomingRequest] = []
        self.sessions = 0
        self.closed = False
        self.silent: frozenset[str] = frozenset()
        """Methods that get no answer."""
        self.answers: dict[str, Callable[[Any], Any]] = {}
        """Method → its result for given parameters; an ``AcpError`` that is raised is sent."""
        self._running = asyncio.ensure_future(self.peer.run())

    def _notified(self, method: str, params: Any) -> None:
        self.calls.append((method, params))

    def _request(self, request: IncomingRequest) -> None:
        self.calls.append((request.method, request.params))
        if request.method in self.silent:
            return
        answer = self.answers.get(request.method)
        if answer is not None:
            request.respond(answer(request.params))
            return
        match request.method:
            case "initialize":
                request.respond({"protocolVersion": 1, "agentInfo": {"name": "here"}})
            case "session/new":
                self.sessions += 1
                request.respond({"sessionId": f"S{self.sessions}"})
            case "session/prompt":
                self.prompts.append(request)
            case _:
                request.respond({})

    def update(self, session: str, update: dict[str, Any]) -> None:
        """Send an update as an object, as our own agent does."""
        self.peer.notify("session/update", SessionUpdate(session, decode_update(update)))

    def finish(self, stop: str = "end_turn") -> None:
        """Answer the oldest open prompt."""
        self.prompts.pop(0).respond({"stopReason": stop})

    def heard(self) -> str:
        """It says nothing on the side."""
        return ""

    async def ending(self) -> Ending:
        """Why it ended."""
        return Ending("The fake ended.")

    async def aclose(self) -> None:
        """End it."""
        self.closed = True
        await self.peer.aclose()
        await asyncio.wait([self._running])
