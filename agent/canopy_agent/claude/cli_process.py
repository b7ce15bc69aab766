"""Runs the Claude Code CLI as a child of this process, on asyncio pipes.

The default implementation of the port. It must not know what frames mean, nor the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.process import ProcessExit
from canopy_agent.claude.start_failure import explain
from canopy_agent.claude.streams import FrameQueue, StderrTail
from canopy_agent.claude.termination import TERM, signal_group, sweep_group
from canopy_shared import dependents, jsonio
from canopy_shared.framing import LINE_LIMIT
from canopy_shared.process_tree import KILL, descendants, kill_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from canopy_agent.claude.process import LaunchSpec
    from canopy_shared.process_tree import Descendant

logger = logging.getLogger(__name__)

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_HIGH_WATER = 16 * 1024 * 1024
"""Bytes of unread frames above which the CLI has to wait."""

_TERM_PATIENCE = 2.0
_KILL_PATIENCE = 2.0
_PIPE_PATIENCE = 0.5
"""Seconds that pipes may stay open after the process ended: another process may hold them."""
_EXIT_PATIENCE = 2.0
"""Seconds that the end of stdout may come before the exit that explains it."""


class _Pipes(asyncio.SubprocessProtocol):
    """The event loop's side of one process: keeps what comes, and the marks of what is over."""

    def __init__(self, frames: FrameQueue, stderr: StderrTail) -> None:
        loop = asyncio.get_running_loop()
        self.frames = frames
        self.stderr = stderr
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed = {fd: loop.create_future() for fd in (_STDIN, _STDOUT, _STDERR)}
        self.writable = asyncio.Event()
        self.writable.set()
        self._transport: asyncio.SubprocessTransport | None = None
        self._paused = False
        self._high_water = _HIGH_WATER

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self.stderr.feed(data)
            return
        self.frames.feed(data)
        if self.frames.waiting > self._high_water:
            self._set_paused(True)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if not self.closed[fd].done():
            self.closed[fd].set_result(None)
        if fd == _STDIN:
            self.writable.set()
        elif fd == _STDOUT:
            self.frames.end()
        else:
            self.stderr.end()

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        self.writable.set()
        self.release()  # What the pipe still holds is small, and must not be lost.

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def relieve(self) -> None:
        """Read on if the backlog is gone."""
        if self._paused and self.frames.waiting <= self._high_water // 2:
            self._set_paused(False)

    def release(self) -> None:
        """Take all that comes from now on: a process that waits for its reader cannot end."""
        self._high_water = sys.maxsize
        self._set_paused(False)

    def _set_paused(self, paused: bool) -> None:
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(_STDOUT)
        if paused == self._paused or not isinstance(pipe, asyncio.ReadTransport):
            return
        self._paused = paused
        if paused:
            pipe.pause_reading()
        else:
            pipe.resume_reading()


class CliProcess:
    """One CLI in its own process group; implements :class:`~.process.ClaudeProcess`.

    ``on_stderr`` gets each line of its stderr. Lines of stdout above ``line_limit`` bytes are
    dropped, and lines that are no JSON object skipped; each is logged once.
    """

    def __init__(
        self,
        spec: LaunchSpec,
        *,
        on_stderr: Callable[[str], None] | None = None,
        line_limit: int = LINE_LIMIT,
    ) -> None:
        self._spec = spec
        self._frames = FrameQueue(line_limit)
        self._stderr = StderrTail(on_stderr)
        self._outgoing: list[bytes] = []
        self._flush_due = False
        self._launching = asyncio.Lock()
        self._closing: asyncio.Future[float] | None = None
        self._pipes: _Pipes | None = None
        self._transport: asyncio.SubprocessTransport | None = None
        self._owner: asyncio.Task[ProcessExit] | None = None
        self.exit: ProcessExit | None = None

    @property
    def pid(self) -> int | None:
        return None if self._transport is None else self._transport.get_pid()

    async def start(self) -> None:
        async with self._launching:
            if self._owner is not None:
                raise RuntimeError("this process was started before")
            loop = asyncio.get_running_loop()
            closing = self._closing = self._closing or loop.create_future()
            if not closing.done():
                await self._spawn(loop)
                self._owner = loop.create_task(self._own(), name="claude-process")
        if closing.done():
            await self.aclose()
            raise ClaudeStartFailed("Claude Code was closed while it started.")
        self._flush()

    async def read(self) -> list[dict[str, Any]]:
        assert self._pipes is not None, "start it first"
        frames = await self._frames.take()
        self._pipes.relieve()
        if not frames and self._owner is not None:
            # So that whoever sees the end can say why; a CLI may also just close its stdout.
            await asyncio.wait({self._owner}, timeout=_EXIT_PATIENCE)
        return frames

    def write(self, frame: Mapping[str, Any]) -> None:
        if self.exit is not None:
            return
        self._outgoing.append(jsonio.dumps(frame))
        if self._transport is not None and not self._flush_due:
            # One system call for all that one pass of the loop writes.
            self._flush_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    async def drain(self) -> None:
        self._flush()
        if self._pipes is not None:
            await self._pipes.writable.wait()

    async def aclose(self, *, grace: float = 5.0) -> ProcessExit:
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_future()
        if not self._closing.done():
            self._closing.set_result(grace)
        async with self._launching:
            owner = self._owner
        if owner is None:
            return ProcessExit(None, None, "")
        # A cancelled caller leaves the owner at work.
        return await asyncio.shield(owner)

    async def _spawn(self, loop: asyncio.AbstractEventLoop) -> None:
        pipes = _Pipes(self._frames, self._stderr)
        try:
            transport, _ = await loop.subprocess_exec(
                lambda: pipes,
                *self._spec.argv,
                cwd=self._spec.cwd,
                env=self._spec.env,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise explain(self._spec, error) from error
        self._pipes = pipes
        self._transport = transport
        dependents.started(transport.get_pid())

    async def _own(self) -> ProcessExit:
        """Own the process: wait for its end or for the wish to close, then leave nothing."""
        assert self._pipes is not None
        assert self._transport is not None
        assert self._closing is not None
        pipes, pid = self._pipes, self._transport.get_pid()
        try:
            events: set[asyncio.Future[Any]] = {pipes.exited, self._closing}
            await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
            orphans: tuple[Descendant, ...] = ()
            if not pipes.exited.done():
                # Shell commands are not in its group, and one may not care for what the CLI says.
                orphans = descendants(pid)
                await self._end(pipes, pid, self._closing.result())
            await sweep_group(pid)
            kill_all(orphans)
            await asyncio.wait(
                {pipes.closed[_STDOUT], pipes.closed[_STDERR]}, timeout=_PIPE_PATIENCE
            )
        except asyncio.CancelledError:
            # The loop is being torn down: no time for manners.
            if not pipes.exited.done():
                self._kill(pid)
                await asyncio.wait({pipes.exited}, timeout=_KILL_PATIENCE)
            raise
        finally:
            dependents.ended(pid)
            returncode = self._transport.get_returncode()
            self._transport.close()
            self._stderr.end()
            self.exit = ProcessExit.of(returncode, self._stderr.text)
            self._frames.end()
        return self.exit

    async def _end(self, pipes: _Pipes, pid: int, grace: float) -> None:
        """End a running process: end of input, SIGTERM, SIGKILL, each with its patience."""
        assert self._transport is not None
        self._flush()
        pipes.release()
        stdin = self._transport.get_pipe_transport(_STDIN)
        if stdin is not None:
            stdin.close()  # Sends what is buffered first.
        await asyncio.wait({pipes.exited}, timeout=grace)
        if not pipes.exited.done():
            if not signal_group(pid, TERM):
                with contextlib.suppress(ProcessLookupError):
                    self._transport.terminate()
            await asyncio.wait({pipes.exited}, timeout=_TERM_PATIENCE)
        if not pipes.exited.done():
            self._kill(pid)
            await asyncio.wait({pipes.exited}, timeout=_KILL_PATIENCE)
        if not pipes.exited.done():
            logger.error("Claude Code (process %d) did not end after SIGKILL", pid)

    def _kill(self, pid: int) -> None:
        # A killed CLI cannot end its shell commands, and they are not in its group.
        orphans = descendants(pid)
        if not signal_group(pid, KILL):
            assert self._transport is not None
            with contextlib.suppress(ProcessLookupError):
                self._transport.kill()
        kill_all(orphans)

    def _flush(self) -> None:
        self._flush_due = False
        if self._transport is None or not self._outgoing:
            return
        lines, self._outgoing = self._outgoing, []
        stdin = self._transport.get_pipe_transport(_STDIN)
        if isinstance(stdin, asyncio.WriteTransport) and not stdin.is_closing():
            stdin.write(b"\n".join([*lines, b""]))
