"""Tells a person who looks elsewhere: the bell and the window's title, sparingly.

It writes to the terminal and to nothing else; what is worth telling is read from the state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model import tree
from canopy_tui.model.glyphs import mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState

BELL_GAP = 2.0
"""Seconds between two bells at the least."""
LONG_RUN = 10.0
"""A run that took so many seconds is worth a bell at its end even to a person who looks."""


def window_title(state: ClientState, glyphs: str) -> str:
    """``! 2 · canopy`` while requests wait, ``▶ canopy`` while agents run."""
    sums = tree.totals(state)
    if sums.waiting:
        return f"! {sums.waiting} · canopy"
    return f"{mark('running', glyphs).glyph} canopy" if sums.running else "canopy"


class Announcer:
    """``ring`` rings the bell, ``write_title`` sets the title of the window."""

    def __init__(
        self,
        state: ClientState,
        glyphs: str,
        ring: Callable[[], None],
        write_title: Callable[[str], None],
    ) -> None:
        self._state = state
        self._glyphs = glyphs
        self._ring = ring
        self._write_title = write_title
        self._title = ""
        self._known: set[int] = set()
        self._rang_at = -BELL_GAP
        self._ran_since: float | None = None

    def look(self, now: float, *, watched: bool) -> None:
        """The state changed; ``now`` is monotonic, ``watched``: the window has the focus."""
        waiting = {request.key for request in self._state.waiting()}
        new, self._known = waiting - self._known, waiting
        running = tree.totals(self._state).running > 0
        all_done = self._ran_since is not None and not running and not waiting
        long_run = self._ran_since is not None and now - self._ran_since >= LONG_RUN
        if running and self._ran_since is None:
            self._ran_since = now
        elif not running and not waiting:
            self._ran_since = None
        if (new or (all_done and (long_run or not watched))) and now - self._rang_at >= BELL_GAP:
            self._rang_at = now
            self._ring()
        title = window_title(self._state, self._glyphs)
        if title != self._title:
            self._title = title
            self._write_title(title)
