"""The pictures can be drawn, say what they said, and are readable in every theme and without
colour.
"""

from __future__ import annotations

import re
import struct
import time
import zlib
from typing import TYPE_CHECKING

import pytest
from textual.color import Color

from canopy_tui.view.theme import LIGHT
from pictures.png import in_few_colours
from pictures.scenes import SCENES
from pictures.stage import DIRECTORY, Stage
from pictures.texts import FOLDER, PINNED, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.segment import Segment

LEAST_CONTRAST = 2.4
"""Of words that are second to others; https://www.w3.org/TR/WCAG22/#contrast-minimum asks for 3 of
large text.
"""
WORD = re.compile(r"\w")
ADVICE = "looks different: see it with 'make screenshots', then 'python -m pictures.texts' in tests"


@pytest.fixture(autouse=True)
def _in_the_home_of_ada(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HOME", DIRECTORY.rpartition("/")[0])
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def segments(stage: Stage) -> Iterator[Segment]:
    for strip in stage.screen._compositor.render_strips():
        yield from (part for part in strip if WORD.search(part.text) and part.style is not None)


def colours(part: Segment) -> tuple[Color, Color]:
    assert part.style is not None
    style = part.style
    assert style.color is not None
    assert style.bgcolor is not None
    return Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)


def is_readable(stage: Stage) -> None:
    if len(stage.app.screen_stack) > 1:
        return  # what lies below a dialog is dimmed on purpose
    for part in segments(stage):
        ink, ground = colours(part)
        assert _contrast(ink, ground) >= LEAST_CONTRAST, (stage.app.theme, part)


def _contrast(one: Color, other: Color) -> float:
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    parts = [value / 255 for value in colour.rgb]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def is_grey(stage: Stage) -> None:
    for part in segments(stage):
        for colour in colours(part):
            assert len(set(colour.rgb)) == 1, part


def compare(found: dict[Path, str]) -> None:
    for path, text in found.items():
        assert text == path.read_text(encoding="utf-8"), f"{path.stem} {ADVICE}"


@pytest.mark.parametrize("name", ["start", "trouble"])
async def test_pictures_say_what_they_said_and_can_be_read(name: str) -> None:
    def look(stage: Stage) -> None:
        is_readable(stage)

    compare(await texts_of(SCENES[name], PINNED[name], look))


async def test_the_light_theme_can_be_read() -> None:
    async with SCENES["trouble"].open() as stage:
        stage.app.theme = LIGHT
        stage.host.to_end()
        await stage.settle()
        is_readable(stage)


@pytest.mark.parametrize("name", ["agents", "forms"])
async def test_they_say_the_same_without_colour(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    compare(await texts_of(SCENES[name], PINNED[name], is_grey))


def test_every_text_is_compared() -> None:
    names = {path.stem.rpartition("-")[0] for path in FOLDER.glob("*.txt")}
    assert names == {name for wanted in PINNED.values() for name in wanted}


@pytest.mark.parametrize("filtered", range(5))
def test_a_png_keeps_its_pixels(filtered: int) -> None:
    def chunk(name: bytes, body: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(name + body))
        return struct.pack(">I", len(body)) + name + body + crc

    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    rows = bytes((0, 9, 9, 9, 1, 2, 3)) + bytes((filtered, 9, 9, 9, 1, 2, 3))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows))
    small = in_few_colours(png + chunk(b"IEND", b""))
    palette = small[small.index(b"PLTE") + 4 :]
    packed = small[small.index(b"IDAT") + 4 : small.index(b"IEND") - 8]
    flat = zlib.decompress(packed)
    pixels = [tuple(palette[3 * at : 3 * at + 3]) for at in (*flat[1:3], *flat[4:6])]
    second = {
        0: [(9, 9, 9), (1, 2, 3)],
        1: [(9, 9, 9), (10, 11, 12)],
        2: [(18, 18, 18), (2, 4, 6)],
        3: [(13, 13, 13), (8, 9, 11)],
        4: [(18, 18, 18), (10, 11, 12)],
    }
    assert pixels == [(9, 9, 9), (1, 2, 3), *second[filtered]]
