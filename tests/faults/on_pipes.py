"""The whole client, screen and all, on a scripted agent behind real pipes.

It must not know what the agent plays.
"""

from __future__ import annotations

import contextlib
import os
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from textual.css.query import NoMatches

from canopy_tui.agents.foreign_agent import launch_foreign
from canopy_tui.host.controller import Controller
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.surroundings import Surroundings
from tui_app.playing import SMALLEST_WIDE, Clock, Play
from tui_app.stage import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from canopy_tui.agents.agent_connection import AgentConnection
    from canopy_tui.model.state import ClientState, Touched
    from canopy_tui.view.surroundings import OnTouched, Schedule
    from fakes.agent import FakeAgentScript


class PipedPlay(Play):
    """A play whose events come from a process."""

    @property
    def state(self) -> ClientState:
        """The client's state."""
        return self.app.state


@asynccontextmanager
async def on_pipes(
    script: FakeAgentScript, size: tuple[int, int] = SMALLEST_WIDE
) -> AsyncIterator[PipedPlay]:
    """The app on FAKE-AGENT, with its first session on screen."""
    made: list[Controller] = []

    async def launch() -> AgentConnection:
        return await launch_foreign(script.command, script.folder, os.environ)

    def make(schedule: Schedule, on_touched: OnTouched) -> Controller:
        def paint(touched: Touched) -> None:
            with contextlib.suppress(NoMatches):  # an app that leaves takes its widgets down
                on_touched(touched)

        made.append(
            Controller(launch, script.folder, schedule=schedule, on_touched=paint, environment={})
        )
        return made[0]

    clock = Clock()
    app = CanopyApp(make, Surroundings(directory=str(script.folder), clock=clock))
    try:
        async with app.run_test(size=size) as pilot:
            play = PipedPlay(app, pilot, Stage(time.time), clock)
            await play.until(
                lambda: app.state.link.status == "ready" and app.open_session, "a session in view"
            )
            await play.settle()
            yield play
    finally:
        for controller in made:
            await controller.aclose()
