"""Watches whether a turn ends that the person stopped, so that an agent that hangs is told of.

It only looks and tells; how a turn is stopped, or an agent started again, is not known here.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from canopy_tui.model import events as e

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState, SessionView

PATIENCE = 15.0
"""Seconds after which it is told that a turn has not stopped."""


class StopWatch:
    """One per controller; ``close`` ends all watching."""

    def __init__(
        self,
        state: ClientState,
        apply: Callable[[e.Event], None],
        clock: Callable[[], float],
        patience: float = PATIENCE,
    ) -> None:
        self._state = state
        self._apply = apply
        self._clock = clock
        self._patience = patience
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def stopping(self, root: SessionView) -> None:
        """The person stopped the turn of ``root``; a second stop changes nothing."""
        if root.in_turn and root.id not in self._timers:
            call = asyncio.get_running_loop().call_later
            self._timers[root.id] = call(self._patience, self._look, root.id, root.turns_done)

    def close(self) -> None:
        """Nobody looks any more."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _look(self, session: str, turns_done: int) -> None:
        self._timers.pop(session, None)
        root = self._state.sessions.get(session)
        if root is None or not root.in_turn or root.turns_done != turns_done:
            return
        self._apply(
            e.Noticed(
                session=session,
                severity="warning",
                title=f"The agent was told to stop {self._patience:g} s ago and has not yet.",
                hint="{restart} starts it again and takes up its sessions.",
                action="restart_agent",
                at=self._clock(),
            )
        )
