"""What the background of the terminal was the last time, so that the first frame fits it.

A note that may be lost at any time; what it is good for is not known here.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from canopy_shared.ordinary import read_ordinary

_FILE = "background"
_WORDS = frozenset({"light", "dark"})


def noted(folder: Path) -> str:
    """``light`` or ``dark``, "" when nothing is noted."""
    try:
        word = read_ordinary(folder / _FILE, 64).decode(errors="replace").strip()
    except OSError:
        return ""
    return word if word in _WORDS else ""


def note(folder: Path, word: str) -> None:
    """Note it, if that is possible and news."""
    if noted(folder) == word:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / _FILE).write_text(f"{word}\n", encoding="utf-8")
