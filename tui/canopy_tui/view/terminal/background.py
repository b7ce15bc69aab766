"""Asks the terminal for its background (OSC 11) and takes the answer out of what is typed.

Textual 8.2.8 would read the answer as keys. A terminal that never answers costs nothing: nobody
waits, and a key that could begin an answer is passed on after a moment. It knows no widget.

https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h3-Operating-System-Commands
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LIGHT, DARK = "light", "dark"
QUERY = "\x1b]11;?\x1b\\"
_BEGIN = "\x1b]11;"
_REPLY = re.compile(
    r"\x1b\]11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b\x9c]{0,8}"
    r"|[^\x07\x1b\x9c]{0,48})(?:\x07|\x1b\\|\x9c)"
)
_LONGEST = 72
_HOLD = 0.15
"""Seconds for which the beginning of an answer may wait for its rest."""
_WINDOW = 3.0
"""Seconds after the question in which beginnings are held back at all."""
_BRIGHT = 0.5
_NO_ANSWER = frozenset({"", "dumb", "linux"})
"""Terminals that are not asked: the Linux console may print the question."""


class BackgroundTold(Message):
    """The terminal has this background, ``light`` or ``dark``."""

    def __init__(self, background: str) -> None:
        super().__init__()
        self.background = background


def may_ask(environment: Mapping[str, str]) -> bool:
    """Whether the terminal may be asked."""
    return environment.get("TERM", "") not in _NO_ANSWER


def guess(environment: Mapping[str, str]) -> str:
    """What ``COLORFGBG`` says (rxvt and its kin: ``15;0``), "" when it says nothing."""
    number = environment.get("COLORFGBG", "").rpartition(";")[2]
    if not number.isdigit() or int(number) > 15:
        return ""
    return LIGHT if int(number) == 7 or int(number) > 8 else DARK


def background_of(red: str, green: str, blue: str) -> str:
    """From hexadecimal parts of one to four digits: how bright they look together."""
    parts = (int(part, 16) / (16 ** len(part) - 1) for part in (red, green, blue))
    weights = (0.299, 0.587, 0.114)
    bright = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return LIGHT if bright > _BRIGHT else DARK


class Replies:
    """Give it what the terminal sends, piece by piece; it returns what is no answer.

    ``told`` collects what the answers say. ``clock`` is monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = 0.0
        self._held = ""
        self._held_at = 0.0
        self.told: list[str] = []

    def asked(self) -> None:
        """The question is out."""
        self._until = self._clock() + _WINDOW

    def __call__(self, piece: str) -> str:
        """What may be read of ``piece``; the rest comes with the next one, or as overdue."""
        text, self._held = self._held + piece, ""
        if _BEGIN in text:
            text = _REPLY.sub(self._take, text)
        if self._clock() < self._until:
            at = _unfinished(text)
            text, self._held = text[:at], text[at:]
            self._held_at = self._clock()
        return text

    def overdue(self) -> str:
        """What was held back for an answer that does not come."""
        if not self._held or self._clock() - self._held_at < _HOLD:
            return ""
        late, self._held = self._held, ""
        return late

    def _take(self, found: re.Match[str]) -> str:
        red, green, blue = found.groups()
        if red and green and blue and self._until:
            self.told.append(background_of(red, green, blue))
            self._until = 0.0
        return ""


def _unfinished(text: str) -> int:
    """Where an answer begins that has no end yet; the length of ``text`` when none does."""
    at = text.rfind(_BEGIN)
    if at >= 0 and len(text) - at < _LONGEST:
        return at
    for length in range(min(len(_BEGIN), len(text)), 0, -1):
        if text.endswith(_BEGIN[:length]):
            return len(text) - length
    return len(text)


REPLIES = Replies()
"""Those of the one terminal that a process has."""
