"""The opt-in copy of Claude Code's messages for a client: ``_claude/sdkMessage``.

Messages go out as they came; what they mean is not known here. The option is that of
``@agentclientprotocol/claude-agent-acp`` 0.101.0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_shared.ext import claude

Json = Mapping[str, Any]

OPTION: Final = "emitRawSDKMessages"
_PROTOCOL: Final = frozenset(
    {"control_request", "control_response", "control_cancel_request", "keep_alive"}
)


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """Messages to copy; a field that is None does not matter. ``origin`` is the kind of one."""

    type: str | None = None
    subtype: str | None = None
    origin: str | None = None

    def fits(self, message: Json) -> bool:
        """Whether a message is one of them."""
        if self.type is not None and message.get("type") != self.type:
            return False
        if self.subtype is not None and message.get("subtype") != self.subtype:
            return False
        return self.origin is None or _origin(message) == self.origin


def _origin(message: Json) -> object:
    origin = message.get("origin")
    return origin.get("kind") if isinstance(origin, Mapping) else None


def filters_of(meta: Json) -> tuple[MessageFilter, ...]:
    """The filters that the ``_meta`` of a session request asks for; none when it asks for none."""
    wanted = claude.payload_of(meta).get(OPTION)
    if wanted is True:
        return (MessageFilter(),)
    rows = wanted if isinstance(wanted, list) else []
    found = (_filter(row) for row in rows)
    return tuple(one for one in found if one is not None)


def _filter(row: object) -> MessageFilter | None:
    """A row without a type would copy everything, so it copies nothing."""
    if not isinstance(row, Mapping) or not isinstance(row.get("type"), str):
        return None
    subtype, origin = row.get("subtype"), row.get("origin")
    if isinstance(origin, Mapping):
        origin = origin.get("kind")
    return MessageFilter(
        row["type"],
        subtype if isinstance(subtype, str) else None,
        origin if isinstance(origin, str) else None,
    )


class RawMirror:
    """Copies the messages of one session. ``notify`` sends a notification."""

    def __init__(
        self,
        session_id: str,
        filters: tuple[MessageFilter, ...],
        notify: Callable[[str, Any], None],
    ) -> None:
        self._session = session_id
        self._filters = filters
        self._notify = notify

    def frame(self, frame: Json) -> None:
        """One frame of the CLI; what belongs to the control protocol is no message."""
        if frame.get("type") in _PROTOCOL:
            return
        if any(one.fits(frame) for one in self._filters):
            params = {"sessionId": self._session, "message": frame}
            self._notify(claude.SDK_MESSAGE_METHOD, params)
