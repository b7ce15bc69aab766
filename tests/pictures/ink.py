"""The colours on screen, cell by cell: as text that can be kept, and whether they can be read.

What a picture shows is not known here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count, groupby
from string import ascii_letters
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual._context import visible_screen_stack
from textual.color import Color
from textual.filter import monochrome_style
from textual.geometry import Region

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.segment import Segment
    from rich.style import Style
    from textual.app import App
    from textual.strip import Strip

LEAST_CONTRAST = 2.4
"""Of words that are second to others; https://www.w3.org/TR/WCAG22/#contrast-minimum asks for 3 of
large text.
"""
WORD = re.compile(r"\w")
MARKS = ("bold", "dim", "italic", "underline", "reverse", "strike")

Inks = list[list[str]]
"""Of every row, of every cell: its colours in words."""


def strips_of(app: App[Any]) -> Sequence[Strip]:
    """What is on screen, a dialog and what lies below it together."""
    if app._background_screens:
        app.screen._styles_cache.clear()  # it may hold what another screen showed below this one
    visible_screen_stack.set(list(app._background_screens))
    return app.screen._compositor.render_strips()


def inks_of(strips: Sequence[Strip], *, grey: bool = False) -> Inks:
    """The colours of every cell, or their ``grey``. Those of a blank are only its ground."""
    return [_inks_of_row(strip, grey) for strip in strips]


def _inks_of_row(strip: Strip, grey: bool) -> list[str]:
    cells: list[str] = []
    ground: object = None
    for text, own, _ in strip:
        style = monochrome_style(own) if own is not None and grey else own
        words, bare = _in_words(style), f"on {_hex(style.bgcolor if style else None)}"
        for character in text:
            blank = character.isspace() and not (style and (style.underline or style.reverse))
            goes_on = cells and ground == bare  # a blank between words belongs to them
            ink = words if not blank else cells[-1] if goes_on else bare
            cells += [ink] * cell_len(character)
            ground = bare
    return cells


@lru_cache(4096)
def _in_words(style: Style | None) -> str:
    if style is None:
        return "on default"
    marks = "".join(f" {name}" for name in MARKS if getattr(style, name))
    return f"{_hex(style.color)} on {_hex(style.bgcolor)}{marks}"


def _hex(colour: Any) -> str:
    return "default" if colour is None else Color.from_rich_color(colour).hex.lower()


def in_runs(themes: dict[str, Inks]) -> str:
    """The same as text: rows of runs, and what the letters of the runs stand for in each theme."""
    names: dict[tuple[str, ...], str] = {}
    letters = _letters()
    rows: list[str] = []
    for cells in zip(*themes.values(), strict=True):
        together = list(zip(*cells, strict=True))
        for ink in together:
            if ink not in names:
                names[ink] = next(letters)
        runs = [f"{names[ink]}{len(list(group))}" for ink, group in groupby(together)]
        rows.append(" ".join(runs))
    said, number = [], 1
    for row, group in groupby(rows):
        last = number + len(list(group)) - 1
        said.append(f"{number}: {row}" if last == number else f"{number}-{last}: {row}")
        number = last + 1
    legend = [
        f"{name} = " + " | ".join(dict(zip(themes, ink, strict=True)).values())
        for ink, name in names.items()
    ]
    return "\n".join((f"colours: {' | '.join(themes)}", *said, *legend)) + "\n"


def _letters() -> Iterator[str]:
    for number in count():
        yield from (letter * (number + 1) for letter in ascii_letters)


# --- can it be read -------------------------------------------------------------------------------


def assert_readable(app: App[Any], strips: Sequence[Strip]) -> None:
    """Every word stands out from its ground, in colour and in grey. What lies below a dialog is
    dimmed on purpose.
    """
    regions = _in_front(app)
    for y, strip in enumerate(strips):
        x = 0
        for part in strip:
            inside = any(region.contains(x, y) for region in regions)
            if inside and part.style is not None and WORD.search(part.text):
                for style in (part.style, monochrome_style(part.style)):
                    ink, ground = _pair(style)
                    assert _contrast(ink, ground) >= LEAST_CONTRAST, (app.theme, y, part)
            x += cell_len(part.text)


def _in_front(app: App[Any]) -> list[Region]:
    if len(app.screen_stack) == 1:
        return [app.screen.region]
    return [child.region for child in app.screen.children if child.display]


def _pair(style: Style) -> tuple[Color, Color]:
    assert style.color is not None
    assert style.bgcolor is not None
    return Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)


def assert_grey(strips: Sequence[Strip]) -> None:
    """There is no colour."""
    for part in _parts(strips):
        assert part.style is not None
        for colour in _pair(part.style):
            assert len(set(colour.rgb)) == 1, part


def _parts(strips: Sequence[Strip]) -> Iterator[Segment]:
    for strip in strips:
        yield from (part for part in strip if WORD.search(part.text) and part.style is not None)


def _contrast(one: Color, other: Color) -> float:
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = [value / 255 for value in colour.rgb]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
