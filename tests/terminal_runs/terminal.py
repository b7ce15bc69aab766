"""A real pseudo-terminal with a screen, through tmux: type, look, resize.

It must not know what runs in it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

BOUND = 60.0
LOOK = 0.05
"""Seconds between two looks: each is a process, and takes time from the program."""
SIZE = ("COLUMNS", "LINES")
"""readline sets them where something imported it, and programs believe them above the terminal."""
HINT = "tmux is missing; install it with: sudo apt-get install -y tmux"


class Terminal:
    """One tmux server with one window. Screens are text without styles, one string."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    async def tmux(self, *words: str) -> str:
        """Run one tmux command and give what it prints."""
        process = await asyncio.create_subprocess_exec(
            *("tmux", "-u", "-L", self._socket, *words),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name not in SIZE},
        )
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode(errors="replace")
        return out.decode(errors="replace")

    async def screen(self) -> str:
        """What the terminal shows now."""
        return await self.tmux("capture-pane", "-p", "-t", "main")

    async def keys(self, *names: str) -> None:
        """Press keys by tmux's names: ``Enter``, ``C-t``, ``M-Up``, ``F4``."""
        await self.tmux("send-keys", "-t", "main", *names)

    async def type(self, text: str) -> None:
        """Type text as it is."""
        await self.tmux("send-keys", "-t", "main", "-l", text)

    async def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal."""
        await self.tmux("resize-window", "-t", "main", "-x", str(columns), "-y", str(rows))

    async def shows(self, *texts: str, bound: float = BOUND) -> str:
        """Wait until every text is on the screen at once; gives that screen."""
        return await self.until(
            lambda screen: all(text in screen for text in texts), f"{texts} on the screen", bound
        )

    async def until(self, fits: Callable[[str], bool], what: str, bound: float = BOUND) -> str:
        """Wait until the screen fits; gives it."""
        deadline = asyncio.get_running_loop().time() + bound
        while not fits(screen := await self.screen()):
            assert asyncio.get_running_loop().time() < deadline, f"no {what}:\n{screen}"
            await asyncio.sleep(LOOK)
        return screen

    async def press_until(self, key: str, fits: Callable[[str], bool], what: str) -> str:
        """Press ``key`` until the screen fits: a question ignores keys that come too early.

        Each press gets a second to show its effect. On a slow machine a second press may reach
        what comes after: not for keys that do something there, as Escape, which stops a turn.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + BOUND
        while True:
            await self.keys(key)
            look_again = loop.time() + 1.0
            while loop.time() < look_again:
                if fits(screen := await self.screen()):
                    return screen
                await asyncio.sleep(LOOK)
            assert loop.time() < deadline, f"no {what}:\n{screen}"

    async def ended(self) -> str:
        """Wait until the program ended; gives the last screen, which holds its exit status."""
        return await self.until(lambda screen: "exit status: " in screen, "end of the program")


@contextlib.asynccontextmanager
async def terminal(
    command: Sequence[str],
    *,
    columns: int = 120,
    rows: int = 40,
    env: Mapping[str, str] | None = None,
) -> AsyncIterator[Terminal]:
    """Run ``command`` in a terminal; afterwards the screen keeps its last lines and exit status."""
    assert shutil.which("tmux"), HINT
    made = Terminal(f"canopy-{uuid.uuid4().hex[:8]}")
    settings = "".join(f"{k}={shlex.quote(v)} " for k, v in (env or {}).items())
    line = f'{settings}{shlex.join(command)}; echo "exit status: $?"; exec sleep 60'
    size = ("-x", str(columns), "-y", str(rows))
    await made.tmux("-f", os.devnull, "new-session", "-d", "-s", "main", *size, line)
    try:
        yield made
    finally:
        with contextlib.suppress(AssertionError):
            await made.tmux("kill-server")
