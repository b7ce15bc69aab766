"""A client on a recorded run, with a clock that stands still, and a person at its keys.

Every fact that could differ between two pictures is fixed here: times, the home directory, what was
sent before, the blinking of carets.
"""

from __future__ import annotations

import os
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.widgets import Input, TextArea

import canopy_agent.demo
from canopy_agent.demo.scenes import scene_list
from canopy_agent.session.inspection import Inspection
from canopy_agent.session.lookup import find_session
from canopy_shared.record import read_recording
from canopy_tui.desk.file_index import FileIndex
from canopy_tui.inspect.opening import inspect_app
from canopy_tui.replay.opening import replay_app
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.bars.header import HeaderLine
from canopy_tui.view.drawing.theme import DARK, LIGHT
from canopy_tui.view.surroundings import Surroundings
from canopy_tui.view.transcript.start_view import Scene
from canopy_tui.wire.answers import initialize_params
from pictures.ink import strips_of
from pictures.recorded_host import FOLDER, RecordedHost
from tui_app.playing import Clock, Play

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence


Size = tuple[int, int]
WIDE: Size = (120, 40)
SMALL: Size = (80, 24)
SPLIT: Size = (160, 44)
TINY: Size = (40, 10)
BOTH = (WIDE, SMALL)
THEMES = {"dark": DARK, "light": LIGHT}
SAMPLE = Path(canopy_agent.demo.__file__).parent / "sample"
DIRECTORY = "/home/ada/fruitstand"
SENT_BEFORE = (
    "Explain how the checkout works",
    "Find where discounts are applied,\nand say which of them is tested",
    "Run the tests",
    "Fix the discount bug",
)


@dataclass
class Stage(Play):
    """The app with everything a scene needs; ``host`` plays the recording."""

    host: RecordedHost
    """Only where the app is that of a recorded conversation."""
    keeps_notice: bool = False
    """What was just said stays for the next picture."""

    @property
    def lines(self) -> list[str]:
        """What is on screen, a dialog and what lies below it together."""
        return [strip.text for strip in strips_of(self.app)]

    async def opens_request(self) -> None:
        """Open the request that waits, and let so much time go by that its keys count."""
        await self.settle()
        if self.app.shows_main:
            await self.press("f4")
        await self.until(lambda: not self.app.shows_main, "the request")
        await self.settle()
        self.clock.pass_by(60.0)

    async def sends(self, text: str) -> None:
        """Write a message and send it."""
        await self.press(*text, "enter")

    async def pastes(self, text: str) -> None:
        """Paste into the message."""
        self.app.main.composer.area.post_message(events.Paste(text))
        await self.settle()

    async def notes(self, words: str) -> None:
        """Wait until ``words`` are said, and leave them there."""
        await self.shows(words)
        if self.app._saying is not None:
            self.app._saying.cancel()
        self.keeps_notice = True

    async def photograph(
        self, sizes: Sequence[Size], themes: Sequence[str], shot: Callable[[Size, str], object]
    ) -> None:
        """Call ``shot`` with every size and theme, when the screen is drawn so."""
        if not self.keeps_notice:
            self.app.main.say("")
        self.keeps_notice = False
        # A count falls to nothing a moment after there is nothing, by a clock that runs.
        self.app.main.query_one(HeaderLine)._clock = self.clock
        self.clock.pass_by(2.0)
        self.app.main.update_marks()
        order = list(themes)
        for size in sizes:
            await self.resize(size)
            for name in order:
                self.app.theme = THEMES[name]
                await self.stands_still()
                shot(size, name)
            order.reverse()  # every change takes long
        self.app.theme = DARK
        await self.resize(WIDE)
        await self.settle()

    async def resize(self, size: Size) -> None:
        """Give the terminal another size."""
        if self.app.size != size:
            await self.pilot.resize_terminal(*size)

    async def stands_still(self) -> None:
        """Wait until nothing on screen changes any more."""
        for widget in self.app.screen.query("Input, TextArea").results():
            if isinstance(widget, Input | TextArea):
                widget.cursor_blink = False
        before = ""
        await self.settle()
        for _ in range(50):
            await self.pilot.pause(0.02)
            await self.settle()
            if (now := self.text) == before:
                return
            before = now


@asynccontextmanager
async def opened(recording: str, **around: Any) -> AsyncIterator[Stage]:
    """The app on a recorded run, of which nothing was played yet."""
    host, clock = RecordedHost(recording), Clock()
    facts: dict[str, Any] = {
        "directory": DIRECTORY,
        "clock": clock,
        "now": host.now,
        "scenes": [Scene(one.title, one.example, one.description) for one in scene_list()],
        "files": FileIndex(SAMPLE),
        "history": SENT_BEFORE,
        "still": True,
        "bell": False,
    }
    app = CanopyApp(host.make, Surroundings(**{**facts, **around}))
    async with app.run_test(size=WIDE) as pilot:
        stage = Stage(app, pilot, host, clock, host)  # type: ignore[arg-type]
        await stage.settle()
        yield stage


@asynccontextmanager
async def inspected() -> AsyncIterator[Stage]:
    """The app on what Claude Code stored of the demo."""
    capabilities = initialize_params()["clientCapabilities"]
    config = str(FOLDER / "claude")
    found = find_session(None, Path(DIRECTORY), config)
    app = inspect_app(Inspection(found.id, found.path, config, capabilities), DIRECTORY)
    async with app.run_test(size=WIDE) as pilot:
        stage = Stage(app, pilot, None, Clock(), None)  # type: ignore[arg-type]
        await stage.until(lambda: len(app.state.sessions) >= 5, "the stored agents")
        yield stage
    await app.inspected.aclose()


@asynccontextmanager
async def replayed() -> AsyncIterator[Stage]:
    """The player on the recording of the demo, paused at its beginning."""
    clock = Clock()
    recording = read_recording(FOLDER / "demo.jsonl")
    app = replay_app(recording, paused=True, clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        stage = Stage(app, pilot, None, clock, None)  # type: ignore[arg-type]
        await stage.settle()
        yield stage


def fix_surroundings() -> None:
    """Make this process one in Ada's home, in UTC."""
    os.environ["HOME"] = "/home/ada"
    os.environ["TZ"] = "UTC"
    time.tzset()
