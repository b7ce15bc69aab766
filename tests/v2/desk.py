"""A client and our agent in one process, with a fake CLI: requests as JSON, and nothing hidden.

Every frame of the agent is judged by the schema when the desk is closed; it must not know what is
tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from canopy_agent.server import AgentServer
from canopy_shared.codec import encode
from canopy_shared.errors import AcpError
from canopy_shared.inproc import linked_pair
from canopy_shared.peer import Peer
from v2.schema import PARAMS, RESULTS, complaint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from canopy_shared.peer import IncomingRequest
    from fakes.cli import FakeCli

Json = dict[str, Any]
BOUND = 30.0
INFO = {"name": "raw", "version": "1"}


class Desk:
    """The client's end. ``told`` are the notifications, ``asked`` the requests of the agent."""

    def __init__(self, transport: Any) -> None:
        self.told: list[tuple[str, Json]] = []
        self.asked: list[IncomingRequest] = []
        self.peer = Peer(transport, on_request=self.asked.append, on_notification=self._heard)
        self.complaints: list[str] = []

    def _heard(self, method: str, params: Any) -> None:
        frame = json.loads(json.dumps(encode(params)))
        self.told.append((method, frame))
        if method in PARAMS:
            self._judge(PARAMS[method], frame)

    def _judge(self, definition: str, frame: Any) -> None:
        said = [complaint(definition, frame, by_subset=one) for one in (False, True)]
        self.complaints += filter(None, said)

    async def ask(self, method: str, params: Any) -> Any:
        """Send a request; gives its result. Raises AcpError."""
        async with asyncio.timeout(BOUND):
            result = await self.peer.request(method, params)
        result = json.loads(json.dumps(encode(result)))
        if method in RESULTS:
            self._judge(RESULTS[method], result)
        return result

    async def code(self, method: str, params: Any) -> int | None:
        """The code of the error that a request gets, None for a result."""
        try:
            await self.ask(method, params)
        except AcpError as error:
            self._judge("Error", error.to_wire())
            return error.code
        return None

    async def hello(self, capabilities: Mapping[str, Any] | None = None) -> Json:
        """``initialize`` in version 2."""
        hello = {"protocolVersion": 2, "info": INFO, "capabilities": dict(capabilities or {})}
        result: Json = await self.ask("initialize", hello)
        return result

    def updates(self, kind: str) -> list[Json]:
        """The updates of one kind."""
        told = [params["update"] for method, params in self.told if method == "session/update"]
        return [one for one in told if one["sessionUpdate"] == kind]


@contextlib.asynccontextmanager
async def desk(fake: FakeCli, folder: Path, **env: str) -> AsyncIterator[Desk]:
    """An agent whose home is in ``folder``."""
    ours, theirs = linked_pair()
    home = {"HOME": str(folder / "home"), "CLAUDE_CONFIG_DIR": str(folder / "home/.claude")}
    server = AgentServer(theirs, environ={**os.environ, **fake.env, **home, **env})
    serving = asyncio.create_task(server.serve())
    client = Desk(ours)
    running = asyncio.create_task(client.peer.run())
    try:
        yield client
    finally:
        await client.peer.aclose()
        await asyncio.wait_for(asyncio.gather(serving, running), BOUND)
    assert client.complaints == []
