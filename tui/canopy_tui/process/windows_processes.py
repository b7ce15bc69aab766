"""Starts and ends programs on Windows that are batch files, such as the ``agent.cmd`` npm makes.

Only ``cmd.exe`` runs such a file: it reads the arguments before the program behind it does, and it
is the process that we see. What the program does is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUFFIXES = (".cmd", ".bat")
_PLAIN = re.compile(r"[A-Za-z0-9#$*+\-./:?@_\\]+(?<!\\)")
_BEFORE_QUOTE = re.compile(r'(\\*)"')
_NOTHING = "%cd:~,%"
"""A part of a variable that is always there, and empty: a ``%`` that begins it cannot begin the
name of another variable. Inside quotes ``cmd.exe`` knows no other escape for ``%``."""


def is_batch_file(program: str) -> bool:
    """Whether only ``cmd.exe`` runs the file of this name."""
    return program.lower().rstrip(" .").endswith(_SUFFIXES)


def batch_line(command: Sequence[str]) -> str:
    """What goes after ``cmd.exe /c``, between two more quotes, so that the file gets its arguments.

    Raises ValueError for what cannot be told to a batch file: a line break or NUL.
    """
    if any(control in word for word in command for control in "\r\n\0"):
        raise ValueError("a batch file takes no argument with a line break")
    program, *arguments = command
    return " ".join([_quoted(program), *(_argument(word) for word in arguments)])


async def started(command: Sequence[str], **options: Any) -> asyncio.subprocess.Process:
    """The process of ``command``, which may be a batch file on Windows. Raises what
    :func:`asyncio.create_subprocess_exec` does.
    """
    if os.name == "nt" and is_batch_file(command[0]):
        return await asyncio.create_subprocess_shell(batch_line(command), **options)
    return await asyncio.create_subprocess_exec(*command, **options)


async def end_tree(process: asyncio.subprocess.Process) -> None:
    """End ``process`` and what it started, by force."""
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.DEVNULL)
    command = ("taskkill", "/PID", str(process.pid), "/T", "/F")
    with contextlib.suppress(OSError):
        await (await asyncio.create_subprocess_exec(*command, **quiet)).wait()
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            process.kill()


def _argument(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else _quoted(word)


def _quoted(word: str) -> str:
    # Programs read a doubled quote inside quotes as one, and for cmd.exe the quotes stay paired.
    # Backslashes count only before a quote.
    kept = _BEFORE_QUOTE.sub(lambda found: found[1] * 2 + '""', word)
    kept += "\\" * (len(word) - len(word.rstrip("\\")))
    return '"' + kept.replace("%", "%" + _NOTHING) + '"'
