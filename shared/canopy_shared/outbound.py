"""What the sessions need of a connection to say something to their client.

A JSON-RPC peer is one, for protocol version 1; other versions put an encoder before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from canopy_shared.frames import Response
    from canopy_shared.ids import RequestId


class Outbound(Protocol):
    """The way to the client; see :class:`canopy_shared.peer.Peer` for each method."""

    def notify(self, method: str, params: Any) -> None: ...
    def call(
        self, method: str, params: Any, on_answer: Callable[[Response], None]
    ) -> RequestId: ...
    def cancel(self, id_: RequestId) -> None: ...
    async def request(self, method: str, params: Any) -> Any: ...
    async def drained(self) -> None: ...
