"""The marks of a session: which apply now, and the glyph and word of each.

A mark always has a word beside its glyph, so that nothing depends on colour or on a font; the
``ascii`` set is for terminals without Unicode. Where marks are drawn is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from canopy_tui.model import tree
from canopy_tui.model.state import Phase

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView

UNICODE: Final = "unicode"
ASCII: Final = "ascii"

NEW_CAP = 99

_MARKS: dict[str, tuple[str, str, str]] = {
    # name: word, unicode, ascii
    "running": ("running", "▶", ">"),
    "idle": ("idle", "◌", "o"),
    "done": ("done", "✓", "+"),
    "failed": ("failed", "✗", "x"),
    "cancelled": ("stopped", "⊘", "/"),
    "disconnected": ("disconnected", "∅", "?"),
    "ask": ("ask", "!", "!"),
    "new": ("new", "●", "*"),
    "after_turn": ("after-turn", "↻", "~"),
    "live": ("live", "▂", "."),
    "stale": ("stale", "◴", "z"),
    "pending": ("pending", "▷", ">"),
    "in_progress": ("running", "▶", ">"),
    "completed": ("done", "✓", "+"),
    "thought": ("thought", "✻", "*"),
    "queued": ("queued", "⧗", "="),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A glyph of one cell, and the word that says the same."""

    name: str
    glyph: str
    word: str


def mark(name: str, glyphs: str = UNICODE) -> Mark:
    """The mark ``name`` in one of the two sets. Also takes the status of a tool call."""
    word, unicode, ascii_ = _MARKS[name]
    return Mark(name, ascii_ if glyphs == ASCII else unicode, word)


def names() -> tuple[str, ...]:
    """Every mark there is."""
    return tuple(_MARKS)


@dataclass(frozen=True, slots=True)
class Badges:
    """What a session's row shows. ``state`` is the name of its main mark: ``ask`` wins over
    ``stale``, and that over the phase.

    ``asks_below`` counts the requests of sessions below it: a collapsed row shows them dim.
    """

    state: str
    asks: int
    asks_below: int
    new: int
    after_turn: str | None
    live: bool


def badges(state: ClientState, view: SessionView, now: float) -> Badges:
    """The marks of one session at ``now`` (epoch seconds)."""
    asks = tree.waiting_at(state, view.id)
    if asks or view.requires_action:
        main = "ask"
    elif tree.is_stale(view, now):
        main = "stale"
    else:
        main = view.phase.value
    return Badges(
        state=main,
        asks=asks,
        asks_below=tree.waiting_below(state, view.id),
        new=view.unseen,
        after_turn=view.after_turn,
        live=view.phase is Phase.RUNNING and tree.is_live(view, now),
    )


def count_of_new(number: int, glyphs: str = UNICODE) -> str:
    """``●4``; empty for none, ``●99+`` beyond the cap."""
    if number <= 0:
        return ""
    shown = f"{NEW_CAP}+" if number > NEW_CAP else str(number)
    return mark("new", glyphs).glyph + shown


def glyph_set(environment: Mapping[str, str], encoding: str | None) -> str:
    """The set for this terminal: ``CANOPY_GLYPHS`` if it names one, else by the encoding."""
    wanted = environment.get("CANOPY_GLYPHS")
    if wanted in (UNICODE, ASCII):
        return wanted
    usable = holds_unicode(encoding) and environment.get("TERM") not in ("dumb", "linux")
    return UNICODE if usable else ASCII


def holds_unicode(encoding: str | None) -> bool:
    """Whether every character can be written in ``encoding``."""
    return (encoding or "").lower().replace("-", "").replace("_", "").startswith("utf")
