"""What the desktop around the terminal does for the client: clipboard, opener, files of its own.

It runs the programs that the desktop offers and writes new files; it knows no widget, and never
decides whether something may be opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATIENCE = 3.0
"""Seconds that a clipboard program gets; most hand over to a child of theirs at once."""

_COPIERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", "wl-copy", ()),
    ("DISPLAY", "xclip", ("-selection", "clipboard", "-in")),
    ("DISPLAY", "xsel", ("--clipboard", "--input")),
    ("", "pbcopy", ()),
    ("", "clip.exe", ()),
)
"""Variable that must be set, program, arguments. The text goes to its standard input."""

_OPENERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("wslview", ()),
    ("open" if sys.platform == "darwin" else "xdg-open", ()),
    ("gio", ("open",)),
)


@dataclass(frozen=True, slots=True)
class Desktop:
    """``environment`` says where a display is. Over SSH the programs here would reach another
    desk than the person's, so they are not used there.
    """

    environment: Mapping[str, str]

    @property
    def _is_far(self) -> bool:
        return bool(self.environment.get("SSH_CONNECTION") or self.environment.get("SSH_TTY"))

    def _program(self, name: str) -> str | None:
        return shutil.which(name, path=self.environment.get("PATH"))

    async def copy(self, text: str) -> bool:
        """Put ``text`` on the clipboard with a program; False when none did it."""
        if self._is_far:
            return False
        for variable, name, words in _COPIERS:
            if variable and not self.environment.get(variable):
                continue
            if (path := self._program(name)) is not None:
                encoding = "utf-16-le" if name == "clip.exe" else "utf-8"
                if await self._feed((path, *words), text.encode(encoding, "surrogatepass")):
                    return True
        return False

    async def _feed(self, command: Sequence[str], given: bytes) -> bool:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(self.environment),
            )
        except OSError:
            return False
        try:
            await asyncio.wait_for(process.communicate(given), _PATIENCE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            return False
        return process.returncode == 0

    async def open(self, target: str) -> str:
        """Open an address or a file with the program of the desktop. Empty, or why not."""
        if self._is_far:
            return f"This terminal is on another machine. Open it there: {target}"
        startfile = getattr(os, "startfile", None)
        if startfile is not None:
            try:
                await asyncio.to_thread(startfile, target)
            except OSError as error:
                return str(error)
            return ""
        for name, words in _OPENERS:
            if (path := self._program(name)) is not None:
                return await self._launch((path, *words, target))
        return f"No program to open it with was found (xdg-open). It is {target}"

    async def _launch(self, command: Sequence[str]) -> str:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(self.environment),
                start_new_session=True,
            )
        except OSError as error:
            return str(error)
        with contextlib.suppress(TimeoutError):
            if code := await asyncio.wait_for(process.wait(), _PATIENCE):
                return f"{Path(command[0]).name} ended with {code}."
        return ""

    def keep(self, content: bytes, ending: str) -> Path:
        """Put ``content`` in a new file of the temporary folder that only this person reads.

        Raises ``OSError``.
        """
        number, name = tempfile.mkstemp(prefix="canopy-", suffix=ending)
        with os.fdopen(number, "wb") as file:
            file.write(content)
        return Path(name)


def write_new(folder: Path, stem: str, ending: str, text: str) -> Path:
    """Write ``text`` to ``folder/STEM.ENDING``, or ``STEM-2.ENDING``, … : never over a file.

    Raises ``OSError`` when the folder cannot be written to; no part of the file stays then.
    """
    number = 1
    while True:
        path = folder / (f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}")
        try:
            file = path.open("x", encoding="utf-8", errors="backslashreplace", newline="")
        except FileExistsError:
            number += 1
            continue
        try:
            with file:
                file.write(text)
        except OSError:  # a full disk: half a file would look like a whole one
            path.unlink(missing_ok=True)
            raise
        return path
