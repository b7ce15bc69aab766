"""What waits until the first frame is on screen: the collection of garbage, and dear imports.

A module that the first frame does not show is imported by the function that needs it. Those that
a person would notice at the first message are in one table here, and imported while the agent
boots. What is on the frame is not known here.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from canopy_tui.agents.agent_connection import AgentConnection, Launch

WHILE_THE_AGENT_BOOTS: Final = (
    "canopy_tui.view.transcript.layout",
    "canopy_tui.view.dialogs.confirm",
    "canopy_tui.view.stored.session_picker",
    "canopy_tui.view.requests.request_screen",
    "canopy_tui.view.requests.permission",
    "canopy_tui.view.screens.help",
)
"""What the first message, the first request and the first keys need, in the order of need."""


def ahead() -> None:
    """Collect no garbage: until the frame there is next to none, and looking for it costs more than
    a tenth of the time.
    """
    gc.disable()


def is_painted() -> None:
    """Collect garbage again, but never look at what was loaded so far: it stays."""
    from canopy_tui.view.terminal.calm import Calm

    gc.freeze()
    gc.enable()
    Calm.begin()


def importing_meanwhile(launch: Launch) -> Launch:
    """``launch``, with what the person needs next imported on a thread while the agent boots."""
    running: set[asyncio.Task[None]] = set()

    async def start() -> AgentConnection:
        connection = await launch()
        task = asyncio.get_running_loop().create_task(_import_all())
        running.add(task)
        task.add_done_callback(running.discard)
        return connection

    return start


async def _import_all() -> None:
    for name in WHILE_THE_AGENT_BOOTS:
        await asyncio.to_thread(importlib.import_module, name)
    gc.freeze()
