"""The host that the app is made with: the state at once, the controller only when it is started.

So the first frame waits for none of what the controller needs. Which controller it is, and what it
needs, is known to whoever makes it.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
from typing import TYPE_CHECKING

from canopy_tui.model.state import ClientState

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.host.controller import Controller
    from canopy_tui.model.intents import Intent
    from canopy_tui.model.state import Touched

CONTROLLER = "canopy_tui.host.controller"

log = logging.getLogger(__name__)


class LateHost:
    """Until the controller is there, intents wait for it in order.

    ``make`` gives the controller of that state; its module is imported on a thread before.
    ``on_touched`` is told when that fails.
    """

    def __init__(
        self, make: Callable[[ClientState], Controller], on_touched: Callable[[Touched], None]
    ) -> None:
        self.state = ClientState()
        self._make = make
        self._on_touched = on_touched
        self._controller: Controller | None = None
        self._waiting: list[Intent] = []
        self._starting: asyncio.Task[None] | None = None

    def act(self, intent: Intent) -> None:
        """Carry out ``intent``, now or as soon as that is possible."""
        if self._controller is not None:
            self._controller.act(intent)
        else:
            self._waiting.append(intent)

    def start(self) -> None:
        """Get the controller and start the agent, in the background."""
        self._starting = asyncio.get_running_loop().create_task(self._start())

    async def _start(self) -> None:
        try:
            await asyncio.to_thread(importlib.import_module, CONTROLLER)
            controller = self._controller = self._make(self.state)
        except Exception as error:
            log.error("the controller could not be made", exc_info=error)
            self._failed(error)
            return
        controller.start()
        waiting, self._waiting = self._waiting, []
        for intent in waiting:
            controller.act(intent)

    def _failed(self, error: Exception) -> None:
        from canopy_tui.model.events import LinkChanged
        from canopy_tui.model.reduce import reduce

        words = f"A fault of Canopy: {str(error) or type(error).__name__}"
        failed = LinkChanged(status="failed", detail=words, at=time.time())
        self._on_touched(reduce(self.state, failed))

    async def aclose(self) -> None:
        """Stop what was started, within seconds."""
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._controller is not None:
            await self._controller.aclose()
