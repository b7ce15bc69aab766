"""Short words for the screen: names, foreign text made harmless, numbers of agents, times.

Widgets take every such word from here, so that none spells it in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.names import MAIN, NAME_LIMIT, name_of
from canopy_tui.model.sanitize import visible
from canopy_tui.view.strips import ASCII as ASCII_MARKS
from canopy_tui.view.strips import UNICODE as UNICODE_MARKS

if TYPE_CHECKING:
    from canopy_tui.view.strips import Marks

__all__ = ["MAIN", "NAME_LIMIT", "agents", "duration", "foreign", "marks_of", "name_of"]


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
