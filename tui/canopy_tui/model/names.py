"""What sessions are called, in one harmless line.

Names come from the agent and are made harmless here, so that nobody who shows them has to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

NAME_LIMIT = 60
MAIN = "main"


def name_of(state: ClientState, view: SessionView) -> str:
    """A root is ``main`` while it is the only one, else its title; a child has its own name."""
    if view.parent is None:
        if len(state.roots) == 1:
            return MAIN
        return _steady(view.title) or f"{MAIN} {state.roots.index(view.id) + 1}"
    return _steady(view.title) or _steady(view.role) or _steady(view.task) or "agent"


def _steady(text: str) -> str:
    # Terminals disagree on the width of joined and emoji-style characters; a name must not push
    # what is drawn to its right.
    line = clipped(text, NAME_LIMIT)
    return line if line.isascii() else line.translate(_UNSTEADY)


_UNSTEADY = dict.fromkeys((0x200C, 0x200D, 0xFE0E, 0xFE0F))
