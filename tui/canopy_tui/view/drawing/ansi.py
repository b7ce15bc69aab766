"""Command output as styled lines: SGR colours become style, and no other control code survives.

It knows neither who ran the command nor where the lines are shown.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from rich.color import Color
from rich.style import Style

from canopy_tui.view.drawing.strips import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from canopy_tui.view.drawing.strips import Line

_SEQUENCE = re.compile(
    r"\x1b(?:"
    r"\[(?P<sgr>[\d;:]*)m"
    r"|\[[0-?]*[ -/]*[@-~]"
    r"|\](?:[^\x07\x1b\n]|\x1b(?!\\))*(?:\x07|\x1b\\|$)"
    r"|[PX^_](?:[^\x1b\n]|\x1b(?!\\))*(?:\x1b\\|$)"
    r"|[ -/]*[0-~]"
    r")|\x07",
    re.MULTILINE,
)

_CODES = re.compile("[\x1b\r\b\x07]")

_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("reverse",),
    29: ("strike",),
}


class _Pen:
    """The state that SGR parameters change."""

    def __init__(self, palette: Sequence[Color | None]) -> None:
        self._palette = palette
        self._attributes: dict[str, bool] = {}
        self._colours: dict[str, Color] = {}

    @property
    def style(self) -> Style:
        return Style(**self._attributes, **self._colours)  # type: ignore[arg-type]  # keys are known

    def apply(self, parameters: str) -> None:
        codes = [int(part or 0) for part in re.split("[;:]", parameters[:200])]
        rest = iter(codes)
        for code in rest:
            if code == 0:
                self._attributes.clear()
                self._colours.clear()
            elif code in _ON:
                self._attributes[_ON[code]] = True
            elif code in _OFF:
                for name in _OFF[code]:
                    self._attributes.pop(name, None)
            else:
                self._colour(code, rest)

    def _colour(self, code: int, rest: Iterator[int]) -> None:
        target = "color" if code < 40 or 90 <= code < 100 else "bgcolor"
        match code:
            case 39 | 49:
                self._colours.pop(target, None)
            case 38 | 48:
                if colour := _extended(rest):
                    self._colours[target] = colour
            case _ if 30 <= code <= 37 or 40 <= code <= 47:
                self._name(target, code % 10)
            case _ if 90 <= code <= 97 or 100 <= code <= 107:
                self._name(target, code % 10 + 8)

    def _name(self, target: str, number: int) -> None:
        if target == "bgcolor" or not self._palette:
            self._colours[target] = Color.from_ansi(number)
        elif (colour := self._palette[number]) is not None:
            self._colours[target] = colour
        else:
            self._colours.pop(target, None)


def _extended(rest: Iterator[int]) -> Color | None:
    """The colour of ``5;n`` or ``2;r;g;b``."""
    form = next(rest, None)
    numbers = [min(number, 255) for number in islice(rest, {5: 1, 2: 3}.get(form or 0, 0))]
    match form, numbers:
        case 5, [number]:
            return Color.from_ansi(number)
        case 2, [red, green, blue]:
            return Color.from_rgb(red, green, blue)
        case _:
            return None


def ansi_lines(text: str, style: Style, palette: Sequence[Color | None] = ()) -> list[Line]:
    """Command output as lines of ``(text, style)`` runs on top of ``style``.

    ``palette`` holds what the 16 named text colours look like, None for that of ``style``; without
    one they are the terminal's own. A carriage return restarts its line, as progress bars expect;
    a backspace takes one back.
    """
    if not _CODES.search(text):
        return [[(printable(line, 8), style)] for line in text.split("\n")]
    pen = _Pen(palette)
    lines: list[Line] = []
    for source in text.split("\n"):
        line: Line = []
        for part, restart in _parts(source.removesuffix("\r")):
            if restart:
                line.clear()
            _write(part, line, pen, style)
        lines.append(line)
    return lines


def _parts(source: str) -> Iterator[tuple[str, bool]]:
    """Pieces between carriage returns, and whether each restarts the line: no empty one does."""
    for number, part in enumerate(source.split("\r")):
        yield part, bool(number and part)


def _write(source: str, line: Line, pen: _Pen, style: Style) -> None:
    at = 0
    for match in _SEQUENCE.finditer(source):
        _append(source[at : match.start()], line, style + pen.style)
        if (parameters := match["sgr"]) is not None:
            pen.apply(parameters)
        at = match.end()
    _append(source[at:], line, style + pen.style)


def _append(text: str, line: Line, style: Style) -> None:
    while "\b" in text:
        before, _, text = text.partition("\b")
        if before:
            line.append((printable(before[:-1], 8), style))
        elif line:
            last, own = line.pop()
            line.append((last[:-1], own))
    if text:
        line.append((printable(text, 8), style))
