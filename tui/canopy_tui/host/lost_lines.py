"""Tells the person that a line of the agent could not be read: what was lost, and what to do.

Such a line names no session, so the sessions that work hear of it, each once; how a line is read is
not known here.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from canopy_shared.errors import PARSE_ERROR
from canopy_tui.model import events as e
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_shared.frames import Malformed
    from canopy_tui.model.state import ClientState

log = logging.getLogger(__name__)

TITLE: Final = "A line from the agent could not be read and was left out."
_SHOWN = 80
"""Characters of the line that are shown."""
_LOGGED = 400


class LostLines:
    """One per controller. ``log_file`` is where more of the lines is kept."""

    def __init__(
        self,
        state: ClientState,
        apply: Callable[[e.Event], None],
        clock: Callable[[], float],
        log_file: str,
    ) -> None:
        self._state = state
        self._apply = apply
        self._clock = clock
        self._log_file = log_file
        self._told: set[str] = set()

    def lost(self, line: Malformed) -> None:
        """``line`` was left out."""
        said = line.said.decode("utf-8", "replace")
        log.warning("could not read a line of the agent: %s", clipped(said, _LOGGED))
        for session in self._concerned():
            if session not in self._told:
                self._told.add(session)
                self._tell(session, _why(line), said)

    def _concerned(self) -> list[str]:
        roots = [self._state.sessions[root] for root in self._state.roots]
        there = [view for view in roots if view.phase is not Phase.DISCONNECTED]
        working = [view for view in there if view.phase is Phase.RUNNING or view.loading]
        return [view.id for view in working or there]

    def _tell(self, session: str, why: str, said: str) -> None:
        began = f" It begins: {clipped(said, _SHOWN)}" if said.strip() else ""
        self._apply(
            e.Noticed(
                session=session,
                severity="warning",
                title=TITLE,
                detail=(
                    f"{why}{began}\n"
                    "Part of an answer may be missing: if it is, send the message again.\n"
                    f"Further lines like this are only noted in {self._log_file}"
                ),
                at=self._clock(),
            )
        )


def _why(line: Malformed) -> str:
    if line.error.code == PARSE_ERROR:
        return "It is not JSON, as every line of the Agent Client Protocol has to be."
    reason = line.error.message.partition(": ")[2]
    return f"It is not a message of the Agent Client Protocol: {reason}."
