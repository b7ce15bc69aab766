"""Draws ``screenshots/`` as PNG, from recorded real runs: ``pictures`` has what is drawn.

Drawing twice gives the same files. Names of scenes draw only these. Run by ``make screenshots``;
needs ``rsvg-convert`` and the font Fira Code.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from pictures.camera import svg_of, write_png
from pictures.scene import EVERY
from pictures.scenes import SCENES
from pictures.stage import BOTH, fix_surroundings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from pictures.scene import Scene
    from pictures.stage import Size

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
PACKAGES = "librsvg2-bin fonts-firacode fonts-noto-cjk fonts-symbola"


class Album:
    """Writes every picture, in processes of its own while the scene goes on."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor()
        self._written: list[Future[None]] = []

    async def draw(self, scene: Scene) -> None:
        """All pictures of a scene."""
        os.environ.update(scene.environment)
        async with scene.open() as stage:

            async def take(
                name: str, sizes: Sequence[Size] = BOTH, themes: Sequence[str] = EVERY
            ) -> None:
                def shot(size: Size, theme: str) -> None:
                    columns, rows = size
                    path = FOLDER / f"{name}-{columns}x{rows}-{theme}.png"
                    svg = svg_of(stage.app)
                    self._written.append(self._pool.submit(write_png, svg, columns, path))

                await stage.photograph(sizes, themes, shot)
                print(name, flush=True)

            await scene.play(stage, take)
        for name in scene.environment:
            os.environ.pop(name, None)

    def close(self) -> None:
        """Wait for the last picture; raises what went wrong."""
        for one in self._written:
            one.result()
        self._pool.shutdown()


async def main(wanted: Sequence[str]) -> int:
    """Draw the scenes with these names anew; all of them when none is named."""
    if shutil.which("rsvg-convert") is None:
        print(f"rsvg-convert is missing: sudo apt-get install -y {PACKAGES}", file=sys.stderr)
        return 1
    fix_surroundings()
    if not wanted:
        shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(exist_ok=True)
    album = Album()
    for name in wanted or SCENES:
        await album.draw(SCENES[name])
    album.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
