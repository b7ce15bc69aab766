"""Characters for a terminal that has no others: frames, marks and foreign text in ASCII, or in what
its encoding holds, each as wide as before.

What is drawn is not known here.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from canopy_tui.model.glyphs import ASCII, holds_unicode

_ALIKE: Final = str.maketrans(
    "·…—–‐‑−•›❯→←↑↓“”„‘’‚«»×✓✔✗✘●▶▷▸▼▾◀◂⊘◌◦☐☑↻⧗✻∅◴‖⋮▪ ␛",
    "-.-----*>>><^v\"\"\"'''<>x++xx*>>>vv<</ooox~=*?z=:* ?",
)
_BLOCKS: Final = {"▁": "_", "▔": "-", "█": "#", "░": ".", "▒": ":", "▓": "#"} | dict.fromkeys(
    "▏▎▍▌▋▊▉▐▕", "|"
)
_FRAMES: Final = range(0x2500, 0x25A0)
"""Lines, corners and blocks."""


class Plain(dict[int, str | int]):
    """A table for ``str.translate`` that grows with what is written.

    ``encoding`` is that of the terminal: what it holds stays. ``frames_only``: the terminal can
    show everything, but ASCII is wanted for what we draw.
    """

    def __init__(self, encoding: str, *, frames_only: bool = False) -> None:
        super().__init__()
        self._encoding = encoding
        self._frames_only = frames_only

    def __missing__(self, code: int) -> str | int:
        shown = self[code] = self._shown(chr(code))
        return shown

    def _shown(self, character: str) -> str:
        if character.isascii():
            return character
        if ord(character) in _FRAMES:
            return _frame(character)
        if self._frames_only or self._holds(character):
            return character
        alike = character.translate(_ALIKE)
        return alike if alike.isascii() else _nearest(character)

    def _holds(self, character: str) -> bool:
        try:
            character.encode(self._encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


def plain_for(encoding: str | None, glyphs: str) -> Plain | None:
    """The table for a terminal; None when it shows everything as it is."""
    if not holds_unicode(encoding):
        return Plain(encoding or "ascii")
    return Plain("utf-8", frames_only=True) if glyphs == ASCII else None


def _frame(character: str) -> str:
    if character in _BLOCKS:
        return _BLOCKS[character]
    name = unicodedata.name(character)
    if "QUADRANT" in name:
        return "+"
    if not name.startswith("BOX DRAWINGS"):
        return " "
    across, along = "HORIZONTAL" in name, "VERTICAL" in name
    return "-" if across and not along else "|" if along and not across else "+"


def _nearest(character: str) -> str:
    """Its letter without what is above it, or question marks."""
    from rich.cells import cell_len

    width = cell_len(character)
    letters = "".join(one for one in unicodedata.normalize("NFKD", character) if one.isascii())
    fits = len(letters) == width and letters.isprintable()
    return letters if fits else "?" * width
