"""What stands on every picture, and in which colours, as text: a change of the screens shows in the
changes of these files.

``python -m pictures.texts [SCENE...]`` in ``tests`` writes them anew.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from pictures.ink import in_runs, inks_of, strips_of
from pictures.scene import EVERY
from pictures.scenes import SCENES
from pictures.stage import BOTH, fix_surroundings
from pictures.unseen import drawn_for_nobody

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pictures.ink import Inks
    from pictures.scene import Scene
    from pictures.stage import Size, Stage

FOLDER = Path(__file__).with_name("texts")


def file_of(name: str, size: Size) -> Path:
    """Where a text is kept."""
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


async def texts_of(
    scene: Scene, look: Callable[[Stage, Sequence[Strip]], object] = lambda _stage, _strips: None
) -> dict[Path, str]:
    """The texts of a scene; ``look`` is called at each picture, dark and light."""
    found: dict[Path, str] = {}
    with drawn_for_nobody():
        async with scene.open() as stage:

            async def take(
                name: str, sizes: Sequence[Size] = BOTH, themes: Sequence[str] = EVERY
            ) -> None:
                seen: dict[Size, dict[str, Sequence[Strip]]] = {}

                def shot(size: Size, theme: str) -> None:
                    strips = strips_of(stage.app)
                    look(stage, strips)
                    seen.setdefault(size, {})[theme] = strips

                await stage.photograph(sizes, EVERY, shot)
                for size, drawn in seen.items():
                    found[file_of(name, size)] = kept(drawn)

            await scene.play(stage, take)
    return found


def kept(drawn: dict[str, Sequence[Strip]]) -> str:
    """The words, then the colours in each theme and in grey. Raises AssertionError when a theme
    says other words.
    """
    drawn = {theme: [_without_bars(strip) for strip in drawn[theme]] for theme in EVERY}
    words = {theme: _words(drawn[theme]) for theme in EVERY}
    assert words["dark"] == words["light"], "the themes say different things"
    inks: dict[str, Inks] = {theme: inks_of(drawn[theme]) for theme in EVERY}
    inks["grey"] = inks_of(drawn["dark"], grey=True)
    return f"{words['dark']}\n{in_runs(inks)}"


def _words(strips: Sequence[Strip]) -> str:
    return "".join(f"{strip.text.rstrip()}\n" for strip in strips)


def _without_bars(strip: Strip) -> Strip:
    """Without scroll bars: they go by heights that are guessed until a row is seen."""
    return Strip(Segment(" " * part.cell_length) if _is_of_a_bar(part) else part for part in strip)


def _is_of_a_bar(part: Segment) -> bool:
    return part.style is not None and "@mouse.down" in part.style.meta


async def _main(wanted: Sequence[str]) -> None:
    fix_surroundings()
    FOLDER.mkdir(exist_ok=True)
    if not wanted:
        for old in FOLDER.glob("*.txt"):
            old.unlink()
    for name in wanted or SCENES:
        os.environ.update(SCENES[name].environment)
        for path, text in (await texts_of(SCENES[name])).items():
            path.write_text(text, encoding="utf-8")
        for variable in SCENES[name].environment:
            os.environ.pop(variable, None)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1:]))
