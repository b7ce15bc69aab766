"""The client under load in a terminal of its own: ``client_load.py REPORT``.

Ten children stream 300 updates a second in total while somebody types; then memory is measured
over 10,000 updates, and moves between transcripts of 10,000 entries. The report is JSON.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from canopy_tui import first_frame
from canopy_tui.host.frame_pump import FramePump, frame_rate
from canopy_tui.model.intents import SendPrompt
from canopy_tui.model.loading import is_loading
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.surroundings import Surroundings
from tui_app.stage import ROOT, Stage
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from canopy_tui.view.surroundings import OnTouched, Schedule

CHILDREN = 10
RATE = 300
SECONDS = 6.0
MANY = 10_000
SWITCHES = 20


def resident() -> float:
    """Megabytes in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Paced(Stage):
    """A stage that paints once a frame, as the controller does."""

    def make(self, schedule: Schedule, paint: OnTouched) -> Paced:
        """What the app calls to get its host."""
        rate = frame_rate(os.environ)
        self._paint = FramePump(
            paint, schedule, rate=rate, loading=lambda: is_loading(self.state)
        ).add
        return self


class Load:
    """Plays the agent."""

    def __init__(self, app: CanopyApp, stage: Stage) -> None:
        self.app = app
        self.stage = stage
        self.sent = 0

    async def frames(self, number: int, rate: float) -> AsyncIterator[None]:
        """That many turns of the loop, so many a second."""
        started = time.perf_counter()
        for at in range(number):
            late = started + at / rate - time.perf_counter()
            await asyncio.sleep(max(0.0, late))
            yield

    def update(self) -> None:
        """The next update of the next child: text, a tool call, its end."""
        number, self.sent = self.sent, self.sent + 1
        child = f"c{number % CHILDREN}"
        step = number // CHILDREN % 20
        if step < 18:
            self.stage.say("words, ", session=child, message=f"m{number // 200}")
        elif step == 18:
            self.stage.call(f"{child}-{number // 200}", "Read a.py", session=child, kind="read")
        else:
            self.stage.call_update(f"{child}-{number // 200}", session=child, status="completed")

    async def run(self) -> dict[str, float]:
        """All measurements."""
        self.stage.ready()
        self.stage.act(SendPrompt(ROOT, "go"))
        for number in range(CHILDREN):
            self.stage.spawn(f"c{number}", f"child {number}", task="work")
        async for _ in self.frames(int(RATE * SECONDS), RATE):
            self.update()
        await asyncio.sleep(0.5)
        before = resident()
        for at in range(MANY):
            self.update()
            if at % 20 == 0:
                await asyncio.sleep(0)
        await asyncio.sleep(0.5)
        return {"grown": resident() - before, **await self.switching()}

    async def switching(self) -> dict[str, float]:
        """Milliseconds from a key's action to the painted transcript, of 10,000 entries."""
        for child in ("c0", "c1"):
            for number in range(MANY):
                self.stage.call(f"{child}x{number}", f"Read {number}", session=child)
                if number % 100 == 0:
                    await asyncio.sleep(0)
        await asyncio.sleep(1.0)
        taken = []
        for number in range(SWITCHES):
            painted = self.app.main.transcript.repaints
            started = time.perf_counter()
            self.app.go(f"c{number % 2}")
            while self.app.main.transcript.repaints == painted:  # noqa: ASYNC110  # no event
                await asyncio.sleep(0)
            taken.append((time.perf_counter() - started) * 1e3)
            await asyncio.sleep(0.05)
        return {"switch": sorted(taken)[SWITCHES // 2], "switch_most": max(taken)}


async def main(report: Path) -> None:
    """Run the app until everything is measured."""
    stage = Paced(time.time)
    for name in first_frame.WHILE_THE_AGENT_BOOTS:  # it has booted
        importlib.import_module(name)
    around = Surroundings(directory="/home/ada/till", bell=False, on_painted=first_frame.is_painted)
    app = CanopyApp(stage.make, around)

    async def work() -> None:
        await eventually(lambda: app.main.is_mounted and stage.started, "the first frame")
        try:
            told = json.dumps(await Load(app, stage).run())
            await asyncio.to_thread(report.write_text, told, encoding="utf-8")
        finally:
            app.exit(0)

    task = asyncio.create_task(work())
    await app.run_async()
    await task


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
