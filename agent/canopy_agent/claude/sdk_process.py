"""Runs the Claude Code CLI through the SDK's own subprocess transport.

The fallback (``CANOPY_CLAUDE_PROCESS=sdk``) and the oracle of ``cli_process``; the one module that
may know private names of claude-agent-sdk, which it lists in :data:`PRIVATE_NAMES`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.process import ProcessExit
from canopy_agent.claude.start_failure import explain
from canopy_agent.claude.streams import StderrTail
from canopy_shared import jsonio
from canopy_shared.framing import LINE_LIMIT
from canopy_shared.process_tree import descendants, kill_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from canopy_agent.claude.process import LaunchSpec
    from canopy_shared.process_tree import Descendant

logger = logging.getLogger(__name__)

MODULE = "claude_agent_sdk._internal.transport.subprocess_cli"
PRIVATE_NAMES = {
    "SubprocessCLITransport": "(prompt, options)",
    "SubprocessCLITransport.connect": "(self)",
    "SubprocessCLITransport.read_messages": "(self)",
    "SubprocessCLITransport.write": "(self, data)",
    "SubprocessCLITransport.end_input": "(self)",
    "SubprocessCLITransport.close": "(self)",
    "SubprocessCLITransport._build_command": "(self)",
}
"""What this module takes from :data:`MODULE`, with the parameters it relies on. The instance
attribute ``_process`` (an ``anyio.abc.Process``) is read besides."""

_EXIT_PATIENCE = 2.0
_TERM_PATIENCE = 2.0
_PIPE_PATIENCE = 0.5


class SdkProcess:
    """One CLI behind the SDK; implements :class:`~.process.ClaudeProcess`.

    What it does less well than ``CliProcess``: a line above ``line_limit`` characters, and a line
    that looks like JSON and is not, end the stream; a closed stdout is only seen at the exit;
    variables of our own environment that ``spec`` leaves out still reach the CLI; what the CLI
    started dies with it only where there is a ``/proc``.
    """

    def __init__(
        self,
        spec: LaunchSpec,
        *,
        on_stderr: Callable[[str], None] | None = None,
        line_limit: int = LINE_LIMIT,
    ) -> None:
        self._spec = spec
        self._limit = line_limit
        self._stderr = StderrTail(on_stderr)
        self._incoming: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._launching = asyncio.Lock()
        self._closing = asyncio.Event()
        self._grace = 0.0
        self._transport: Any = None
        self._process: Any = None
        self._ended = False
        self._owner: asyncio.Task[ProcessExit] | None = None
        self.exit: ProcessExit | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else int(self._process.pid)

    async def start(self) -> None:
        from claude_agent_sdk import ClaudeAgentOptions
        from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

        async with self._launching:
            if self._owner is not None:
                raise RuntimeError("this process was started before")
            if self._closing.is_set():
                raise ClaudeStartFailed("Claude Code was closed while it started.")
            options = ClaudeAgentOptions(
                cli_path=self._spec.argv[0],
                cwd=self._spec.cwd,
                env=dict(self._spec.env),
                max_buffer_size=self._limit,
                stderr=lambda line: self._stderr.feed(f"{line}\n".encode()),
            )
            transport = SubprocessCLITransport(prompt="", options=options)
            argv = list(self._spec.argv)
            transport._build_command = lambda: argv  # type: ignore[method-assign]
            try:
                await transport.connect()
            except Exception as error:
                cause = error.__cause__
                raise explain(self._spec, cause if isinstance(cause, OSError) else error) from error
            self._transport = transport
            self._process = transport._process
            self._owner = asyncio.create_task(self._own(), name="claude-process")

    async def read(self) -> list[dict[str, Any]]:
        frames: list[dict[str, Any]] = []
        if not self._ended:
            first = await self._incoming.get()
            if first is not None:
                frames.append(first)
            while first is not None and not self._incoming.empty():
                first = self._incoming.get_nowait()
                if first is not None:
                    frames.append(first)
            self._ended = first is None
        if not frames and self._owner is not None:
            await asyncio.wait({self._owner}, timeout=_EXIT_PATIENCE)
        return frames

    def write(self, frame: Mapping[str, Any]) -> None:
        if self.exit is None:
            self._outgoing.put_nowait(jsonio.dumps(frame) + b"\n")

    async def drain(self) -> None:
        if self._owner is not None and self.exit is None:
            joined = asyncio.ensure_future(self._outgoing.join())
            try:
                events: set[asyncio.Future[Any]] = {joined, self._owner}
                await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
            finally:
                joined.cancel()

    async def aclose(self, *, grace: float = 5.0) -> ProcessExit:
        if not self._closing.is_set():
            self._grace = grace
            self._closing.set()
        async with self._launching:
            owner = self._owner
        return ProcessExit(None, None, "") if owner is None else await asyncio.shield(owner)

    async def _own(self) -> ProcessExit:
        """Own the transport from the start to the end; its close must not be cancelled half-way."""
        reading = asyncio.create_task(self._pump_in())
        writing = asyncio.create_task(self._pump_out())
        dying = asyncio.create_task(self._process.wait())
        closing = asyncio.create_task(self._closing.wait())
        tasks: tuple[asyncio.Task[Any], ...] = (reading, writing, dying, closing)
        orphans: tuple[Descendant, ...] = ()
        try:
            await asyncio.sleep(0)  # Once it reads, the transport goes on reading while it closes.
            await asyncio.wait({reading, dying, closing}, return_when=asyncio.FIRST_COMPLETED)
            orphans = descendants(self._process.pid)
            if not dying.done():
                await self._end(dying)
            await asyncio.wait({reading}, timeout=_PIPE_PATIENCE)
            await self._hear_last_words()
            with contextlib.suppress(Exception):
                await self._transport.close()
        finally:
            kill_all(orphans)
            if self._process.returncode is None:
                self._process.kill()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._stderr.end()
            self.exit = ProcessExit.of(self._process.returncode, self._stderr.text)
            self._incoming.put_nowait(None)
        return self.exit

    async def _hear_last_words(self) -> None:
        """Wait for the end of stderr: the close of the transport drops what was not read of it."""
        hearing = self._transport._stderr_task
        if hearing is not None and self._process.returncode is not None:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_PIPE_PATIENCE):
                    await hearing.wait()

    async def _pump_in(self) -> None:
        try:
            async with aclosing(self._transport.read_messages()) as frames:
                async for frame in frames:
                    self._incoming.put_nowait(frame)
        except Exception as error:
            # A status other than 0 comes as an error too; only the process knows it exactly.
            logger.debug("The stream of Claude Code ended: %s", error)

    async def _pump_out(self) -> None:
        while True:
            line = await self._outgoing.get()
            with contextlib.suppress(Exception):
                await self._transport.write(line.decode())
            self._outgoing.task_done()

    async def _end(self, dying: asyncio.Task[Any]) -> None:
        """End the process before the transport does, which would take its own time for it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PIPE_PATIENCE):
                await self._outgoing.join()
                await self._transport.end_input()
        for end, patience in ((None, self._grace), (self._process.terminate, _TERM_PATIENCE)):
            if end is not None:
                end()
            await asyncio.wait({dying}, timeout=patience)
            if dying.done():
                return
        self._process.kill()
