"""The agent inside the test's own process, behind the two pipes that a client would have.

To a raw client it looks like a process: ``stderr`` carries the log from INFO on. It must not know
what is tested.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from typing import TYPE_CHECKING, Any

from canopy_agent.server import AgentServer
from canopy_shared.stdio import StdioTransport, open_sink, open_source
from raw_client import LINE_LIMIT, RawClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping


class _LogLines(logging.Handler):
    """Puts what is logged where a client reads stderr."""

    def __init__(self, stderr: asyncio.StreamReader) -> None:
        super().__init__(logging.INFO)
        self._stderr = stderr

    def emit(self, record: logging.LogRecord) -> None:
        self._stderr.feed_data(self.format(record).encode() + b"\n")


class InsideProcess:
    """As much of ``asyncio.subprocess.Process`` as a raw client uses."""

    def __init__(
        self,
        serving: asyncio.Task[None],
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        stderr: asyncio.StreamReader,
        transport: asyncio.BaseTransport,
    ) -> None:
        self.pid = os.getpid()
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self._transport = transport
        self._serving = serving

    @property
    def returncode(self) -> int | None:
        """0 once it served, 1 when it failed."""
        if not self._serving.done():
            return None
        return 1 if self._serving.cancelled() or self._serving.exception() else 0

    async def wait(self) -> int:
        """Wait until the agent is done."""
        await asyncio.wait({self._serving})
        if not self._serving.cancelled() and (problem := self._serving.exception()) is not None:
            raise problem
        return self.returncode or 0

    def kill(self) -> None:
        """Stop it where it is."""
        self._serving.cancel()


@contextlib.asynccontextmanager
async def agent_inside(
    environ: Mapping[str, str], *, hide_subscription: bool = False
) -> AsyncIterator[RawClient]:
    """A client of an agent whose environment is ``environ``; at the end it must be gone whole."""
    loop = asyncio.get_running_loop()
    to_agent, from_client = os.pipe()
    to_client, from_agent = os.pipe()
    transport = StdioTransport(await open_source(to_agent), await open_sink(from_agent))
    server = AgentServer(transport, environ=environ, hide_subscription=hide_subscription)
    stdout, stderr = asyncio.StreamReader(limit=LINE_LIMIT), asyncio.StreamReader()
    reading, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stdout), os.fdopen(to_client, "rb", buffering=0)
    )
    writing, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()),
        os.fdopen(from_client, "wb", buffering=0),
    )
    handler, root = _LogLines(stderr), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    serving = asyncio.create_task(server.serve())

    def served(_: Any) -> None:
        root.removeHandler(handler)
        root.setLevel(level)
        stderr.feed_eof()

    serving.add_done_callback(served)
    stdin = asyncio.StreamWriter(writing, protocol, None, loop)
    client = RawClient(InsideProcess(serving, stdin, stdout, stderr, reading))  # type: ignore[arg-type]
    try:
        yield client
    except BaseException:
        await client._end()
        raise
    finally:
        writing.close()
    await client.aclose()
