"""An agent on a fake CLI in a home of its own, and a web server whose answers a test writes.

It must not know what is tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from accounts.inside import agent_inside
from canopy_agent.demo.workspace import cleaned
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from pathlib import Path

    from fakes.cli import FakeCli
    from raw_client import RawClient

Json = dict[str, Any]


class Stage:
    """One agent with a fake CLI. ``cwd`` is a project, ``config`` the configuration directory."""

    def __init__(self, agent: RawClient, fake: FakeCli, home: Path) -> None:
        self.agent = agent
        self.fake = fake
        self.cwd = home / "project"
        self.config = home / "config"
        self.session = ""

    async def open(self, capabilities: Json | None = None, **params: Any) -> str:
        """Initialize and open a session in the project."""
        await self.agent.initialize(capabilities)
        self.session = await self.agent.new_session(self.cwd, **params)
        return self.session

    def statuses(self) -> list[Json]:
        """What the client was told of who pays."""
        return [
            frame["params"]["authStatus"]
            for frame in self.agent.frames
            if frame.get("method") == "_auth/status_update"
        ]

    def option(self, id_: str, options: list[Json]) -> Any:
        """The current value of one option of a list."""
        return next((one["currentValue"] for one in options if one["id"] == id_), None)

    async def refused(self, method: str, **params: Any) -> RpcError:
        """The error of a request."""
        try:
            result = await self.agent.request(method, **params)
        except RpcError as error:
            return error
        raise AssertionError(f"{method} was not refused: {result}")

    async def has_asked(self, subtype: str, count: int = 1) -> list[Json]:
        """Wait until the agent sent ``count`` control requests of a kind."""
        return await eventually(
            lambda: found if len(found := self.fake.requests(subtype)) >= count else [],
            f"{count} x {subtype}",
        )


@contextlib.asynccontextmanager
async def stage(
    fake: FakeCli,
    home: Path,
    *,
    env: Mapping[str, str] | None = None,
    settings: Json | None = None,
    hide_subscription: bool = False,
) -> AsyncIterator[Stage]:
    """An agent over the cleaned environment plus ``env``."""
    for name in ("project", "config", "home"):
        (home / name).mkdir(exist_ok=True)
    (home / "config" / "settings.json").write_text(json.dumps(settings or {}))
    variables = {
        **cleaned(os.environ),
        **fake.env,
        "HOME": str(home / "home"),
        "CLAUDE_CONFIG_DIR": str(home / "config"),
        "IS_SANDBOX": "1",
        **(env or {}),
    }
    async with agent_inside(variables, hide_subscription=hide_subscription) as agent:
        yield Stage(agent, fake, home)


# --- a web server -------------------------------------------------------------------------------


@dataclass
class Site:
    """What a test holds of a server: its address, and the requests that came."""

    url: str
    requests: list[Json] = field(default_factory=list)

    def paths(self) -> list[str]:
        """The paths that were asked for, with their queries."""
        return [request["path"] for request in self.requests]


Reply = tuple[int, Any]


@contextlib.asynccontextmanager
async def site(answer: Callable[[Json], Reply]) -> AsyncIterator[Site]:
    """A server on loopback; ``answer`` makes a status and a JSON value of ``{path, headers}``.

    A status of 0 never answers.
    """
    serving: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            try:
                await exchange(reader, writer)
            finally:
                writer.close()
                await writer.wait_closed()

    async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
        request = {
            "path": head[0].split()[1],
            "headers": {name.lower(): value for name, value in headers.items()},
        }
        here.requests.append(request)
        status, value = answer(request)
        if status == 0:
            await asyncio.Event().wait()
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        extra = f"location: {value}\r\n" if status in (301, 302) else ""
        writer.write(
            f"HTTP/1.1 {status} X\r\n{extra}content-length: {len(body)}\r\n"
            "connection: close\r\n\r\n".encode()
        )
        writer.write(body)
        await writer.drain()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    here = Site(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    try:
        yield here
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


def models(*ids: str, **more: Any) -> Reply:
    """A page of a model list."""
    return 200, {"data": [{"id": id_} for id_ in ids], "has_more": False, **more}
