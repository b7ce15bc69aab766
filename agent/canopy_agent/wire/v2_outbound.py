"""The way to a client of ACP v2: every update and question is put in its words on the way out.

It sends in the order in which it was told, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.wire import v2_shapes as shapes
from canopy_agent.wire.v2_updates import Updates
from canopy_shared import methods as m
from canopy_shared.codec import decode_tool_content, encode
from canopy_shared.ext import air, claude
from canopy_shared.updates import SessionUpdate

if TYPE_CHECKING:
    from canopy_shared.frames import Response
    from canopy_shared.ids import RequestId
    from canopy_shared.peer import Peer

_PERMISSION = "permission"


class V2Outbound:
    """See :class:`~canopy_shared.outbound.Outbound`. ``air``: what it reads."""

    def __init__(self, peer: Peer, *, air: bool) -> None:
        self._peer = peer
        self._air = air
        self._updates = Updates()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        if method == m.SESSION_UPDATE and isinstance(params, SessionUpdate):
            for told in self._updates.told(params):
                self._peer.notify(method, told)
        else:
            self._peer.notify(method, params)

    def call(self, method: str, params: Any, on_answer: Callable[[Response], None]) -> RequestId:
        """Send a request."""
        if method == m.REQUEST_PERMISSION:
            params = self._permission(params)
        return self._peer.call(method, params, on_answer)

    def cancel(self, id_: RequestId) -> None:
        """Withdraw a request."""
        self._peer.cancel(id_)

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        return await self._peer.request(method, params)

    async def drained(self) -> None:
        """Wait until the client keeps up."""
        await self._peer.drained()

    def options_before(self, session: str, options: Any) -> list[dict[str, Any]]:
        """The options that an answer is about to carry, also for who only reads updates."""
        told = shapes.config_options(options)
        if not self._updates.has_options(session, told):
            update = {"sessionUpdate": "config_option_update", "configOptions": told}
            self._peer.notify(m.SESSION_UPDATE, {"sessionId": session, "update": update})
        return told

    def _permission(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The question in words of its own, about a call that the client has."""
        call = dict(params["toolCall"])
        call.pop("status", None)
        name = _name(call)
        meta = dict(params.get("_meta") or {})
        asked = (air.payload_of(meta) or {}).get(_PERMISSION)
        asked = asked if isinstance(asked, Mapping) else {}
        told: dict[str, Any] = {
            "sessionId": params["sessionId"],
            "title": asked.get("title") or call.get("title") or name or "",
            "subject": {"type": "tool_call", "toolCall": _call(call, name)},
            "options": encode(params["options"]),
        }
        if asked.get("description"):
            told["description"] = asked["description"]
        if self._air and meta:
            told["_meta"] = meta
        return told


def _name(call: dict[str, Any]) -> str | None:
    named = call.get("name") or claude.tool_name(call.get("_meta"))
    return named if isinstance(named, str) else None


def _call(call: dict[str, Any], name: str | None) -> dict[str, Any]:
    """The call without what the client has elsewhere: the name in the extension, null fields."""
    meta = dict(call.pop("_meta", None) or {})
    extension = {k: v for k, v in claude.payload_of(meta).items() if k != claude.TOOL_NAME}
    meta.pop(claude.NAMESPACE, None)
    if extension:
        meta[claude.NAMESPACE] = extension
    told = {key: value for key, value in call.items() if value is not None}
    if name is not None:
        told["name"] = name
    if isinstance(told.get("content"), list):
        told["content"] = [
            encode(shapes.tool_content(decode_tool_content(one))) for one in told["content"]
        ]
    return {**told, "_meta": meta} if meta else told
