"""Tells the person once in a run that what Canopy remembers cannot be kept.

What was to be written, and who shows the sentence, is not known here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from canopy_tui.model.words import reason_of

log = logging.getLogger(__name__)


class Unkept:
    """Call it with what was not written and why: each failure is logged, the first of its
    kind told."""

    def __init__(self) -> None:
        self._tell: Callable[[str], None] | None = None
        self._waiting: list[str] = []
        self._told: set[str] = set()

    def __call__(self, what: str, error: Exception) -> None:
        log.warning("%s could not be written: %s", what, error)
        self._once("cannot be written", _sentence(what, error))

    def too_large(self, what: str, limit: int) -> None:
        """It is not kept, since it has more than ``limit`` bytes."""
        size = f"more than {limit // 1_000_000} MB"
        log.warning("%s was not written: %s", what, size)
        words = f"{what[:1].upper()}{what[1:]} has {size}: it is lost if Canopy ends before it is"
        self._once("too large", f"{words} sent.")

    def listen(self, tell: Callable[[str], None]) -> None:
        """Call ``tell`` with the sentence, also when it is there already."""
        self._tell = tell
        while self._waiting:
            tell(self._waiting.pop(0))

    def _once(self, kind: str, sentence: str) -> None:
        if kind in self._told:
            return
        self._told.add(kind)
        if self._tell is None:
            self._waiting.append(sentence)
        else:
            self._tell(sentence)


def _sentence(what: str, error: Exception) -> str:
    return (
        f"Not kept: {what}. {reason_of(error)}. Until that is mended, what you write unsent, send "
        "and trust is remembered only until you quit."
    )
