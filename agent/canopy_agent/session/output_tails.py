"""Reads what commands print while they run, for clients that can show it as it comes.

It asks the CLI (``get_task_output``, 2.1.332: the last 8 KiB of a task's output) and hands each
reading on; what is new in one is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.events import OutputRead

INTERVAL = 0.5
"""Seconds between two readings of one command."""

Ask = Callable[[dict[str, Any]], Coroutine[Any, Any, dict[str, Any]]]
Spawn = Callable[[Coroutine[Any, Any, Any]], "asyncio.Task[Any]"]


class OutputTails:
    """One reader per command. ``ask`` sends a control request, ``heard`` takes the readings."""

    def __init__(self, ask: Ask, spawn: Spawn, heard: Callable[[OutputRead], None]) -> None:
        self._ask = ask
        self._spawn = spawn
        self._heard = heard
        self._readers: dict[str, asyncio.Task[Any]] = {}

    def follow(self, task: str) -> None:
        """Read the output of ``task`` until :meth:`stop` or :meth:`finish`."""
        self.stop(task)
        self._readers[task] = self._spawn(self._follow(task))

    def stop(self, task: str) -> None:
        """Read no more."""
        reader = self._readers.pop(task, None)
        if reader is not None:
            reader.cancel()

    def finish(self, task: str) -> None:
        """Read once more; that reading is the last, and comes also when nothing can be read."""
        self.stop(task)
        self._spawn(self._finish(task))

    async def _follow(self, task: str) -> None:
        while (reading := await self._read(task)) is not None:
            self._heard(OutputRead(task, *reading))
            await asyncio.sleep(INTERVAL)

    async def _finish(self, task: str) -> None:
        self._heard(OutputRead(task, *(await self._read(task) or ("", 0)), last=True))

    async def _read(self, task: str) -> tuple[str, int] | None:
        try:
            reply: Mapping[str, Any] = await self._ask(
                {"subtype": "get_task_output", "task_id": task}
            )
        except ClaudeError:
            return None
        output, total = reply.get("output"), reply.get("total_bytes")
        return (output, total) if isinstance(output, str) and isinstance(total, int) else None
