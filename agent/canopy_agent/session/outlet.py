"""The one way on which a session's updates leave; they can wait until the client knows its id.

What an update says is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.updates import SessionUpdate, Update

if TYPE_CHECKING:
    from canopy_shared.outbound import Outbound


class Outlet:
    """Sends the updates of the session ``root`` and of its children, in order."""

    def __init__(self, peer: Outbound, root: str) -> None:
        self._peer = peer
        self._root = root
        self._waiting: list[SessionUpdate] | None = None

    def hold(self) -> None:
        """Keep updates back: the client learns of the session by a response that is not out yet."""
        self._waiting = []

    def release(self) -> None:
        """The response is out."""
        waiting, self._waiting = self._waiting, None
        for update in waiting or ():
            self._peer.notify("session/update", update)

    def show(self, update: Update, session: str | None = None) -> None:
        """Send one update, on the root unless ``session`` names a child."""
        params = SessionUpdate(session or self._root, update)
        if self._waiting is not None:
            self._waiting.append(params)
        else:
            self._peer.notify("session/update", params)
