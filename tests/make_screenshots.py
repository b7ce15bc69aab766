"""Draws ``screenshots/``: a real run of the demo, driven by keys, as SVG and PNG.

The real Claude Code CLI works on the scripted model; nothing here knows how a screen is drawn.
Run by ``make screenshots``; needs ``rsvg-convert`` and the font Fira Code for the PNG files.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from air.air_run import script
from canopy_tui.model import tree
from canopy_tui.view.app import CanopyApp
from canopy_tui.view.key_guard import QUIET
from canopy_tui.view.request_screen import RequestScreen
from canopy_tui.view.start_view import Scene
from canopy_tui.view.surroundings import Surroundings
from canopy_tui.view.theme import DARK, LIGHT
from tool_sheet import every_tool, painted, take_sheet
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from textual.pilot import Pilot

    from canopy_agent.demo.rules import Rule
    from canopy_tui.controller import Controller
    from canopy_tui.view.surroundings import OnTouched, Schedule

FOLDER = Path(__file__).resolve().parent.parent / "screenshots"
SIZES = {"wide": (120, 40), "80x24": (80, 24)}
COLUMNS = {"wide": 120, "80x24": 80, "sheet": 120}
THEMES = {"dark": DARK, "light": LIGHT}
PNG_CELL = 9
"""Pixels per column."""
BOUND = 90.0

# Rich draws cells that are 12.2 wide for a font of 20; in Fira Code such a cell has 19.825.
FONT_SIZE = "font-size: 19.825px"

# Pango joins "->" to an arrow unless the font is told not to.
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <match target="font">
    <test name="family" compare="eq"><string>Fira Code</string></test>
    <edit name="fontfeatures" mode="append">
      <string>calt off</string><string>liga off</string>
    </edit>
  </match>
</fontconfig>
"""


class Camera:
    """Takes pictures of the app in every size and theme, quickly: the scene goes on meanwhile."""

    def __init__(self, app: CanopyApp, pilot: Pilot[int]) -> None:
        self._app = app
        self._pilot = pilot

    async def take(self, name: str) -> None:
        """``NAME-SIZE-THEME.svg``."""
        for size_name, size in SIZES.items():
            await self._pilot.resize_terminal(*size)
            for theme_name, theme in THEMES.items():
                self._app.theme = theme
                await self._pilot.pause(0.05)
                path = FOLDER / f"{name}-{size_name}-{theme_name}.svg"
                path.write_text(self._svg(), encoding="utf-8")
        self._app.theme = DARK
        await self._pilot.resize_terminal(*SIZES["wide"])
        print(name, flush=True)

    async def take_sheet(self, name: str, size: tuple[int, int]) -> None:
        """``NAME-sheet-dark.svg``, of that size, from the first line on."""
        await self._pilot.resize_terminal(*size)
        self._app.main.transcript.action_start()
        await self._pilot.pause(0.2)
        path = FOLDER / f"{name}-sheet-dark.svg"
        path.write_text(self._svg(), encoding="utf-8")
        print(name, flush=True)

    def _svg(self) -> str:
        svg = self._app.export_screenshot(title="canopy")
        svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
        svg = svg.replace("font-size: 20px", FONT_SIZE)
        svg = svg.replace("font-variant-east-asian: full-width", "font-variant-ligatures: none")
        return re.sub(r"terminal-\d+", "terminal", svg)


def make_bitmaps(fonts: Path) -> None:
    """A ``.png`` beside every ``.svg``."""
    environment = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
    for path in sorted(FOLDER.glob("*.svg")):
        columns = next(COLUMNS[name] for name in COLUMNS if f"-{name}-" in path.name)
        pixels = str(columns * PNG_CELL)
        command = ["rsvg-convert", "-w", pixels, str(path), "-o", str(path.with_suffix(".png"))]
        subprocess.run(command, check=True, env=environment)


@asynccontextmanager
async def demo(
    rules: Sequence[Rule] | None = None, env: Mapping[str, str] | None = None
) -> AsyncIterator[CanopyApp]:
    """The client on the real agent and the scripted model: the scenes, or ``rules``."""
    from canopy_agent.demo.scenes import scene_list
    from canopy_agent.demo.workspace import demo_environment
    from canopy_agent.server import AgentServer
    from canopy_tui.controller import Controller
    from canopy_tui.in_process_agent import InProcessAgent

    async with demo_environment(rules, env=env) as place:
        # So that the pictures show ~/fruitstand and not where it was copied to.
        os.environ["HOME"] = str(place.cwd.parent)
        os.environ["CLAUDE_CONFIG_DIR"] = place.env["CLAUDE_CONFIG_DIR"]

        async def launch() -> InProcessAgent:
            return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

        made: list[Controller] = []

        def make(schedule: Schedule, on_touched: OnTouched) -> Controller:
            made.append(
                Controller(
                    launch,
                    place.cwd,
                    schedule=schedule,
                    on_touched=partial(painted, on_touched),
                    environment=place.env,
                )
            )
            return made[0]

        scenes = [Scene(one.title, one.example, one.description) for one in scene_list()]
        app = CanopyApp(make, Surroundings(directory=str(place.cwd), scenes=scenes))
        try:
            yield app
        finally:
            await made[0].aclose()


class Person:
    """Presses keys and waits for what follows."""

    def __init__(self, app: CanopyApp, pilot: Pilot[int]) -> None:
        self._app = app
        self._pilot = pilot

    async def sees(self, condition: Callable[[], object], what: str) -> None:
        """Wait until the state is so."""
        await eventually(condition, what, bound=BOUND)
        await self._pilot.pause()

    async def starts(self, title: str) -> None:
        """Send what starts the scene with that title."""
        scenes = self._app.around.scenes
        await self.says(next(scene.prompt for scene in scenes if title in scene.title))

    async def says(self, text: str) -> None:
        """Send a message."""
        self._app.main.composer.area.begin_with(text)
        await self._pilot.press("enter")

    async def is_asked(self) -> None:
        """Wait for a request on screen, until its keys count."""
        await self.sees(lambda: isinstance(self._app.screen, RequestScreen), "a request")
        await asyncio.sleep(QUIET * 2)

    @property
    def running(self) -> int:
        """How many sessions run."""
        return tree.totals(self._app.state).running

    def turns(self, number: int) -> bool:
        """Whether so many turns of the main agent are over."""
        root = self._app.root
        return root is not None and root.turns_done >= number and not root.in_turn


async def play(app: CanopyApp, pilot: Pilot[int], camera: Camera) -> None:
    """The scenes, each with its picture."""
    person = Person(app, pilot)
    await person.sees(lambda: app.root is not None and app.root.modes, "the agent")
    await camera.take("start")

    await pilot.press("1")
    await person.sees(lambda: person.turns(1), "the answer")
    await camera.take("answer")

    await person.starts("receipt")
    await person.is_asked()
    await camera.take("question")
    await pilot.press("escape")
    await pilot.press("f4")
    await person.is_asked()
    await pilot.press("d")
    await person.sees(lambda: person.turns(2), "the end of the question")

    await person.starts("team")
    await person.sees(lambda: len(app.state.sessions) >= 5, "an agent below an agent")
    await camera.take("tree")
    await person.is_asked()
    await camera.take("permission")
    await pilot.press("y")
    await person.sees(lambda: person.turns(3) and not person.running, "the end of all work")
    await asyncio.sleep(1)
    await person.sees(lambda: not person.running, "the end of all work")
    await camera.take("after-the-turn")


async def play_extensions(app: CanopyApp, pilot: Pilot[int], camera: Camera) -> None:
    """What an IDE and our client have beside prompts: the run that ``tests/air`` has recorded."""
    person = Person(app, pilot)
    await person.sees(lambda: app.root is not None and app.root.modes, "the agent")
    await person.says("tick, please")
    await person.is_asked()
    await pilot.press("y")
    await person.sees(lambda: person.turns(1), "the command in the background")
    await person.says("/goal all tests pass")
    await person.sees(lambda: person.turns(2), "the goal")
    await person.says("fail, please")
    await person.sees(lambda: person.turns(3), "the failure")
    await person.says("/compact Keep the goal.")
    await person.sees(lambda: person.turns(4), "the compaction")
    await camera.take("extensions")


async def look_back(app: CanopyApp) -> None:
    """The session that was played, as it is inspected when it is over."""
    from canopy_agent.session.inspection import Inspection
    from canopy_agent.session.lookup import find_session
    from canopy_tui.inspect.opening import inspect_app
    from canopy_tui.view.timeline_screen import TimelineRows
    from canopy_tui.wire_answers import initialize_params

    config = os.environ.pop("CLAUDE_CONFIG_DIR")
    found = find_session(None, Path(app.around.directory), config)
    capabilities = initialize_params()["clientCapabilities"]
    past = inspect_app(Inspection(found.id, found.path, config, capabilities), "")
    async with past.run_test(size=SIZES["wide"]) as pilot:
        person = Person(past, pilot)
        await person.sees(lambda: len(past.state.sessions) >= 5, "the stored agents")
        await pilot.press("t")
        await person.sees(lambda: past.screen.query(TimelineRows), "the timeline")
        await person.sees(lambda: past.screen.query_one(TimelineRows).rows, "its rows")
        await Camera(past, pilot).take("timeline")
    await past.inspected.aclose()


async def main() -> int:
    """Draw all pictures anew."""
    if shutil.which("rsvg-convert") is None:
        packages = "librsvg2-bin fonts-firacode fonts-noto-cjk fonts-symbola"
        print(f"rsvg-convert is missing: sudo apt-get install -y {packages}", file=sys.stderr)
        return 1
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        fonts = Path(folder) / "fonts.conf"
        fonts.write_text(FONTS, encoding="utf-8")
        async with demo() as app:
            async with app.run_test(size=SIZES["wide"]) as pilot:
                await play(app, pilot, Camera(app, pilot))
            await look_back(app)
        async with every_tool() as app, app.run_test(size=SIZES["wide"]) as pilot:
            await take_sheet(app, pilot, Camera(app, pilot).take_sheet)
        patient = {"CLAUDE_CODE_MAX_RETRIES": "1"}
        async with demo(script(), patient) as app, app.run_test(size=SIZES["wide"]) as pilot:
            await play_extensions(app, pilot, Camera(app, pilot))
        make_bitmaps(fonts)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
