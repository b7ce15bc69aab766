"""What has streamed of an assistant message, so that the complete message adds only the rest.

One lane per conversation (the main one, and each subagent's launch); it makes events and knows no
rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.claude.fields import count, ident, section, text
from canopy_agent.claude.partials import PartialInput
from canopy_agent.domain.events import (
    CompactionGrew,
    Event,
    ImageCame,
    MessageBegan,
    MessageSaid,
    MessageUsage,
    TextCame,
    ToolBegan,
    ToolInputGrew,
    ToolResulted,
    ToolUsed,
)
from canopy_agent.domain.usage import SYNTHETIC
from canopy_agent.domain.usage_limits import is_usage_limit

Json = Mapping[str, Any]

TOOL_BLOCKS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_LOGIN = re.compile(r"\brun /login\b", re.IGNORECASE)

_QUIET = frozenset(
    {
        *("ping", "message_stop", "content_block_stop", "error"),
        *("signature_delta", "citations_delta", "redacted_thinking", "compaction"),
        *("document", "search_result", "container_upload", "fallback"),
    }
)
"""Parts of a message that are nobody's to show."""


@dataclass(slots=True)
class Block:
    """One content block that streams."""

    kind: str
    streamed: list[str] = field(default_factory=list)
    tool_id: str = ""
    input: PartialInput | None = None


@dataclass(slots=True)
class Lane:
    """The message that streams in one conversation. ``skip`` hears of parts of unknown kinds."""

    parent: str | None
    skip: Callable[[str], None]
    message_id: str | None = None
    blocks: dict[int, Block] = field(default_factory=dict)
    unmatched: list[Block] = field(default_factory=list)
    """Streamed blocks, in order, that no complete message has matched yet."""

    # --- streaming ------------------------------------------------------------------------------

    def stream(self, event: Json) -> list[Event]:
        """Events of one ``stream_event``."""
        match event.get("type"):
            case "message_start":
                return self._begin(section(event.get("message")))
            case "content_block_start":
                return self._open(event)
            case "content_block_delta":
                return self._delta(event)
            case "message_delta":
                usage = section(event.get("usage"))
                return [MessageUsage(self.parent, usage)] if usage else []
        return self._unknown(event.get("type"))

    def _unknown(self, kind: object) -> list[Event]:
        if isinstance(kind, str) and kind not in _QUIET:
            self.skip(f"stream/{kind}")
        return []

    def _begin(self, message: Json) -> list[Event]:
        self.message_id = text(message.get("id"))
        self.blocks.clear()
        self.unmatched.clear()
        usage = section(message.get("usage"))
        return [MessageBegan(self.parent, self.message_id, text(message.get("model")), usage)]

    def _open(self, event: Json) -> list[Event]:
        index, source = count(event.get("index")), section(event.get("content_block"))
        kind = text(source.get("type")) or ""
        if index is None:
            return []
        block = self.blocks[index] = Block(kind)
        if kind in TOOL_BLOCKS:
            return self._open_tool(block, source)
        if kind in ("text", "thinking"):
            self.unmatched.append(block)
            return self._words(block, text(source.get(kind)) or "")
        return []

    def _open_tool(self, block: Block, source: Json) -> list[Event]:
        block.tool_id = ident(source.get("id")) or ""
        block.input = PartialInput()
        name = text(source.get("name")) or "Unknown Tool"
        return [ToolBegan(self.parent, block.tool_id, name)] if block.tool_id else []

    def _delta(self, event: Json) -> list[Event]:
        index, delta = count(event.get("index")), section(event.get("delta"))
        block = self.blocks.get(index) if index is not None else None
        if block is None:
            return []
        match delta.get("type"):
            case "text_delta":
                return self._words(block, text(delta.get("text")) or "")
            case "thinking_delta":
                return self._words(block, text(delta.get("thinking")) or "")
            case "compaction_delta":
                piece = text(delta.get("content")) or ""
                return [CompactionGrew(piece)] if piece and self.parent is None else []
            case "input_json_delta" if block.input is not None:
                grown = block.input.feed(text(delta.get("partial_json")) or "")
                known = grown is not None and block.tool_id
                return [ToolInputGrew(self.parent, block.tool_id, grown or {})] if known else []
            case "input_json_delta":
                return []
        return self._unknown(delta.get("type"))

    def _words(self, block: Block, words: str) -> list[Event]:
        if not words:
            return []
        block.streamed.append(words)
        return [TextCame(self.parent, words, self.message_id, block.kind == "thinking")]

    # --- complete messages ----------------------------------------------------------------------

    def complete(self, frame: Json) -> list[Event]:
        """Events of one complete ``assistant`` frame, which holds some blocks of a message."""
        message = section(frame.get("message"))
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        model, id_ = text(message.get("model")), text(message.get("id"))
        words = [text(section(b).get("text")) or "" for b in blocks]
        error, limit = text(frame.get("error")), is_usage_limit(model, "".join(words))
        events: list[Event] = []
        if not self._asks_for_login(model, words):
            for block in blocks:
                events += self._block(section(block), id_, failure=error is not None or limit)
        events.append(
            MessageSaid(
                self.parent,
                id_,
                text(frame.get("uuid")),
                model,
                section(message.get("usage")),
                error,
                "".join(words),
                limit,
            )
        )
        return events

    @staticmethod
    def _asks_for_login(model: str | None, words: list[str]) -> bool:
        """The CLI's own "run /login" message: the prompt's error says it, nobody should read it
        twice.
        """
        return model == SYNTHETIC and len(words) == 1 and _LOGIN.search(words[0]) is not None

    def _block(self, block: Json, message_id: str | None, *, failure: bool) -> list[Event]:
        kind = text(block.get("type")) or ""
        if kind in ("text", "thinking"):
            rest = self._rest(kind, text(block.get(kind)) or "")
            if not rest:
                return []
            thinking = kind == "thinking"
            return [TextCame(self.parent, rest, message_id, thinking, False, failure)]
        if kind in TOOL_BLOCKS:
            id_, name = ident(block.get("id")), text(block.get("name")) or "Unknown Tool"
            used = ToolUsed(self.parent, id_ or "", name, section(block.get("input")))
            return [used] if id_ else []
        if kind.endswith("_tool_result"):
            id_ = ident(block.get("tool_use_id"))
            failed = block.get("is_error") is True
            return [ToolResulted(self.parent, id_, [block], failed)] if id_ else []
        if kind == "image":
            return self._image(section(block.get("source")), message_id)
        return self._unknown(kind or "?")

    def _rest(self, kind: str, whole: str) -> str:
        """What of a complete block has not streamed; all of it when it does not continue the
        stream.
        """
        for at, block in enumerate(self.unmatched):
            if block.kind == kind:
                del self.unmatched[at]
                streamed = "".join(block.streamed)
                return whole[len(streamed) :] if whole.startswith(streamed) else whole
        return whole

    def _image(self, source: Json, message_id: str | None) -> list[Event]:
        data, uri = text(source.get("data")) or "", text(source.get("url"))
        mime = text(source.get("media_type")) or "image/png"
        return [ImageCame(self.parent, message_id, data, mime, uri)] if data or uri else []
