"""What sessions are called on screen, in one harmless line, and how long things took.

Names come from the agent and are made harmless here, so that no widget has to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.view.strips import ASCII as ASCII_MARKS
from canopy_tui.view.strips import UNICODE as UNICODE_MARKS

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.strips import Marks

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


def marks_of(glyphs: str) -> Marks:
    """The marks of a transcript in one of the two glyph sets."""
    return ASCII_MARKS if glyphs == ASCII else UNICODE_MARKS


def foreign(text: str, style: str = "") -> Content:
    """``text`` of any length for a widget: controls made visible, and never markup."""
    return Content.styled(visible(text, multiline=True), style)


def duration(seconds: float) -> str:
    """``8s``, ``2m05``, ``1h07``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}m{rest:02}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}"


def at_work(agents_running: int, tasks_running: int) -> str:
    """``1 agent``, ``2 tasks``, ``1 agent and 2 tasks``."""
    parts = [agents(agents_running)] if agents_running or not tasks_running else []
    if tasks_running:
        parts.append(f"{tasks_running} task{'' if tasks_running == 1 else 's'}")
    return " and ".join(parts)


def agents(number: int) -> str:
    """``1 agent``, ``2 agents``."""
    return f"{number} agent" if number == 1 else f"{number} agents"
