"""The pictures can be drawn, say what they said, and are readable in every theme and without
colour.
"""

from __future__ import annotations

import struct
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pictures.ink import assert_grey, assert_readable, inks_of, strips_of
from pictures.png import in_few_colours
from pictures.scene import turns
from pictures.scenes import SCENES
from pictures.stage import DIRECTORY
from pictures.texts import FOLDER, texts_of
from pictures.unseen import drawn_for_nobody

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.strip import Strip

    from pictures.stage import Stage

PICTURES = Path(__file__).resolve().parents[2] / "screenshots"
ADVICE = "looks different: see it with 'make screenshots', then 'python -m pictures.texts' in tests"

TRIES = 3
"""A scene is played again when a picture differs: on a busy machine a frame may come too late."""


@pytest.fixture(autouse=True)
def _in_the_home_of_ada(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HOME", DIRECTORY.rpartition("/")[0])
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", SCENES)
async def test_pictures_say_what_they_said_and_can_be_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in SCENES[name].environment.items():
        monkeypatch.setenv(variable, value)

    def look(stage: Stage, strips: Sequence[Strip]) -> None:
        assert_readable(stage.app, strips)
        if "NO_COLOR" in SCENES[name].environment:
            assert_grey(strips)

    for again in reversed(range(TRIES)):
        try:
            found = await texts_of(SCENES[name], look)
            for path, text in found.items():
                assert text == path.read_text(encoding="utf-8"), f"{path.stem} {ADVICE}"
            break
        except AssertionError:
            if not again:
                raise


async def test_without_colour_is_the_grey_that_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever wants no colour sees the same, in the greys that are kept with every text."""

    async def first_look() -> tuple[Sequence[Strip], list[str]]:
        with drawn_for_nobody():
            async with SCENES["work"].open() as stage:
                stage.host.until(turns(4))
                await stage.stands_still()
                return strips_of(stage.app), stage.lines

    coloured, words = await first_look()
    monkeypatch.setenv("NO_COLOR", "1")
    grey, same_words = await first_look()
    assert_grey(grey)
    assert words == same_words
    assert inks_of(grey) == inks_of(coloured, grey=True)


def test_every_picture_has_its_text() -> None:
    drawn = {path.stem.rpartition("-")[0] for path in PICTURES.glob("*.png")}
    assert {path.stem for path in FOLDER.glob("*.txt")} == drawn


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
