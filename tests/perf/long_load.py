"""The client in a long talk, in a terminal of its own: ``long_load.py WHAT DONE``.

``talk:N`` shows a session of N turns with five tool calls each and then rests; ``load`` loads one
of 1,000 turns as fast as it can. It ends when the file ``DONE`` is there.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from client_load import Paced

from canopy_tui import first_frame
from canopy_tui.host.courtesy import HELPING, Courtesy
from canopy_tui.model import events as e
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.surroundings import Surroundings
from tui_app.stage import ROOT
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui_app.stage import Stage

CALLS = 5


def told(stage: Stage, session: str, turns: int) -> Iterator[None]:
    """A talk, one update after the other."""
    for turn in range(turns):
        for call in range(CALLS):
            number = f"{turn}-{call}"
            stage.call(number, f"Read file{call}.py", session, kind="read", status="completed")
            yield
        stage.say(f"Answer {turn}: " + "it does this and that. " * 20, session, f"m{turn}")
        yield


async def work(app: CanopyApp, stage: Stage, what: str, done: Path, courtesy: Courtesy) -> None:
    """Tell it, say that it is told, and wait."""
    await eventually(lambda: app.main.is_mounted and stage.started, "the first frame")
    kind, _, number = what.partition(":")
    if kind == "talk":
        stage.ready()
        for _ in told(stage, ROOT, int(number)):
            pass
        stage.spawn("told", "all-is-told")
    while not await asyncio.to_thread(done.exists):
        if kind == "talk":
            await asyncio.sleep(0.1)
            continue
        stage.apply(
            e.LinkChanged(status="ready", at=stage.now),
            e.ReplayStarted(session=f"old-{time.monotonic()}", at=stage.now, title="all-is-told"),
        )
        session = stage.state.roots[-1]
        for at, _ in enumerate(told(stage, session, 1_000)):
            if at % HELPING == 0:
                await courtesy.breathe()
    app.exit(0)


async def main() -> None:
    """Run the app."""
    stage = Paced(time.time)
    for name in first_frame.WHILE_THE_AGENT_BOOTS:  # it has booted
        importlib.import_module(name)
    courtesy = Courtesy()
    around = Surroundings(
        directory="/home/ada/till",
        bell=False,
        on_painted=first_frame.is_painted,
        on_key=courtesy.key,
    )
    app = CanopyApp(stage.make, around)
    task = asyncio.create_task(work(app, stage, sys.argv[1], Path(sys.argv[2]), courtesy))
    await app.run_async()
    await task


if __name__ == "__main__":
    asyncio.run(main())
