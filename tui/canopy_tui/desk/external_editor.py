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
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from canopy_shared.ordinary import open_ordinary
from canopy_tui.process.windows_processes import started

LONGEST = 32_000_000
"""Bytes of a message that an editor leaves."""
_AT_ONCE = 0.7
"""Seconds in which nobody has written anything."""

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


async def edited(
    command: tuple[str, ...],
    text: str,
    environment: Mapping[str, str],
    clock: Callable[[], float] = time.monotonic,
) -> str:
    """``text`` after the person edited it. Raises :class:`EditorError`; the text is then as it was.

    The file is private, and gone afterwards, unless it holds what could not be taken over.
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix="message-", suffix=".md")
    except OSError as error:
        raise EditorError(f"The text could not be put in a file: {error}") from None
    given = (text + "\n" if text else "").encode(errors="replace")
    rescued = False
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(given)
        started_at = clock()
        code = await _run((*command, name), environment)
        at_once = clock() - started_at < _AT_ONCE
        content = None if code > 0 else _read(name)
        rescued = content is not None and content != given and code < 0
        if code != 0:
            how = f"ended with {code}" if code > 0 else "was killed"
            kept = f" What it had saved is in {name}." if rescued else ""
            raise EditorError(f"{command[0]} {how}; the text is as it was.{kept}")
        if content is None:
            raise EditorError("The editor left no file; the text is as it was.")
        if content == given and at_once:
            raise EditorError(
                f"{command[0]} came back at once with the text as it was. If its window is still "
                "open, give it the option to wait, such as EDITOR='code --wait'."
            )
        return _decoded(content)
    except _UnusableError as error:
        rescued = True
        raise EditorError(f"{error} The text is as it was; the other is in {name}.") from None
    except OSError as error:
        raise EditorError(f"{command[0]} could not be used: {error}") from None
    finally:
        if not rescued:
            _remove(name)


class _UnusableError(Exception):
    """What the editor left is no message; a sentence."""


def _read(name: str) -> bytes | None:
    """What is in the file, None when it is none any more."""
    if not Path(name).is_file():
        return None
    with open_ordinary(name) as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise _UnusableError(f"What the editor left has more than {LONGEST // 1_000_000} MB.")
    return content


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _UnusableError("What the editor left is not UTF-8.") from None
    return text.replace("\r\n", "\n").rstrip("\n")


def _remove(name: str) -> None:
    with contextlib.suppress(OSError):
        Path(name).unlink()


async def _run(command: tuple[str, ...], environment: Mapping[str, str]) -> int:
    process = await started(command, env=dict(environment))
    return await process.wait()
