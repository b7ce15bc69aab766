"""Reads what commands print while they run, for clients that can show it as it comes.

It reads the file that Claude Code writes the output to, or, as long as none is known, asks the CLI
(``get_task_output``, 2.1.332: the last 8 KiB of a task's output). What a client has of the output
is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import replace
from typing import Any

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.events import OutputRead
from canopy_agent.session.output_file import OutputFile

INTERVAL = 0.5
"""Seconds between two readings of one command that keep up with it."""

Ask = Callable[[dict[str, Any]], Coroutine[Any, Any, dict[str, Any]]]
Spawn = Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"]


class OutputTails:
    """One reader per command. ``ask`` sends a control request, ``heard`` takes the readings, and
    ``relieve`` waits until the client keeps up.
    """

    def __init__(
        self,
        ask: Ask,
        spawn: Spawn,
        heard: Callable[[OutputRead], None],
        relieve: Callable[[], Awaitable[None]],
    ) -> None:
        self._ask = ask
        self._spawn = spawn
        self._heard = heard
        self._relieve = relieve
        self._readers: dict[str, asyncio.Task[Any]] = {}
        self._files: dict[str, OutputFile] = {}
        self._totals: dict[str, int] = {}

    def follow(self, task: str, file: str | None = None) -> None:
        """Read the output of ``task``, from ``file`` when given, until :meth:`stop` or
        :meth:`finish`; what was read before is not read again.
        """
        self._halt(task)
        if file is not None:
            self._files[task] = OutputFile(file, self._totals.get(task, 0))
        self._readers[task] = self._spawn(self._follow(task))

    def stop(self, task: str) -> None:
        """Read no more."""
        self._halt(task)
        self._files.pop(task, None)
        self._totals.pop(task, None)

    def finish(self, task: str) -> None:
        """Read the rest; its last reading comes also when nothing can be read."""
        self._halt(task)
        self._spawn(self._finish(task))

    def _halt(self, task: str) -> None:
        reader = self._readers.pop(task, None)
        if reader is not None:
            reader.cancel()

    async def _follow(self, task: str) -> None:
        while (reading := await self._read(task)) is not None:
            told, more = reading
            self._heard(told)
            await (self._relieve() if more else asyncio.sleep(INTERVAL))

    async def _finish(self, task: str) -> None:
        nothing = OutputRead(task, "", 0), False
        told, more = await self._read(task) or nothing
        while more:
            self._heard(told)
            await self._relieve()
            told, more = await self._read(task) or nothing
        if (file := self._files.get(task)) is not None and told.exact:
            told = replace(told, output=told.output + file.rest())
        self._heard(replace(told, last=True))
        self.stop(task)

    async def _read(self, task: str) -> tuple[OutputRead, bool] | None:
        """A reading, and whether there is more at once. Nothing may wait between reading a file
        and handing that on, or a reader that is stopped there would lose it.
        """
        file = self._files.get(task)
        piece = None if file is None else file.read()
        if piece is not None:
            return OutputRead(task, piece.text, piece.total, exact=True), piece.more
        try:
            reply: Mapping[str, Any] = await self._ask(
                {"subtype": "get_task_output", "task_id": task}
            )
        except ClaudeError:
            return None
        output, total = reply.get("output"), reply.get("total_bytes")
        if not (isinstance(output, str) and isinstance(total, int)):
            return None
        self._totals[task] = total
        return OutputRead(task, output, total), False
