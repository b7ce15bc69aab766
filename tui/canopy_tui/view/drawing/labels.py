"""Short words for the screen: names, foreign text made harmless, numbers of agents, times.

Widgets take every such word from here, so that none spells it in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.names import MAIN, NAME_LIMIT, name_of
from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.model.words import agents, at_work, duration, model_name, still, tokens
from canopy_tui.view.drawing.strips import ASCII as ASCII_MARKS
from canopy_tui.view.drawing.strips import UNICODE as UNICODE_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.drawing.strips import Marks

__all__ = [
    "MAIN",
    "NAME_LIMIT",
    "agents",
    "at_work",
    "details",
    "duration",
    "foreign",
    "is_done",
    "marks_of",
    "name_of",
    "runs_still",
    "still",
    "tokens",
    "whole",
]


def marks_of(glyphs: str) -> Marks:
    """The marks of a transcript in one of the two glyph sets."""
    return ASCII_MARKS if glyphs == ASCII else UNICODE_MARKS


def foreign(text: str, style: str = "") -> Content:
    """``text`` of any length for a widget: controls made visible, and never markup."""
    return Content.styled(visible(text, multiline=True), style)


def is_done(state: ClientState, root: SessionView) -> str:
    """``main is done · 2 agents still working``; empty when nothing of it is left, or it works."""
    running, held = tree.running_below(state, root.id)
    words = "" if root.in_turn else still(running, tree.totals(state).tasks, held)
    return f"{name_of(state, root)} is done · {words}" if words else ""


def runs_still(state: ClientState) -> str:
    """``3 agents and 1 task still at work, 1 waits for you.``"""
    sums = tree.totals(state)
    return f"{still(sums.running, sums.tasks, sums.held, 'still at work')}."


def whole(parts: Sequence[str], room: int, joint: str = " · ", *, stays: int = 0) -> str:
    """As many whole ``parts`` as fit in ``room`` cells, at least one: the last go first, but for
    the ``stays`` ones at the end.
    """
    left = list(parts)
    while len(left) > max(1, stays) and cell_len(joint.join(left)) > room:
        left.pop(-1 - stays)
    return joint.join(left)


def details(view: SessionView, room: int = 1000) -> str:
    """``opus · 41k tokens · 12 tools``: what is known of the work of a session, as far as there
    are so many cells for it.
    """
    parts = [clipped(model_name(view.model), 30)] if view.model else []
    if used := view.usage_used or view.spent:
        parts.append(f"{tokens(used)} tokens")
    if view.tools:
        parts.append(f"{len(view.tools)} tool{'' if len(view.tools) == 1 else 's'}")
    if view.cost:
        parts.append(f"${view.cost:.2f}")
    return whole(parts, room)
