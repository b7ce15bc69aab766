"""Draws the tour of all kinds of entries as SVG files: ``python make_pictures.py DIRECTORY``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from canopy_tui.view.drawing.strips import ASCII, UNICODE
from canopy_tui.view.drawing.theme import DARK, LIGHT
from tui_transcript.samples import tour
from tui_transcript.stage import Playing, playing

SIZES = ((120, 40), (80, 24))


async def main(target: Path) -> None:
    """Page through the tour in both themes and sizes, then the tools expanded."""
    for theme in (DARK, LIGHT):
        for width, height in SIZES:
            async with playing(tour(), width, height, theme=theme) as stage:
                await stage.press("home")
                for page in range(12):
                    name = f"{theme}-{width}-{page}.svg"
                    save(stage, target / name)
                    if stage.view.viewport is None or stage.view.viewport.at_end:
                        break
                    await stage.press("pagedown")
    for marks, name in ((UNICODE, "expanded"), (ASCII, "ascii")):
        async with playing(tour(), 100, 150, marks=marks) as stage:
            await stage.press("home")
            for index, entry in enumerate(stage.view.session.entries):
                if name == "expanded" and type(entry).__name__ in ("ToolEntry", "MessageEntry"):
                    stage.view._cursor = index
                    stage.view.action_expand()
            await stage.press("home")
            save(stage, target / f"{name}.svg")


def save(stage: Playing, target: Path) -> None:
    """Write the screen; librsvg drops the spaces that a text begins with unless told not to."""
    picture = stage.app.export_screenshot()
    target.write_text(picture.replace("<text ", '<text xml:space="preserve" '), encoding="utf-8")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(main(folder))
