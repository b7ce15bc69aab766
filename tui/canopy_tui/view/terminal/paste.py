"""Keeps what is pasted from acting as keys, and from being read character by character.

A terminal brackets pasted text (xterm's mode 2004), but Textual 8.2.8 reads escape codes inside the
brackets as keys, and some terminals (tmux) let such codes through; and it takes more than a second
for a megabyte. So its parser sees the brackets only, and the text without its escape characters is
kept here; this knows no widget and no key.
"""

from __future__ import annotations

from collections import deque

_START, _END = "\x1b[200~", "\x1b[201~"
_DROPPED = "\x1b\x9b\x00"
"""Dropped, not translated away: that takes ten times as long for a long text."""


class PasteFilter:
    """Give it what the terminal sends, piece by piece; it returns what the parser may read.
    ``texts`` are those that were pasted and not taken yet, in order.

    The end of a bracket that stands in the pasted text itself is not taken for the end when the
    real one comes in the same piece.
    """

    def __init__(self) -> None:
        self.texts: deque[str] = deque()
        self._inside = False
        self._parts: list[str] = []
        self._held = ""
        """The end of the last piece, which may be the beginning of the end of a paste."""
        self._passed = ""
        """What was read last, which may be the beginning of the beginning."""

    def takes(self, piece: str) -> bool:
        """Whether something of ``piece`` is pasted."""
        return self._inside or _START in piece

    def __call__(self, piece: str) -> str:
        """What may be read of ``piece``; the rest comes with the next one."""
        rest = self._held + piece
        self._held = ""
        read = []
        while rest:
            if not self._inside:
                seen = len(self._passed)
                at = (self._passed + rest).find(_START)
                end = len(rest) if at < 0 else at + len(_START) - seen
                read.append(rest[:end])
                self._passed = "" if at >= 0 else (self._passed + rest)[1 - len(_START) :]
                self._inside = at >= 0
                rest = rest[end:]
                continue
            ours = rest.partition(_START)[0]
            at = ours.rfind(_END) if _END in ours else rest.find(_END)
            if at < 0:
                self._held = _beginning(rest)
                self._parts.append(_harmless(rest[: len(rest) - len(self._held)]))
                break
            self.texts.append("".join([*self._parts, _harmless(rest[:at])]))
            self._parts.clear()
            read.append(_END)
            rest = rest[at + len(_END) :]
            self._inside = False
        return "".join(read)


def _harmless(text: str) -> str:
    for character in _DROPPED:
        text = text.replace(character, "")
    return text


def _beginning(text: str) -> str:
    """The longest end of ``text`` that is a beginning of the end bracket, but not all of it."""
    for length in range(len(_END) - 1, 0, -1):
        if text.endswith(_END[:length]):
            return _END[:length]
    return ""
