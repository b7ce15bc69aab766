"""What one open session is doing, as its row in the session index says it.

It watches frames and tells that something changed; who lists sessions is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from canopy_agent.claude.decode import Decoder
from canopy_agent.domain.events import ResultCame
from canopy_agent.domain.outcomes import is_interruption
from canopy_shared.ext.session_index import ASKING, ERROR, IDLE, RUNNING

Json = Mapping[str, Any]


class Activity:
    """``changed`` is called whenever one of the facts is another."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._state = IDLE
        self._failed = False
        self.turn_ended_at: str | None = None
        self.cost: float | None = None

    @property
    def state(self) -> str:
        """``idle``, ``running``, ``requires_action``, or ``error`` after a turn that failed."""
        return ERROR if self._failed and self._state == IDLE else self._state

    def frame(self, frame: Json) -> None:
        """One frame of the CLI."""
        match frame.get("type"), frame.get("subtype"):
            case "system", "session_state_changed":
                self._moved(frame.get("state"))
            case "result", _:
                self._ended(frame)

    def _moved(self, state: object) -> None:
        if state == self._state or state not in (IDLE, RUNNING, ASKING):
            return
        if self._state == IDLE:
            self._failed = False
        self._state = str(state)
        self._changed()

    def _ended(self, frame: Json) -> None:
        self._failed = _is_failure(frame)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.turn_ended_at = now.replace("+00:00", "Z")
        cost = frame.get("total_cost_usd")
        if isinstance(cost, (int, float)) and not isinstance(cost, bool):
            # a CLI that took another's place counts from zero
            self.cost = max(float(cost), self.cost or 0.0)
        self._changed()


def _is_failure(frame: Json) -> bool:
    """Whether a turn went wrong by itself: one that the person stopped did not."""
    results = [event for event in Decoder().decode(frame) if isinstance(event, ResultCame)]
    return any(result.is_error and not is_interruption(result) for result in results)
