"""What sessions are called, in one harmless line.

Names come from the agent and are made harmless here, so that nobody who shows them has to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

NAME_LIMIT = 60
MAIN = "main"


_MARKED = re.compile(r" \(\d+\)$")


class Namesakes:
    """Numbers for children with equal names, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._own: dict[str, str] = {}
        self._marks: dict[str, str] = {}

    def mark(self, state: ClientState, session: str, own: str) -> str:
        """What tells ``session``, called ``own``, from others called so; empty for the first."""
        if self._own.get(session) != own:
            self._number(state)
        return self._marks.get(session, "")

    def _number(self, state: ClientState) -> None:
        children = [view for view in state.sessions.values() if view.parent is not None]
        self._own = {view.id: _own_name(view) for view in children}
        taken, last = set(self._own.values()), dict[str, int]()
        self._marks = {}
        for session, own in self._own.items():
            number = last.get(own, 0) + 1
            while number > 1 and f"{own} ({number})" in taken:
                number += 1
            last[own] = number
            self._marks[session] = f" ({number})" if number > 1 else ""


def name_of(state: ClientState, view: SessionView) -> str:
    """A root is ``main`` while it is the only one, else its title; a child has its own name,
    with a number behind it when another had that name before.
    """
    if view.parent is None:
        if len(state.roots) == 1:
            return MAIN
        return _steady(view.title) or f"{MAIN} {state.roots.index(view.id) + 1}"
    own = _own_name(view)
    return own + state.namesakes.mark(state, view.id, own)


def parts_of(name: str) -> tuple[str, str]:
    """``name`` without what tells it from its namesakes, and that: it must never be cut off."""
    found = _MARKED.search(name)
    at = found.start() if found else len(name)
    return name[:at], name[at:]


def _own_name(view: SessionView) -> str:
    return _steady(view.title) or _steady(view.role) or _steady(view.task) or "agent"


def _steady(text: str) -> str:
    # Terminals disagree on the width of joined and emoji-style characters; a name must not push
    # what is drawn to its right.
    line = clipped(text, NAME_LIMIT)
    return line if line.isascii() else line.translate(_UNSTEADY)


_UNSTEADY = dict.fromkeys((0x200C, 0x200D, 0xFE0E, 0xFE0F))
