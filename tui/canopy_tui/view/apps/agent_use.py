"""Asks now and then what the agent took that the tree tells of: its model and its tokens.

It asks only of an agent that answers; what is done with the answer is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.intents import AskAgentUse
from canopy_tui.model.state import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.model.state import ClientState, SessionView

AGAIN = 5.0
"""Seconds after which what a running agent took is asked again."""


class AgentUseWatch:
    """``ask`` carries out an intent. Times are in seconds of any clock."""

    def __init__(self, state: ClientState, ask: Callable[[AskAgentUse], object]) -> None:
        self._state = state
        self._ask = ask
        self._asked: tuple[str, Phase, int] | None = None
        self._at = 0.0

    def look(self, view: SessionView | None, now: float) -> None:
        """``view`` is the session that the tree tells of."""
        if view is None or view.parent is None or not self._state.link.tells_controls:
            return
        asked = (view.id, view.phase, view.run)
        waits = view.phase is not Phase.RUNNING or now - self._at < AGAIN
        if asked == self._asked and waits:
            return
        self._asked, self._at = asked, now
        self._ask(AskAgentUse(view.id))
