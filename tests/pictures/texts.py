"""What stands on some of the pictures, as text: a change of the screens shows in the changes of
these files.

``python -m pictures.texts`` in ``tests`` writes them anew.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from pictures.scenes import EVERY, SCENES
from pictures.stage import BOTH, WIDE, fix_surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pictures.scenes import Scene
    from pictures.stage import Size, Stage

FOLDER = Path(__file__).with_name("texts")
PINNED = {
    "start": ("start", "sessions"),
    "agents": ("tree", "permission", "after-the-turn"),
    "forms": ("form",),
    "trouble": ("goal-and-failure",),
}
"""Scenes, and which of their pictures are kept."""


def file_of(name: str, size: Size) -> Path:
    """Where a text is kept."""
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


async def texts_of(
    scene: Scene, wanted: Sequence[str], look: Callable[[Stage], object] = lambda _stage: None
) -> dict[Path, str]:
    """The texts of a scene, in both sizes; ``look`` is called at each wide one."""
    found: dict[Path, str] = {}
    async with scene.open() as stage:

        async def take(
            name: str, sizes: Sequence[Size] = BOTH, themes: Sequence[str] = EVERY
        ) -> None:
            def kept(size: Size, _theme: str) -> None:
                lines = [line.rstrip() for line in stage.lines]
                found[file_of(name, size)] = "\n".join(lines) + "\n"
                if size == WIDE:
                    look(stage)

            if name in wanted:
                await stage.photograph(sizes, themes[:1], kept)

        await scene.play(stage, take)
    return found


async def _main() -> None:
    fix_surroundings()
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, wanted in PINNED.items():
        os.environ.update(SCENES[name].environment)
        for path, text in (await texts_of(SCENES[name], wanted)).items():
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_main())
