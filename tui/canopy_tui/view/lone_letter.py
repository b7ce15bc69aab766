"""Tells a letter that answers from a letter of a word that somebody types.

Pure: the times are given, in seconds of any monotonic clock, and no widget is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SETTLE = 0.35
"""A letter answers once nothing else was typed for so long after it."""
BURST = 1.0
"""A letter that comes so soon after others belongs to them."""


@dataclass(slots=True)
class LoneLetter:
    """What was typed at a question that nobody asked for, such as the first one of all.

    A question that comes by itself may meet somebody who writes the first message already: ``o``
    would then trust a directory in the middle of ``hello``.
    """

    waiting: str = ""
    """A letter that answers unless more is typed."""
    _last: float = field(default=float("-inf"))

    def typed(self, letter: str, now: float, *, answers: bool) -> str:
        """What of it is text, this letter and one that waited; "" where it may be an answer.
        ``answers``: the letter is the key of an answer.
        """
        alone = not self.waiting and now - self._last > BURST
        self._last = now
        if letter == self.waiting or (alone and answers):
            self.waiting = letter  # a key that is held is one press
            return ""
        text, self.waiting = self.waiting + letter, ""
        return text
