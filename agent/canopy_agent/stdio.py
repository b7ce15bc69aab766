"""``canopy --stdio``: the agent on our own stdin and stdout, and nothing else on them.

Descriptors 0 and 1 are moved away first, so that neither a library nor a child process can write
into the protocol or read from it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

from canopy_agent.log import set_up
from canopy_agent.server import AgentServer
from canopy_agent.settings import SettingsError
from canopy_shared.stdio import StdioTransport, open_sink, open_source

if TYPE_CHECKING:
    from canopy_shared.record import Recorder
    from canopy_shared.transport import Transport


def take_stdio() -> tuple[int, int]:
    """Private copies of stdin and stdout. Afterwards 0 reads nothing and 1 writes to stderr.

    Raises OSError when the program was started with one of them closed.
    """
    if sys.stdin is None or sys.stdout is None:  # its number may belong to another file by now
        raise OSError("closed")
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:  # the next file that is opened would get this number, and what we print
        os.dup2(null, 2)
    sys.stdout.flush()
    os.dup2(null, 0)
    if null > 2:
        os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return reading, writing


async def run(
    reading: int,
    writing: int,
    *,
    hide_subscription: bool = False,
    recorder: Recorder | None = None,
) -> None:
    """Serve one client over two descriptors until it leaves or a signal comes."""
    transport: Transport = StdioTransport(await open_source(reading), await open_sink(writing))
    if recorder is not None:
        from canopy_shared.record import AGENT, RecordingTransport

        transport = RecordingTransport(transport, recorder, AGENT)
    server = AgentServer(transport, hide_subscription=hide_subscription)
    loop = asyncio.get_running_loop()
    stopping: set[asyncio.Task[None]] = set()

    def stop() -> None:
        stopping.add(asyncio.create_task(server.stop()))

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, stop)
    await server.serve()
    if stopping:
        await asyncio.wait(stopping)


def serve(*, hide_subscription: bool = False, recorder: Recorder | None = None) -> int:
    """Run the agent on stdin and stdout; gives the exit status. ``recorder`` records both ways."""
    try:
        reading, writing = take_stdio()
    except OSError:
        if sys.stderr is not None:
            print("canopy: --stdio needs an open stdin and stdout", file=sys.stderr)
        return 2
    set_up(os.environ.get("CANOPY_LOG", "WARNING"), os.environ.get("CLAUDE_AGENT_LOGS"))
    try:
        asyncio.run(run(reading, writing, hide_subscription=hide_subscription, recorder=recorder))
    except SettingsError as error:
        print(f"canopy: {error}", file=sys.stderr)
        return 2
    return 0
