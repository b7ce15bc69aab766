"""One line about one session: its mark, name, what it does, and its badges.

Used wherever sessions are listed. It measures in cells and never lets a name push a badge away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII, Badges, count_of_new, mark
from canopy_tui.model.state import Phase
from canopy_tui.view.drawing.labels import duration
from canopy_tui.view.drawing.strips import fitted_name

if TYPE_CHECKING:
    from canopy_tui.model.state import SessionView

STATE_STYLES = {
    "running": "$primary",
    "idle": "$text-muted",
    "done": "$success",
    "failed": "bold $error",
    "cancelled": "$text-muted",
    "disconnected": "$error",
    "ask": "bold $warning",
    "stale": "$warning",
}
"""How the main mark of a session is written. The glyph differs too; colour only repeats it."""

_MIN_NAME = 6
_ALOUD = ("ask", "failed")
"""States whose word is worth a shorter name; any other word is left out when it does not fit."""


def glyph_of(badges: Badges, glyphs: str) -> Content:
    """The main mark."""
    return Content.styled(mark(badges.state, glyphs).glyph, STATE_STYLES[badges.state])


def word_of(view: SessionView, badges: Badges) -> str:
    """What the session does or how it ended, in a word or a few."""
    if badges.state == "running":
        return view.activity or mark("running").word
    if badges.state == "ask":
        return "asks" if badges.asks < 2 else f"asks {badges.asks}"
    if badges.state == "stale":
        return "silent"
    return "" if badges.state == "idle" else mark(badges.state).word


def badge_parts(view: SessionView, badges: Badges, now: float, glyphs: str) -> list[Content]:
    """The marks at the right end, most urgent first; each holds only characters of our own."""
    return _badge_parts(badges, time_of(view, now), glyphs)


def _badge_parts(badges: Badges, time: str, glyphs: str) -> list[Content]:
    parts: list[Content] = []
    if badges.asks_below and badges.state != "ask":
        parts.append(Content.styled("!", "$warning"))
    if badges.after_turn is not None:
        parts.append(Content.styled(mark("after_turn", glyphs).glyph, "$secondary"))
    if badges.new:
        parts.append(Content.styled(count_of_new(badges.new, glyphs), "bold $secondary"))
    if time:
        parts.append(Content.styled(time, "$text-muted"))
    return parts


def time_of(view: SessionView, now: float) -> str:
    """How long it works, or worked; empty where that says nothing."""
    seconds = tree.elapsed(view, now)
    told = view.phase is Phase.RUNNING or (view.parent and view.phase.ended and seconds >= 1)
    return duration(seconds) if told else ""


def guides(lasts: Sequence[bool], glyphs: str) -> str:
    """The lines of the tree before a row. ``lasts`` tells of each level below the root whether the
    row, or its ancestor there, is the last of its siblings.
    """
    if not lasts:
        return ""
    through, corner, branch = ("| ", "`-", "|-") if glyphs == ASCII else ("│ ", "└─", "├─")
    above = "".join("  " if last else through for last in lasts[:-1])
    return above + (corner if lasts[-1] else branch)


@dataclass(frozen=True, slots=True)
class RowLook:
    """Everything that a row of the tree shows: equal looks are drawn equal.

    ``hidden`` counts the rows folded away below; ``lead`` is one character,
    a blank left of the guides.
    """

    name: str
    badges: Badges
    word: str = ""
    time: str = ""
    faded: bool = False
    lead: str = " "
    guides: str = ""
    hidden: int = 0
    is_open: bool = False
    has_cursor: bool = False


def row(look: RowLook, width: int, glyphs: str) -> Content:
    """The line, exactly ``width`` cells."""
    badges = look.badges
    right = Content(" ").join(_badge_parts(badges, look.time, glyphs))
    right_width = right.cell_length + 1 if right else 0
    lead = (look.lead, "$primary" if look.is_open else "$text-muted")
    left = Content.assemble(lead, " ", (look.guides, "$line"), glyph_of(badges, glyphs), " ")
    room = width - left.cell_length - right_width
    if room < _MIN_NAME:
        right, right_width, room = Content(""), 0, width - left.cell_length
    folded = f" +{look.hidden}" if look.hidden else ""
    word = f" · {look.word}" if look.word else ""
    aloud = badges.state in _ALOUD and room - len(folded) - cell_len(word) >= _MIN_NAME
    shown = fitted_name(look.name, max(1, room - len(folded) - (cell_len(word) if aloud else 0)))
    room -= cell_len(shown) + len(folded)
    parts = [left, Content.styled(shown, "$text-muted") if look.faded else Content(shown)]
    if folded:
        parts.append(Content.styled(folded, "$text-muted"))
    if word and cell_len(word) <= room:
        style = STATE_STYLES[badges.state] if badges.state in _ALOUD else "$text-muted"
        parts.append(Content.styled(word, style))
    line = Content.assemble(*parts)
    gap = width - line.cell_length - right_width
    return Content.assemble(line, " " * max(0, gap), " " if right else "", right)
