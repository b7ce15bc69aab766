"""What the first frame looked like the last time: the background of the terminal, and how wide the
tree was.

Notes that may be lost at any time; what they are good for is not known here.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from canopy_shared.ordinary import read_ordinary

_FILE = "background"
_WIDTH_FILE = "tree-width"
_MOST_DIGITS = 4
_WORDS = frozenset({"light", "dark"})


def noted(folder: Path) -> str:
    """``light`` or ``dark``, "" when nothing is noted."""
    word = _read(folder, _FILE)
    return word if word in _WORDS else ""


def note(folder: Path, word: str) -> None:
    """Note it, if that is possible and news."""
    if noted(folder) != word:
        _write(folder, _FILE, word)


def noted_width(folder: Path) -> int:
    """Columns of the tree, 0 when nothing is noted."""
    word = _read(folder, _WIDTH_FILE)
    return int(word) if word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS else 0


def note_width(folder: Path, width: int) -> None:
    """Note the columns, if that is possible."""
    _write(folder, _WIDTH_FILE, str(width))


def _read(folder: Path, file: str) -> str:
    try:
        return read_ordinary(folder / file, 64).decode(errors="replace").strip()
    except OSError:
        return ""


def _write(folder: Path, file: str, word: str) -> None:
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / file).write_text(f"{word}\n", encoding="utf-8")
