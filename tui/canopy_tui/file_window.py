"""Some lines of a file around a place, for somebody who looks on.

It only reads, only ordinary files, and never more than a few megabytes; whatever is wrong with a
file is one sentence. What is shown of it is not known here.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

MOST = 4_000_000
"""Bytes that are read from the start of a file."""
AROUND = 150
"""Lines before and after the place."""
_LONGEST_LINE = 2_000
_BINARY = 8_192
"""Bytes at the start in which a zero makes a file binary."""


@dataclass(frozen=True, slots=True)
class FileWindow:
    """``lines`` from number ``first`` on, counted from 1; ``line`` is the place, 0 when unknown.
    With a ``problem`` there are no lines.
    """

    lines: tuple[str, ...] = ()
    first: int = 1
    line: int = 0
    problem: str = ""


def read_window(path: str, cwd: str, line: int, text: str = "") -> FileWindow:
    """Lines around number ``line``; for 0 around the place where ``text`` stands. Blocking."""
    try:
        content, size = _content(_place(path, cwd))
    except FileNotFoundError:
        return FileWindow(problem="There is no such file (any more).")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return FileWindow(problem=f"It cannot be read: {reason}.")
    if content is None:
        return FileWindow(problem="It is no ordinary file.")
    if b"\0" in content[:_BINARY]:
        return FileWindow(problem=f"It is a binary file of {size:,} bytes.")
    if not content:
        return FileWindow(problem="It is empty.")
    whole = content.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n")
    return _around(whole, line or _line_of(whole, text), cut=size > len(content))


def _place(path: str, cwd: str) -> Path:
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    return Path(cwd) / path


def _content(place: Path) -> tuple[bytes | None, int]:
    """The start of an ordinary file, None for anything else, and its size."""
    # Not blocking: a named pipe would wait for a writer before it shows what it is.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    descriptor = os.open(place, flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return None, 0
        return file.read(MOST), facts.st_size


def _line_of(whole: str, text: str) -> int:
    """The number of the line where ``text``, or else its first line with words, stands."""
    words = next((line for line in text.split("\n") if line.strip()), "")
    for wanted in (text, words):
        at = whole.find(wanted) if wanted.strip() else -1
        if at >= 0:
            blank = len(wanted) - len(wanted.lstrip("\n"))
            return whole.count("\n", 0, at + blank) + 1
    return 0


def _around(whole: str, line: int, *, cut: bool) -> FileWindow:
    lines = whole.split("\n")
    if line > len(lines):
        if cut:
            return FileWindow(problem=f"Line {line:,} lies beyond the part that is read.")
        line = len(lines)  # the file was longer before
    first = max(1, line - AROUND)
    shown = lines[first - 1 : max(line, 1) + AROUND]
    return FileWindow(tuple(one[:_LONGEST_LINE] for one in shown), first, line)
