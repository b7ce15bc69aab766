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

_MARKS: dict[str, tuple[str, str, str, str]] = {
    # name: word, unicode, ascii, what it means
    "running": ("running", "▶", ">", "works"),
    "idle": ("idle", "◌", "o", "waits for you to write, or to begin"),
    "ask": ("ask", "!", "!", "asks you"),
    "done": ("done", "✓", "+", "done"),
    "failed": ("failed", "✗", "x", "failed"),
    "cancelled": ("stopped", "⊘", "/", "stopped"),
    "disconnected": ("disconnected", "∅", "?", "cut off: its agent is gone"),
    "stale": ("stale", "◴", "z", "silent for a minute"),
    "queued": ("queued", "⧗", "=", "paused"),
    "new": ("new", "●", "*", "new since you looked"),
    "after_turn": ("after-turn", "↻", "~", "came after the turn"),
    "thought": ("thought", "✻", "*", "a thought"),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A glyph of one cell, the word that says the same, and what it means in a few more."""

    name: str
    glyph: str
    word: str
    meaning: str


def mark(name: str, glyphs: str = UNICODE) -> Mark:
    """The mark ``name`` in one of the two sets."""
    word, unicode, ascii_, meaning = _MARKS[name]
    return Mark(name, ascii_ if glyphs == ASCII else unicode, word, meaning)


def names() -> tuple[str, ...]:
    """Every mark there is."""
    return tuple(_MARKS)


def marks(glyphs: str) -> list[Mark]:
    """All of them."""
    return [mark(name, glyphs) for name in _MARKS]


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
