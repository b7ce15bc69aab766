"""What ACP v2 streams item by item beside messages: contents of tool calls, and messages between
sessions.

It keeps what came so far and gives the whole of it each time, as version 1 tells it; bounded, since
an agent may stream for ever. Shapes follow the v2 draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from canopy_shared.codec import decode_content, decode_tool_content
from canopy_shared.content import ContentBlock, TextContent, ToolContent
from canopy_shared.unset import UNSET
from canopy_shared.updates import SessionMessage

Json = Mapping[str, Any]

MOST_ITEMS = 2000
MOST_MESSAGES = 200
"""Messages between sessions that can still change; older ones stay as they were told."""
_PLACES = {
    "senderSessionId": "sender_session_id",
    "recipientSessionId": "recipient_session_id",
    "senderMessageId": "sender_message_id",
    "recipientMessageId": "recipient_message_id",
}


def grown(contents: tuple[Any, ...], item: object) -> tuple[Any, ...]:
    """``contents`` of a tool call and one item more, given as JSON or decoded. Text that follows on
    text goes on with it.
    """
    new = decode_tool_content(item) if isinstance(item, Mapping) else item
    if new is UNSET or new is None:
        return contents
    last = contents[-1] if contents else None
    if isinstance(last, ToolContent) and isinstance(new, ToolContent):
        joined = _joined(last.content, new.content)
        if joined is not None:
            return (*contents[:-1], replace(last, content=joined))
    return (*contents, new)[-MOST_ITEMS:]


def _joined(last: ContentBlock, new: ContentBlock) -> TextContent | None:
    if isinstance(last, TextContent) and isinstance(new, TextContent):
        return replace(last, text=last.text + new.text)
    return None


@dataclass(slots=True)
class Between:
    """A message between two sessions so far. ``places`` are its participants and references."""

    places: dict[str, Any] = field(default_factory=dict)
    blocks: tuple[ContentBlock, ...] = ()

    def told(self, message: str) -> list[SessionMessage]:
        """The whole message; nothing before it is known whose it is."""
        known = {"sender_session_id", "recipient_session_id"} & self.places.keys()
        if not known or not self.blocks:
            return []
        return [SessionMessage(message, content=self.blocks, **self.places)]


class Messages:
    """The messages between sessions of one session's transcript."""

    def __init__(self) -> None:
        self._messages: dict[str, Between] = {}

    def upsert(self, raw: Json) -> list[SessionMessage]:
        """``session_message``: what is left out stays, null clears, a value replaces."""
        id_, message = self._message(raw)
        if message is None:
            return []
        for wire, name in _PLACES.items():
            if isinstance(raw.get(wire), str):
                message.places[name] = raw[wire]
            elif wire in raw:
                message.places.pop(name, None)
        if "content" in raw:
            given = raw["content"] if isinstance(raw["content"], (list, tuple)) else ()
            message.blocks = tuple(block for one in given if (block := _block(one)) is not None)
        return message.told(id_)

    def chunk(self, raw: Json) -> list[SessionMessage]:
        """``session_message_chunk``: one block more."""
        id_, message = self._message(raw)
        block = _block(raw.get("content"))
        if message is None or block is None:
            return []
        joined = _joined(message.blocks[-1], block) if message.blocks else None
        kept = message.blocks if joined is None else message.blocks[:-1]
        message.blocks = (*kept, joined or block)[-MOST_ITEMS:]
        return message.told(id_)

    def _message(self, raw: Json) -> tuple[str, Between | None]:
        id_ = raw.get("messageId")
        if not isinstance(id_, str) or not id_:
            return "", None
        if id_ not in self._messages and len(self._messages) >= MOST_MESSAGES:
            del self._messages[next(iter(self._messages))]
        return id_, self._messages.setdefault(id_, Between())


def _block(given: object) -> ContentBlock | None:
    block = decode_content(given) if isinstance(given, Mapping) else given
    return None if block is UNSET or block is None else block  # type: ignore[return-value]
