"""Rows of a transcript: styled runs, wrapped to a width in cells, and the strips made of them.

Text is never parsed as markup here: a run is a string with a style, and stays so up to the screen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from canopy_tui.model import glyphs
from canopy_tui.model.glyphs import mark
from canopy_tui.model.names import parts_of
from canopy_tui.model.sanitize import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from canopy_tui.view.drawing.ink import Ink

NONE = Style()

Run: TypeAlias = tuple[str, Style]
Line: TypeAlias = list[Run]

PROSE = 100
"""Cells above which prose is not stretched: longer lines are hard to read."""


class Row(NamedTuple):
    """One line on the screen.

    ``gutter`` counts the leading characters that are decoration, which copying leaves out;
    ``joint`` is what copying puts between the row before and this one: a newline, or what wrapping
    took away; ``hit`` names what a click does (``toggle``, ``open``, ``action``); ``fill`` is the
    background right of the text.
    """

    runs: tuple[Run, ...] = ()
    gutter: int = 0
    joint: str = "\n"
    hit: str = ""
    fill: Style | None = None

    @property
    def text(self) -> str:
        """All characters of the row."""
        return "".join(text for text, _ in self.runs)


BLANK = Row()

WITH_KEYS, WITHOUT_KEYS = "  [enter: open]", "  [click: open]"
"""As long as each other, so that nothing else on the line depends on the focus."""


def without_keys(row: Row) -> Row:
    """``row`` as it is where keys go elsewhere: a card is opened by a click alone."""
    if row.hit != "open" or not row.runs or row.runs[-1][0] != WITH_KEYS:
        return row
    return row._replace(runs=(*row.runs[:-1], (WITHOUT_KEYS, row.runs[-1][1])))


def without_hint(row: Row) -> Row:
    """``row`` as it is where nothing opens: on paper."""
    if row.hit != "open" or not row.runs or row.runs[-1][0] != WITH_KEYS:
        return row
    return row._replace(runs=row.runs[:-1])


class Marks(NamedTuple):
    """The glyphs of a transcript, one cell each."""

    running: str
    pending: str
    done: str
    failed: str
    cancelled: str
    asks: str
    thought: str
    after_turn: str
    user: str
    bar: str
    quote: str
    bullets: str
    rule: str
    cross: str
    column: str
    below: str
    more: str
    ticked: str
    unticked: str
    dot: str
    info: str


def _marks(kind: str, ornaments: str) -> Marks:
    names = ("running", "idle", "done", "failed", "cancelled", "ask", "thought", "after_turn")
    first, bullets, rest = ornaments[:3], ornaments[3:-9], ornaments[-9:]
    return Marks._make([*(mark(name, kind).glyph for name in names), *first, bullets, *rest])


UNICODE = _marks(glyphs.UNICODE, "❯▌▎•◦▪─┼│▼…☑☐·i")
ASCII = _marks(glyphs.ASCII, ">||*-+-+|v~xo-i")


@dataclass(frozen=True, slots=True)
class Paper:
    """What a block is drawn on: ``width`` in cells, styles and glyphs."""

    width: int
    ink: Ink
    marks: Marks = UNICODE

    def narrower(self, cells: int) -> Paper:
        """The same with ``cells`` less."""
        return Paper(max(1, self.width - cells), self.ink, self.marks)


def printable(text: str, tab: int = 4) -> str:
    """Foreign text of any number of lines, safe to draw: control codes in sight, tabs as spaces."""
    return visible(text, multiline=True).expandtabs(tab)


# --- wrapping ------------------------------------------------------------------------------------

_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f"
    "\uff01-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_CLOSING = "、。，．：；！？）］｝〕〉》」』】〗〙〟"


@cache
def _word() -> re.Pattern[str]:
    """A piece that may be followed by a line break; wide scripts break between characters."""
    return re.compile(rf"[{_WIDE}][{_CLOSING}]*[ ]*|[^\s{_WIDE}]+[{_CLOSING}]*[ ]*|[ ]+|\s")


def breaks(text: str, width: int) -> list[int]:
    """Offsets at which ``text`` (one line) must be cut to fit ``width`` cells."""
    cuts: list[int] = []
    used = 0
    for match in _word().finditer(text):
        word, start = match.group(), match.start()
        bare = cell_len(word.rstrip())
        if used + bare <= width:
            used += cell_len(word)
            continue
        if bare <= width:
            if start:
                cuts.append(start)
            used = cell_len(word)
            continue
        if start and used:
            cuts.append(start)
        pieces = chop_cells(word.rstrip(), max(width, 2))
        for piece in pieces[:-1]:
            start += len(piece)
            cuts.append(start)
        used = cell_len(pieces[-1]) + len(word) - len(word.rstrip())
    return cuts


def cut(runs: Sequence[Run], offsets: Sequence[int]) -> list[Line]:
    """``runs`` divided at character offsets."""
    lines: list[Line] = [[]]
    limits = [*offsets, -1]
    limit, at, number = limits[0], 0, 0
    for text, style in runs:
        while limit != -1 and at + len(text) > limit:
            head, text = text[: limit - at], text[limit - at :]
            if head:
                lines[-1].append((head, style))
            lines.append([])
            at, number = limit, number + 1
            limit = limits[number]
        if text:
            lines[-1].append((text, style))
        at += len(text)
    return lines


def wrap(runs: Sequence[Run], width: int) -> list[Line]:
    """``runs`` (no newline in them) as lines of ``width`` cells, not counting spaces at their end.

    Never empty; the lines together are exactly ``runs``.
    """
    text = "".join(part for part, _ in runs)
    if len(text) <= width and text.isascii():
        return [list(runs)]
    return cut(runs, breaks(text, width))


def without_end_spaces(line: Sequence[Run]) -> Line:
    """``line`` without the spaces that it ends with."""
    kept = list(line)
    while kept:
        text, style = kept.pop()
        if text := text.rstrip(" "):
            return [*kept, (text, style)]
    return kept


def split_newlines(runs: Iterable[Run]) -> list[Line]:
    """``runs`` divided at newlines."""
    lines: list[Line] = [[]]
    for text, style in runs:
        first, *rest = text.split("\n")
        if first:
            lines[-1].append((first, style))
        lines += [[(part, style)] if part else [] for part in rest]
    return lines


def width_of(runs: Iterable[Run]) -> int:
    """Cells that ``runs`` take."""
    return sum(cell_len(text) for text, _ in runs)


def fitted(text: str, cells: int, more: str = "…") -> str:
    """``text`` cut to ``cells``, with ``more`` at the end where something is missing."""
    if cell_len(text) <= cells:
        return text
    if cells <= 0:
        return ""
    return set_cell_size(text, cells - cell_len(more)).rstrip() + more


def fitted_name(name: str, cells: int, more: str = "…") -> str:
    """The same of the name of an agent, whose number among its namesakes stays."""
    own, number = parts_of(name)
    return (
        fitted(own, cells - cell_len(number), more) + number if number else fitted(own, cells, more)
    )


def shared_out(room: int, wanted: Sequence[int], *, least: int) -> list[int]:
    """How many of ``room`` cells each gets: what it wants if that is no more than the share of
    each, and the rest goes to those that want more, but always ``least``.
    """
    given = [0] * len(wanted)
    for left, at in enumerate(sorted(range(len(wanted)), key=lambda one: wanted[one])):
        given[at] = min(wanted[at], max(least, room // (len(wanted) - left)))
        room -= given[at]
    return given


def laid(
    lines: Iterable[Sequence[Run]],
    width: int,
    *,
    first: Sequence[Run] = (),
    rest: Sequence[Run] | None = None,
    fill: Style | None = None,
    hit: str = "",
) -> list[Row]:
    """Rows of ``lines``, wrapped to ``width`` cells including a prefix.

    ``first`` stands before the first row and ``rest`` before all others (default: as many spaces).
    """
    ahead = max(width_of(first), width_of(rest or ()))
    after = [(" " * ahead, NONE)] if rest is None else rest
    rows: list[Row] = []
    for line in lines:
        joint = "\n"
        for part in wrap(line, max(1, width - ahead)):
            prefix = after if rows else first
            gutter = sum(len(text) for text, _ in prefix)
            shown = without_end_spaces(part)
            rows.append(Row((*prefix, *shown), gutter, joint, hit, fill))
            joint = " " * (_length(part) - _length(shown))
    return rows


def _length(line: Iterable[Run]) -> int:
    return sum(len(text) for text, _ in line)


def behind(rows: Iterable[Row], first: Sequence[Run], rest: Sequence[Run]) -> list[Row]:
    """``rows`` moved right: ``first`` before the first of them, ``rest`` before the others."""
    moved: list[Row] = []
    for row in rows:
        prefix = rest if moved else first
        added = sum(len(text) for text, _ in prefix)
        moved.append(row._replace(runs=(*prefix, *row.runs), gutter=row.gutter + added))
    return moved


# --- to the screen -------------------------------------------------------------------------------


def strip_of(row: Row, width: int, offset: tuple[int, int] | None = None) -> Strip:
    """The strip of exactly ``width`` cells for ``row``.

    With ``offset`` (character, line) each segment carries the place that text selection works with.
    """
    runs = [run for run in row.runs if run[0]]
    if (missing := width - width_of(runs)) > 0:
        runs.append((" " * missing, row.fill or NONE))
    strip = Strip([Segment(text, style) for text, style in runs])
    strip = strip.adjust_cell_length(width)
    return strip if offset is None else strip.apply_offsets(*offset)


def highlighted(row: Row, start: int, end: int, style: Style) -> Row:
    """``row`` with ``style`` over its characters ``start`` to ``end`` (-1: up to the end)."""
    stop = len(row.text) if end == -1 else end
    return row._replace(runs=tuple(_over(row.runs, start, stop, style)))


def _over(runs: Iterable[Run], start: int, stop: int, style: Style) -> Iterator[Run]:
    at = 0
    for text, own in runs:
        low = min(max(start - at, 0), len(text))
        high = min(max(stop - at, low), len(text))
        for part, look in (
            (text[:low], own),
            (text[low:high], own + style),
            (text[high:], own),
        ):
            if part:
                yield part, look
        at += len(text)
