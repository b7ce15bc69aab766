"""When what a replay tells of happened, by the times of the records that it comes from.

Pure; it must not know who is told, nor where the records lie.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_agent.history.effort import time_of
from canopy_shared.updates import SubagentSpawned, SubagentStateUpdate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_shared.updates import Update


@dataclass(slots=True)
class ReplayTimes:
    """One replay. Times are seconds since 1970, 0.0 before the first record with one."""

    at: float = 0.0
    _latest: dict[str, float] = field(default_factory=dict)

    def telling(self, record: Mapping[str, Any]) -> None:
        """A record is about to be told."""
        self.at = time_of(record) or self.at

    def of(self, update: Update, session: str) -> float:
        """The time of an update that the record means, never before one of the same session. A
        subagent ended with the last that it did, wherever that is told.
        """
        at = max(self.at, self._latest.get(session, 0.0))
        if isinstance(update, SubagentStateUpdate):
            return self._latest.get(update.subagent_session_id, at)
        self._latest[session] = at
        if isinstance(update, SubagentSpawned):  # clocks may differ, but nobody acts before that
            self._latest[update.subagent_session_id] = at
        return at
