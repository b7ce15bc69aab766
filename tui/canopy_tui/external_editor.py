"""Writing a message in the editor of the person, as ``$VISUAL`` or ``$EDITOR`` names it.

It runs the program on a private file and reads the file back; who gives up the terminal meanwhile
is not known here.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from canopy_tui.windows_processes import started

_USUAL = ("notepad.exe",) if sys.platform == "win32" else ("nano", "vim", "vi", "emacs")


class EditorError(Exception):
    """The text was not edited; the sentence says why, and what to do."""


def editor_command(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The editor with its arguments, its path in full. Raises :class:`EditorError`."""
    for name in ("VISUAL", "EDITOR"):
        wanted = environment.get(name, "").strip()
        if not wanted:
            continue
        try:
            words = _words(wanted)
        except ValueError:
            raise EditorError(f"${name} cannot be read: {wanted}") from None
        program = shutil.which(str(Path(words[0]).expanduser()), path=environment.get("PATH"))
        if program is None:
            raise EditorError(f"${name} names {words[0]}, which is not there.")
        return (program, *words[1:])
    for name in _USUAL:
        program = shutil.which(name, path=environment.get("PATH"))
        if program is not None:
            return (program,)
    raise EditorError("No editor was found: set the variable EDITOR to yours.")


def _words(text: str, *, windows: bool = sys.platform == "win32") -> list[str]:
    # Backslashes part folders on Windows, and the quotes of what is not POSIX stay in the words.
    words = shlex.split(text, posix=not windows)
    return [word.strip('"') for word in words] if windows else words


async def edited(command: tuple[str, ...], text: str, environment: Mapping[str, str]) -> str:
    """``text`` after the person edited it. Raises :class:`EditorError`; the text is then as it was.

    The file is private, and gone afterwards.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix="message-", suffix=".md")
    except OSError as error:
        raise EditorError(f"The text could not be put in a file: {error}") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="\n") as out:
            out.write(text + "\n" if text else "")
        code = await _run((*command, name), environment)
        if code != 0:
            how = f"ended with {code}" if code > 0 else "was killed"
            raise EditorError(f"{command[0]} {how}; the text is as it was.")
        content = _read(name)
    except OSError as error:
        raise EditorError(f"{command[0]} could not be used: {error}") from None
    finally:
        _remove(name)
    return content.decode("utf-8", "replace").replace("\r\n", "\n").rstrip("\n")


def _read(name: str) -> bytes:
    if not Path(name).is_file():  # a pipe would never end
        raise EditorError("The editor left no file; the text is as it was.")
    return Path(name).read_bytes()


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        Path(name).unlink()


async def _run(command: tuple[str, ...], environment: Mapping[str, str]) -> int:
    process = await started(command, env=dict(environment))
    return await process.wait()
