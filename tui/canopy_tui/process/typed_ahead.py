"""Keeps what is typed before the screen is there: Ctrl+Q and Ctrl+S are keys already then.

Until a terminal is told otherwise it takes both for itself, to stop and go on with output (IXON,
termios(3)), so that a person who leaves at once would not be heard. What a key does is not known
here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

_before: tuple[int, list[Any]] | None = None
"""A terminal, and its modes as they were."""


@contextlib.contextmanager
def kept(terminal: int = 0) -> Iterator[None]:
    """Keep all keys that are typed on ``terminal``, if it is one, until ``give_back``."""
    global _before
    with contextlib.suppress(ImportError):  # where there is no termios
        import termios

        with contextlib.suppress(termios.error):
            before = termios.tcgetattr(terminal)
            during = [before[0] & ~termios.IXON, *before[1:]]
            termios.tcsetattr(terminal, termios.TCSANOW, during)
            _before = (terminal, before)
    try:
        yield
    finally:
        give_back()


def give_back() -> None:
    """The terminal is as it was. Whoever draws calls this first, so that it finds, and later leaves
    behind, the modes of before.
    """
    global _before
    found, _before = _before, None
    if found is not None:
        from canopy_tui.process.terminal_guard import set_back

        set_back(*found)
