"""What a JSON-RPC peer needs of the road below it: frames in order, in batches, with back-pressure.

It says nothing of bytes; the pipe transport and the in-process pair both fit it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from canopy_shared.frames import Frame


class Transport(Protocol):
    """One end of a connection. All calls belong to one event loop."""

    def send(self, frame: Frame) -> None:
        """Queue ``frame`` in order; never blocks.

        Raises ``TypeError`` or ``ValueError`` when a request or response cannot be serialised, and
        does nothing once the connection is closed. Sent objects must not be changed afterwards.
        """

    async def receive(self) -> list[Frame]:
        """Everything that has come, in order; waits for at least one frame. ``[]`` once at the
        end.
        """

    async def drained(self) -> None:
        """Return when the other side keeps up again; at once when it does."""

    async def aclose(self) -> None:
        """Flush what was sent, within bounds, and close. Safe to call twice."""
