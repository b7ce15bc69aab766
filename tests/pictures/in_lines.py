"""What ``canopy --plain`` prints, as a terminal shows it.

The lines are those of a recorded run; which picture they become is not known here.
"""

from __future__ import annotations

import contextlib
import io
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.widgets import Static

from canopy_shared.record import read_recording
from canopy_tui.plain.run import print_recording
from canopy_tui.view.drawing.theme import DARK, THEMES
from pictures.recorded_host import FOLDER
from pictures.stage import THEMES as NAMES
from pictures.stage import WIDE, Stage
from tui_app.playing import Clock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from pictures.stage import Size

COMMAND = "$ canopy --plain 'Find where discounts are applied'"


class _Lines(App[None]):
    CSS = "Screen { background: $background; overflow: hidden; } Static { color: $foreground; }"

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> Any:
        yield Static(self._text, markup=False)

    def on_mount(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK


class _Paper(Stage):
    async def photograph(
        self, sizes: Sequence[Size], themes: Sequence[str], shot: Callable[[Size, str], object]
    ) -> None:
        for size in sizes:
            await self.pilot.resize_terminal(*size)
            for name in themes:
                self.app.theme = NAMES[name]
                await self.stands_still()
                shot(size, name)


@asynccontextmanager
async def printed() -> AsyncIterator[Stage]:
    """The first turn of the demo, in lines."""
    lines = io.StringIO()
    with contextlib.redirect_stdout(lines):
        print_recording(read_recording(FOLDER / "demo.jsonl"))
    turn = lines.getvalue().partition("\nyou: Explain")[0]
    app: Any = _Lines(f"{COMMAND}\n{turn}\n")
    async with app.run_test(size=WIDE) as pilot:
        yield _Paper(app, pilot, None, Clock(), None)  # type: ignore[arg-type]
