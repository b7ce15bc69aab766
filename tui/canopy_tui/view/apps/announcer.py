"""Tells a person who looks elsewhere: the bell, a notice of the desktop, the window's title.

It writes to the terminal and to nothing else, sparingly; what is worth telling is read from the
state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from canopy_tui.model import tree
from canopy_tui.model.glyphs import NEW_CAP, mark
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.drawing.labels import at_work, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState

OFF: Final = "off"
BELL: Final = "bell"
DESKTOP: Final = "desktop"
SETTINGS: Final = (OFF, BELL, DESKTOP)
SETTING: Final = "CANOPY_NOTIFY"

BELL_GAP = 2.0
"""Seconds between two bells at the least."""
LONG_RUN = 10.0
"""A run that took so many seconds is worth a bell at its end even to a person who looks."""
SETTLED = 1.5
"""Seconds without work after which all is done: a turn may follow from the end of an agent."""
_TEXT = 120


def notify_setting(environment: Mapping[str, str]) -> str:
    """What ``CANOPY_NOTIFY`` says; by default the bell, and nothing in CI or on a dumb terminal."""
    wanted = environment.get(SETTING, "").strip().lower()
    if wanted in SETTINGS:
        return wanted
    nobody = environment.get("CI", "").lower() not in ("", "0", "false")
    return OFF if nobody or environment.get("TERM") == "dumb" else BELL


def window_title(state: ClientState, glyphs: str) -> str:
    """``! 2 · canopy`` while requests wait, ``▶ 3 · canopy`` while agents or tasks in the
    background are at work, ``● 4 · canopy`` when there is something new. Where only tasks are left
    it says both: some of them never end.
    """
    sums = tree.totals(state)
    if sums.waiting:
        return f"! {sums.waiting} · canopy"
    parts = []
    if number := sums.running + sums.tasks:
        parts.append(f"{mark('running', glyphs).glyph} {number}")
    if sums.new and not sums.running:
        new = f"{NEW_CAP}+" if sums.new > NEW_CAP else str(sums.new)
        parts.append(f"{mark('new', glyphs).glyph} {new}")
    return " · ".join([*parts, "canopy"])


class Announcer:
    """``ring`` gets the words of a notice, ``write_title`` the title of the window."""

    def __init__(
        self,
        state: ClientState,
        glyphs: str,
        ring: Callable[[str], None],
        write_title: Callable[[str], None],
    ) -> None:
        self._state = state
        self._glyphs = glyphs
        self._ring = ring
        self._write_title = write_title
        self._title = ""
        self._known: set[int] = set()
        self._rang_at = -BELL_GAP
        self._unheard = ""
        self._level = 0
        """What ran when it was looked last, or is not yet told to be over."""
        self._ran_since = 0.0
        self._rests_since: float | None = None

    def look(self, now: float, *, watched: bool) -> None:
        """The state changed, or time went by; ``now`` is monotonic, ``watched``: the window has
        the focus.
        """
        waiting = {request.key for request in self._state.waiting()}
        new, self._known = waiting - self._known, waiting
        if new:
            self._unheard = self._asks(min(new))
        elif not waiting and self._unheard.startswith("!"):
            self._unheard = ""
        done = self._all_done(now, bool(waiting), watched=watched)
        if done:
            self._unheard = done
        if self._unheard and now - self._rang_at >= BELL_GAP:
            self._rang_at = now
            words, self._unheard = self._unheard, ""
            self._ring(words)
        title = window_title(self._state, self._glyphs)
        if title != self._title:
            self._title = title
            self._write_title(title)

    @property
    def has_more(self) -> bool:
        """Whether time alone may lead to a notice."""
        return bool(self._unheard) or self._rests_since is not None

    def _asks(self, key: int) -> str:
        request = next(one for one in self._state.waiting() if one.key == key)
        view = self._state.sessions.get(request.session)
        who = name_of(self._state, view) if view else "An agent"
        return f"! {who} asks: {clipped(request.summary, _TEXT)}"

    def _all_done(self, now: float, waiting: bool, *, watched: bool) -> str:
        """Words when all agents are done since a moment, or the last task in the background is,
        and that is worth telling.
        """
        sums = tree.totals(self._state)
        level = _AGENTS if sums.running or sums.held else _TASKS if sums.tasks else 0
        if level > self._level:
            self._ran_since = now
            if not self._unheard.startswith("!"):
                self._unheard = ""  # it is not so any more
        if level >= self._level:
            self._level, self._rests_since = level, None
            return ""
        if waiting:
            return ""
        if self._rests_since is None:
            self._rests_since = now
        if now - self._rests_since < SETTLED:
            return ""
        long_run = self._rests_since - self._ran_since >= LONG_RUN
        self._level, self._ran_since, self._rests_since = level, self._rests_since, None
        if not long_run and watched:
            return ""
        return f"The agents are done · {at_work(0, sums.tasks)} still working" if level else _DONE


_TASKS, _AGENTS = 1, 2
_DONE = "All is done."
