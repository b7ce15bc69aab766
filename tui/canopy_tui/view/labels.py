"""Short words for the screen: names, foreign text made harmless, numbers of agents, times.

Widgets take every such word from here, so that none spells it in another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.names import MAIN, NAME_LIMIT, name_of
from canopy_tui.model.sanitize import visible
from canopy_tui.model.words import agents, at_work, duration
from canopy_tui.view.strips import ASCII as ASCII_MARKS
from canopy_tui.view.strips import UNICODE as UNICODE_MARKS

if TYPE_CHECKING:
    from canopy_tui.view.strips import Marks

__all__ = [
    "MAIN",
    "NAME_LIMIT",
    "agents",
    "at_work",
    "duration",
    "foreign",
    "marks_of",
    "name_of",
]


def marks_of(glyphs: str) -> Marks:
    """The marks of a transcript in one of the two glyph sets."""
    return ASCII_MARKS if glyphs == ASCII else UNICODE_MARKS


def foreign(text: str, style: str = "") -> Content:
    """``text`` of any length for a widget: controls made visible, and never markup."""
    return Content.styled(visible(text, multiline=True), style)
