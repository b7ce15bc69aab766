"""One line about one session: its mark, name, what it does, and its badges.

Used wherever sessions are listed. It measures in cells and never lets a name push a badge away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from canopy_tui.model import tree
from canopy_tui.model.glyphs import ASCII, Badges, count_of_new, mark
from canopy_tui.model.state import Phase
from canopy_tui.view.labels import duration
from canopy_tui.view.strips import fitted

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
_MIN_ACTIVITY = 10


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
    parts: list[Content] = []
    if badges.asks_below and badges.state != "ask":
        parts.append(Content.styled("!", "$warning"))
    if badges.after_turn is not None:
        parts.append(Content.styled(mark("after_turn", glyphs).glyph, "$secondary"))
    if badges.new:
        parts.append(Content.styled(count_of_new(badges.new, glyphs), "bold $secondary"))
    seconds = tree.elapsed(view, now)
    if view.phase is Phase.RUNNING or (view.parent and view.phase.ended and seconds >= 1):
        parts.append(Content.styled(duration(seconds), "$text-muted"))
    return parts


def guides(lasts: Sequence[bool], glyphs: str) -> str:
    """The lines of the tree before a row. ``lasts`` tells of each level below the root whether the
    row, or its ancestor there, is the last of its siblings.
    """
    if not lasts:
        return ""
    through, corner, branch = ("| ", "`-", "|-") if glyphs == ASCII else ("│ ", "└─", "├─")
    above = "".join("  " if last else through for last in lasts[:-1])
    return above + (corner if lasts[-1] else branch)


def row(
    view: SessionView,
    name: str,
    badges: Badges,
    now: float,
    width: int,
    *,
    before: Content,
    glyphs: str,
    hidden: int = 0,
) -> Content:
    """The line, exactly ``width`` cells. ``before`` stands left of the mark; ``hidden`` counts the
    rows folded away below.
    """
    right = Content(" ").join(badge_parts(view, badges, now, glyphs))
    right_width = right.cell_length + 1 if right else 0
    left = Content.assemble(before, glyph_of(badges, glyphs), " ")
    room = width - left.cell_length - right_width
    if room < _MIN_NAME:
        right, right_width, room = Content(""), 0, width - left.cell_length
    folded = f" +{hidden}" if hidden else ""
    shown = fitted(name, max(1, room - len(folded)))
    room -= cell_len(shown) + len(folded)
    style = "$text-muted" if view.phase in (Phase.DONE, Phase.CANCELLED) else ""
    parts = [left, Content.styled(shown, style) if style else Content(shown)]
    if folded:
        parts.append(Content.styled(folded, "$text-muted"))
    word = word_of(view, badges)
    if word and room > min(len(word), _MIN_ACTIVITY):
        asks = badges.state in ("ask", "failed")
        parts.append(
            Content.styled(
                f" {fitted(word, room - 2)}", STATE_STYLES[badges.state] if asks else "$text-muted"
            )
        )
    line = Content.assemble(*parts)
    gap = width - line.cell_length - right_width
    return Content.assemble(line, " " * max(0, gap), " " if right else "", right)
