"""Another ACP agent as a child process, spoken to over its stdin and stdout.

It knows processes only: what was said on the connection is not its business, and it claims nothing
about an ending that it has not seen.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from typing import TYPE_CHECKING

from canopy_shared import dependents
from canopy_shared.stdio import ByteSource, StdioTransport, open_sink, open_source
from canopy_tui.agents.agent_connection import Ending, StartFailedError
from canopy_tui.process.windows_processes import end_tree, started

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

STDERR_LINES = 30
STDERR_LINE_LENGTH = 500
_EXIT_GRACE = 1.0
"""Seconds in which an agent that closed its stdout may still turn out to have exited."""
_STOP_GRACE = 2.0
"""Seconds an agent gets to end at the end of its stdin, and again after SIGTERM."""


class ForeignAgent:
    """A running agent process; see :func:`launch_foreign`."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        transport: StdioTransport,
        stderr: ByteSource,
    ) -> None:
        self._process = process
        self._transport = transport
        self._stderr_source = stderr
        self._stderr: deque[str] = deque(maxlen=STDERR_LINES)
        self._reader = asyncio.create_task(self._read_stderr())
        dependents.started(process.pid)

    @property
    def transport(self) -> StdioTransport:
        """The agent's stdin and stdout."""
        return self._transport

    @property
    def pid(self) -> int:
        """The process id, also its process group."""
        return self._process.pid

    async def _read_stderr(self) -> None:
        rest = b""
        while data := await self._stderr_source.read():
            *lines, rest = (rest + data).split(b"\n")
            self._keep(lines)
            rest = rest[:STDERR_LINE_LENGTH]
        self._keep([rest])

    def _keep(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            if line.strip():
                self._stderr.append(line.decode(errors="replace").rstrip()[:STDERR_LINE_LENGTH])

    def heard(self) -> str:
        """The last lines of stderr so far."""
        return "\n".join(self._stderr)

    async def ending(self) -> Ending:
        """Why it ended: exit status or signal only if the process is seen to be gone."""
        code = await self._exit_code(_EXIT_GRACE)
        if code is not None:
            await _settled(self._reader, _EXIT_GRACE)
        return Ending(_sentence(code), "\n".join(self._stderr))

    async def _exit_code(self, patience: float) -> int | None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), patience)
        return self._process.returncode

    async def aclose(self) -> None:
        """Close its stdin; if that does not end it, end its process group."""
        await self._transport.aclose()
        if await self._exit_code(_STOP_GRACE) is None:
            await self._signal(signal.SIGTERM)
            await self._exit_code(_STOP_GRACE)
        await self._signal(_KILL)
        await self._exit_code(_STOP_GRACE)
        self._stderr_source.close()
        await _settled(self._reader, _STOP_GRACE)

    async def _signal(self, number: int) -> None:
        """Signal the whole group, which may outlive its leader."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)
        elif self._process.returncode is None:
            await end_tree(self._process)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


async def _settled(task: asyncio.Task[None], patience: float) -> None:
    """Wait for ``task``, but not for ever: a grandchild may hold the pipe open."""
    await asyncio.wait([task], timeout=patience)


def _sentence(code: int | None) -> str:
    if code is None:
        return "The agent closed its output but is still running."
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"number {-code}"
        return f"The agent was ended by signal {name}."
    return f"The agent exited with status {code}."


async def launch_foreign(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str]
) -> ForeignAgent:
    """Start ``command`` in ``cwd``, in a process group of its own. No shell reads it, but for the
    one that runs batch files on Windows. Raises ``StartFailedError`` when it cannot be started.
    """
    # Pipes of our own, so that waiting for the process never waits for whoever holds one open.
    (stdin, to_agent), (from_agent, stdout), (errors, stderr) = (os.pipe() for _ in range(3))
    try:
        process = await started(
            command,
            cwd=cwd,
            env=dict(environment),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=os.name == "posix",
        )
    except BaseException as error:
        for end in (to_agent, from_agent, errors):
            os.close(end)
        if not isinstance(error, (OSError, ValueError)):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise StartFailedError(f"{command[0]} could not be started: {reason}.") from None
    finally:
        for end in (stdin, stdout, stderr):
            os.close(end)
    transport = StdioTransport(await open_source(from_agent), await open_sink(to_agent))
    return ForeignAgent(process, transport, await open_source(errors))
