"""When a key typed at a question answers it, and when it was meant for the message.

Pure: the times are given (seconds of any monotonic clock), and no widget is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

QUIET = 0.3
"""So long after a request appeared a key does not count for it."""
QUIET_OVER_DRAFT = 0.8
"""The same when it opened by itself over a message half written."""
IDLE = 1.0
"""A request opens by itself over a draft only when no key came for so long."""
SETTLE = 0.25
"""A letter answers once nothing else was typed for so long after it."""
RUN = 0.7
"""A letter that comes so soon after another belongs to the same word."""

_NEVER = float("-inf")


class Verdict(Enum):
    """What to do with a key."""

    PASS = "pass"
    IGNORE = "ignore"
    HOLD = "hold"
    """It answers, unless more is typed within ``SETTLE``."""
    TEXT = "text"
    """It belongs to a word, with the letter that was held: none of it answers."""
    GIVE_BACK = "give back"
    """The person is typing: the request steps back and the key goes where it was meant for."""


@dataclass(slots=True)
class KeyGuard:
    """Guards one question on screen: nothing answers it that was typed for elsewhere.

    ``by_person``: it was asked for, so nobody is surprised. ``collects``: whatever is typed and is
    no answer goes into the message while the question stays, as at the start.
    """

    appeared: float = _NEVER
    by_person: bool = True
    over_draft: bool = False
    collects: bool = False
    held: str = ""
    """A letter that answers unless more is typed."""
    typed_at: float = _NEVER
    """When something was typed last in the word that goes on."""
    _is_text: bool = False

    def verdict(
        self, now: float, *, text: str = "", answers: bool = False, harmless: bool = False
    ) -> Verdict:
        """Judge a key at ``now``. ``text``: the characters it would write; ``answers``: it answers,
        or does what cannot be undone; ``harmless``: it can answer nothing, so that it counts at
        any time.
        """
        if harmless:
            return Verdict.PASS
        if now - self.appeared < self._quiet:
            self.typed_at = now if text else self.typed_at
            return Verdict.GIVE_BACK if text and not self.by_person else Verdict.IGNORE
        if not text:
            self.typed_at = _NEVER  # a word ends here
            return Verdict.PASS
        in_run = now - self.typed_at <= RUN
        self.typed_at = now
        return self._of_letter(text, in_run=in_run, answers=answers)

    @property
    def _quiet(self) -> float:
        return QUIET_OVER_DRAFT if self.over_draft and not self.by_person else QUIET

    def _of_letter(self, text: str, *, in_run: bool, answers: bool) -> Verdict:
        if text == self.held:
            return Verdict.HOLD  # a key that is held down is one press
        of_word = bool(self.held) or (in_run and self._is_text)
        self.held, self._is_text = "", of_word
        if of_word or (self.collects and (in_run or not answers)):
            return Verdict.TEXT
        if not answers:
            return Verdict.PASS
        if in_run:
            return Verdict.IGNORE
        self.held = text
        return Verdict.HOLD

    def take_back(self) -> None:
        """The letter that was held answers no more, or has answered: what comes now is new."""
        self.held, self.typed_at, self._is_text = "", _NEVER, False


def may_open(now: float, last_key: float, *, typing: bool) -> bool:
    """Whether a request may open by itself now. ``typing``: something is half written."""
    return not typing or now - last_key >= IDLE
