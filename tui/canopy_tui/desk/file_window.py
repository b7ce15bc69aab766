"""Some lines of a file around a place, for somebody who looks on.

It only reads, only ordinary files, and never more than a few megabytes; whatever is wrong with a
file is one sentence. What is shown of it is not known here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from canopy_shared.ordinary import open_ordinary

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
    With a ``problem`` there are no lines. ``note`` is what else is to be known of the lines.
    """

    lines: tuple[str, ...] = ()
    first: int = 1
    line: int = 0
    problem: str = ""
    note: str = ""


def read_window(
    path: str, cwd: str, line: int, texts: tuple[str, ...] = (), skip: int = 0
) -> FileWindow:
    """Lines around number ``line``, or ``skip`` lines below it where one of ``texts`` begins there;
    for 0 around the place ``skip`` lines below the start of the first of ``texts`` that is there.
    Blocking.
    """
    try:
        content, size = _content(place_of(path, cwd))
    except FileNotFoundError:
        return FileWindow(problem="There is no such file.")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return FileWindow(problem=f"It cannot be read: {reason}.")
    if b"\0" in content[:_BINARY]:
        return FileWindow(problem=f"It is a binary file of {size:,} bytes.")
    if not content:
        return FileWindow(problem="It is empty.")
    cut = size > len(content)
    if cut:
        content = content[: content.rfind(b"\n") + 1] or content
    notes = [f"only its first {MOST // 1_000_000} MB are read"] if cut else []
    try:
        whole = content.decode("utf-8")
    except UnicodeDecodeError:
        whole = content.decode("utf-8", "replace")
        notes.append("it is not UTF-8")
    whole = whole.removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n")
    at = _below(whole, line, texts, skip) if line else _line_of(whole, texts, skip)
    return _around(whole, at, notes, cut=cut)


def is_file(path: str) -> bool:
    """Whether there is an ordinary file."""
    try:
        path.encode()
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def line_of(path: str, cwd: str, text: str) -> int:
    """The number of the line in which ``text`` begins in a file; 0 when it is not there, or more
    than once. Blocking.
    """
    try:
        content, _ = _content(place_of(path, cwd))
    except (OSError, ValueError):
        return 0
    whole = content.decode("utf-8", "replace").replace("\r\n", "\n")
    wanted = text.replace("\r\n", "\n")
    return whole.count("\n", 0, whole.index(wanted)) + 1 if whole.count(wanted) == 1 else 0


def place_of(path: str, cwd: str) -> Path:
    """Where ``path`` lies, which may be a ``file:`` address or start at ``cwd``."""
    if path.startswith("file://"):
        path = unquote(urlsplit(path).path)
    return Path(cwd) / path


def _content(place: Path) -> tuple[bytes, int]:
    """The start of an ordinary file, and its size."""
    with open_ordinary(place) as file:
        return file.read(MOST), os.fstat(file.fileno()).st_size


def _below(whole: str, line: int, texts: tuple[str, ...], skip: int) -> int:
    """``line``, or the change itself where ``line`` names the start of a part with lines around."""
    if not skip or line > whole.count("\n") + 1:
        return line
    lines = whole.split("\n")
    parts = (text.removesuffix("\n").split("\n") for text in texts)
    stands = any(lines[line - 1 : line - 1 + len(part)] == part for part in parts)
    return line + skip if stands else line


def _line_of(whole: str, texts: tuple[str, ...], skip: int) -> int:
    """The number of the line at which the first of ``texts`` that is there differs; else that of
    the first line with words of one of them; 0 when nothing of them is there.
    """
    for text in texts:
        at = whole.find(text.removesuffix("\n")) if text.strip() else -1
        if at >= 0:
            return whole.count("\n", 0, at) + 1 + skip
    for text in texts:
        words = next((line for line in text.split("\n")[skip:] if line.strip()), "")
        at = whole.find(words) if words else -1
        if at >= 0:
            return whole.count("\n", 0, at) + 1
    return 0


def _around(whole: str, line: int, notes: list[str], *, cut: bool) -> FileWindow:
    lines = whole.split("\n")
    if line > len(lines):
        if cut:
            return FileWindow(problem=f"Line {line:,} lies beyond the part that is read.")
        notes = [*notes, f"it ends before line {line:,}"]
        line = len(lines)
    first = max(1, line - AROUND)
    shown = lines[first - 1 : max(line, 1) + AROUND]
    shortened = tuple(one[:_LONGEST_LINE] for one in shown)
    return FileWindow(shortened, first, line, note=", ".join(notes))
