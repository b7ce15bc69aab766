"""Opens the client on a stored session, or prints all of it.

No agent is started and nothing is remembered; who reads the session is given.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from canopy_tui.app_run import leaving_on_signals, logging_to
from canopy_tui.inspect.host import LOOK, InspectHost
from canopy_tui.inspect.story import Story
from canopy_tui.model import events as e
from canopy_tui.model.efforts import report_of, rows_of, summary_of
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState
from canopy_tui.paths import locations

if TYPE_CHECKING:
    from canopy_tui.host.frame_pump import Schedule
    from canopy_tui.model.state import Touched
    from canopy_tui.model.stored import Past, Source
    from canopy_tui.view.apps.inspect_app import InspectApp
    from canopy_tui.view.surroundings import Peek


def run_inspection(
    source: Source | None, past: Past, directory: str, peek: Peek | None = None
) -> int:
    """Show the session, or what there is to pick from, until the person leaves; gives the exit
    code.
    """
    with logging_to(locations(os.environ).state):
        return asyncio.run(_run(inspect_app(source, directory, past=past, peek=peek)))


async def _run(app: InspectApp) -> int:
    try:
        with leaving_on_signals(app):
            await app.run_async(mouse=app.around.mouse)
    finally:
        await app.inspected.aclose()
    return app.return_code or 0


def inspect_app(
    source: Source | None,
    directory: str,
    *,
    past: Past | None = None,
    pause: float = LOOK,
    peek: Peek | None = None,
) -> InspectApp:
    """The app, not yet running."""
    from canopy_tui.own_settings import look_settings
    from canopy_tui.view.apps.inspect_app import InspectApp
    from canopy_tui.view.surroundings import Surroundings

    made: list[InspectHost] = []

    def make_host(schedule: Schedule, on_touched: Callable[[Touched], None]) -> InspectHost:
        def paint(touched: Touched) -> None:
            if app.return_code is None:
                on_touched(touched)

        host = InspectHost(source, past=past, schedule=schedule, on_touched=paint, pause=pause)
        made.append(host)
        return made[0]

    around = Surroundings(
        directory=directory,
        bell=False,
        read_only=True,
        **look_settings(os.environ, sys.stdout.encoding),
        peek=peek,
        now=lambda: made[0].now() if made else time.time(),
    )
    app = InspectApp(make_host, around)
    return app


def print_inspection(source: Source) -> int:
    """Tell the whole session in lines; gives the exit code. Raises ``OSError``."""
    from canopy_tui.plain.narrator import CANOPY, Narrator
    from canopy_tui.process.lines_out import Output

    reading = asyncio.run(source.read())
    state, output = ClientState(), Output()
    narrator = Narrator(state, spoken=output.is_read)
    for event in Story().events(reading):
        touched = reduce(state, event)
        if not isinstance(event, e.LinkChanged | e.Watched):
            output([f"{_clock(event)} {line}" for line in narrator.lines(touched)])
    output(narrator.rest())
    for row in rows_of(state, reading):
        output([f"{row.name}: {report_of(row)}"])
    output([f"{CANOPY}: {summary_of(state, reading)}"])
    return output.code


def _clock(event: e.Event) -> str:
    return datetime.fromtimestamp(getattr(event, "at", 0.0)).strftime("%H:%M:%S")
