"""The stored sessions for somebody who picks one to look at: listed page by page, and opened.

It reads files and starts nothing; what is shown of a session is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_agent.history.listing import PAGE, Listing
from canopy_agent.history.store import Store
from canopy_agent.session.inspection import Inspection
from canopy_agent.session.lookup import FoundSession, NoSessionError, find_session, stored_rows

if TYPE_CHECKING:
    from canopy_agent.history.listing import Row


class PastSessions:
    """Everything that Claude Code keeps. ``capabilities`` are what the one who looks can show."""

    def __init__(self, config_directory: str, capabilities: Mapping[str, Any]) -> None:
        self._config_directory = config_directory
        self._capabilities = capabilities
        self._listing = Listing(Store(config_directory))

    async def page(self, directory: str | None, start: int) -> tuple[list[Row], bool]:
        """The rows from number ``start`` on, the newest first, of a directory (None: of all), and
        whether there are more.
        """
        return await asyncio.to_thread(self._page, directory, start)

    def _page(self, directory: str | None, start: int) -> tuple[list[Row], bool]:
        found: list[Row] = []
        for at, row in enumerate(stored_rows(self._listing, directory)):
            if at >= start + PAGE:
                return found, True
            if at >= start:
                found.append(row)
        return found, False

    def open(self, session: str) -> Inspection | None:
        """The session with that id; None when it is gone. Blocking, as a look at a folder is."""
        try:
            found = find_session(session, Path.cwd(), self._config_directory)
        except NoSessionError:
            return None
        return self.at(found)

    def at(self, found: FoundSession) -> Inspection:
        """A session that was found."""
        return Inspection(found.id, found.path, self._config_directory, self._capabilities)
