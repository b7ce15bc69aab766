"""Opens the client on a recording, with a player in the place of an agent.

No agent is imported or started, and nothing is remembered.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_shared.frames import Request
from canopy_tui.app_run import leaving_on_signals, logging_to
from canopy_tui.paths import locations
from canopy_tui.replay.player import Player

if TYPE_CHECKING:
    from canopy_shared.record import Recording
    from canopy_tui.host.frame_pump import Schedule
    from canopy_tui.model.state import Touched
    from canopy_tui.view.apps.replay_app import ReplayApp

LONGEST_GAP = 5.0
"""Seconds of real time after which a longer silence of the recording is skipped."""


def run_replay(recording: Recording, *, speed: float, paused: bool) -> int:
    """Show ``recording`` until the person leaves; gives the exit code."""
    with logging_to(locations(os.environ).state):
        return asyncio.run(_run(recording, speed, paused))


async def _run(recording: Recording, speed: float, paused: bool) -> int:
    while True:
        app = replay_app(recording, speed=speed, paused=paused)
        with leaving_on_signals(app):
            await app.run_async(mouse=app.around.mouse)
        if not app.wants_more:
            return app.return_code or 0
        speed, paused = app.playback.speed, False


def replay_app(
    recording: Recording,
    *,
    speed: float = 1.0,
    paused: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> ReplayApp:
    """The app, not yet running."""
    from canopy_tui.own_settings import look_settings
    from canopy_tui.view.apps.replay_app import ReplayApp
    from canopy_tui.view.surroundings import Surroundings

    made: list[Player] = []

    def make_host(schedule: Schedule, on_touched: Callable[[Touched], None]) -> Player:
        def paint(touched: Touched) -> None:
            if app.return_code is None:
                on_touched(touched)

        made.append(
            Player(
                recording,
                schedule=schedule,
                on_touched=paint,
                speed=speed,
                paused=paused,
                longest_gap=LONGEST_GAP,
                clock=clock,
            )
        )
        return made[0]

    around = Surroundings(
        directory=first_directory(recording) or str(Path.cwd()),
        bell=False,
        read_only=True,
        **look_settings(os.environ, sys.stdout.encoding),
        now=lambda: made[0].now() if made else recording.started_at,
    )
    app = ReplayApp(make_host, around, recording.damage())
    return app


def first_directory(recording: Recording) -> str:
    """Where the first session of the recording worked."""
    for step in recording.steps:
        if isinstance(step.frame, Request) and isinstance(step.frame.params, dict):
            cwd = step.frame.params.get("cwd")
            if isinstance(cwd, str):
                return cwd
    return ""
