"""Reads the end of what background tasks print, from the files that the agent names.

It reads ordinary files only, a bounded piece at a time and on a thread; what is shown of a piece is
not known here.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from canopy_shared.ordinary import open_ordinary
from canopy_tui.model.background import shown
from canopy_tui.model.events import TaskOutput

if TYPE_CHECKING:
    from canopy_tui.model.background import BackgroundTask
    from canopy_tui.model.state import ClientState

INTERVAL = 0.5
"""Seconds between two readings."""
TAIL = 16 * 1024
"""Bytes at the end of a file that are read."""
AT_ONCE = 16
"""So many tasks are followed; the newest ones."""

Read = Callable[[str], "tuple[str, bool] | None"]


def read_tail(path: str) -> tuple[str, bool] | None:
    """``(text, cut)``: the end of an ordinary file, and whether there is more before it.

    None when there is nothing to read. Whole lines, unless the end is one line. Never waits for a
    pipe or a device.
    """
    try:
        with open_ordinary(path, 0) as file:
            start = max(0, os.fstat(file.fileno()).st_size - TAIL)
            file.seek(start)
            piece = file.read(TAIL)
    except (OSError, ValueError):
        return None
    text = piece.decode("utf-8", "replace")
    if start:
        _, newline, rest = text.partition("\n")
        text = rest if newline and rest else text
    return text, start > 0


class TaskTails:
    """Follows the output of the running tasks of a state, and reads each once more at its end."""

    def __init__(
        self,
        state: Callable[[], ClientState],
        emit: Callable[[TaskOutput], None],
        *,
        read: Read = read_tail,
        wait: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._state = state
        self._emit = emit
        self._read = read
        self._wait = wait
        self._done: set[str] = set()
        self.running = False

    @property
    def has_work(self) -> bool:
        """Whether there is a file that may grow, or a last look to take."""
        return bool(self._followed())

    def _followed(self) -> list[BackgroundTask]:
        tasks = [task for task in shown(self._state()) if task.output_file]
        return [task for task in tasks if task.key not in self._done][-AT_ONCE:]

    async def run(self) -> None:
        """Read until no task is left."""
        if self.running:
            return
        self.running = True
        try:
            while tasks := self._followed():
                for task in tasks:
                    await self._look(task)
                await self._wait(INTERVAL)
        finally:
            self.running = False

    async def _look(self, task: BackgroundTask) -> None:
        last = task.is_over
        found = await asyncio.to_thread(self._read, task.output_file)
        if found is not None:
            self._emit(TaskOutput(task.key, *found))
        if last:
            self._done.add(task.key)
