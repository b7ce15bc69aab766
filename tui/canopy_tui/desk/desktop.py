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

CLIPBOARD, TMUX, TMUX_ONLY = "clipboard", "tmux", "tmux only"
"""Where a text went: to the clipboard of the desktop, to tmux and from there to the clipboard of
the terminal, to tmux alone.
"""
_TMUX = (
    *("load-buffer", "-w", "-", ";"),
    *("show-options", "-sv", "set-clipboard", ";"),
    *("display-message", "-p", "#{client_termfeatures}"),
)
"""Takes the text, and says whether the terminal gets it: tmux(1), ``set-clipboard``. Sequences of
programs (OSC 52) reach neither with the usual setting, ``external``.
"""

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

    async def copy(self, text: str) -> str:
        """Put ``text`` where it can be pasted from: says where, empty when no program took it."""
        for variable, name, words in () if self._is_far else _COPIERS:
            if variable and not self.environment.get(variable):
                continue
            if (path := self._program(name)) is not None:
                encoding = "utf-16-le" if name == "clip.exe" else "utf-8"
                given = text.encode(encoding, "surrogatepass")
                if await self._feed((path, *words), given) is not None:
                    return CLIPBOARD
        if self.environment.get("TMUX") and (path := self._program("tmux")) is not None:
            said = await self._feed((path, *_TMUX), text.encode("utf-8", "surrogatepass"), True)
            if said is not None:
                setting, _, features = said.partition("\n")
                return TMUX if setting != "off" and "clipboard" in features else TMUX_ONLY
        return ""

    async def _feed(
        self, command: Sequence[str], given: bytes, answers: bool = False
    ) -> str | None:
        """What the program says; None when it fails, or takes too long. Only of one that
        ``answers`` is that heard: others leave a child behind, which would hold the line open.
        """
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe if answers else nothing,
                stderr=nothing,
                env=dict(self.environment),
            )
        except OSError:
            return None
        try:
            said, _ = await asyncio.wait_for(process.communicate(given), _PATIENCE)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            return None
        return (said or b"").decode("utf-8", "replace") if process.returncode == 0 else None

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
