"""The Messages API's stream of events for one scripted reply, and the same as one message.

Pure: `play` says what to send and when to wait, the server does both. Source: Anthropic Messages
API, streaming.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from canopy_agent.demo.requests import ModelRequest
from canopy_agent.demo.rules import (
    AfterTurn,
    Drop,
    Garble,
    Gate,
    Interlude,
    Pause,
    Ping,
    RedactedThinking,
    Step,
    StopReason,
    StreamError,
    Text,
    Thinking,
    ToolUse,
    Usage,
)

ERROR_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
JSON_PIECE = 24  # characters of tool input per input_json_delta
_TEMPLATE = re.compile(r"\{cwd\}")


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event; its name is `payload["type"]`."""

    payload: Mapping[str, Any]


Wait: TypeAlias = Pause | Gate | AfterTurn
Action: TypeAlias = Event | Interlude


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rule became for one request: everything that `play` needs."""

    request: ModelRequest
    message_id: str
    steps: Sequence[Step]
    new_tool_id: Callable[[], str]
    stop: StopReason | None = None
    usage: Usage = field(default_factory=Usage)
    delay: float = 0.0

    @property
    def calls_tool(self) -> bool:
        """Whether the answer goes on with tool results."""
        return any(isinstance(one, ToolUse) for one in self.steps)


def encode(event: Event) -> bytes:
    """The event as it goes over the wire."""
    told = json.dumps(event.payload, ensure_ascii=False)
    return f"event: {event.payload['type']}\ndata: {told}\n\n".encode()


def encode_garbled() -> bytes:
    """A delta event whose JSON is cut off."""
    return b'event: content_block_delta\ndata: {"type": "content_block_delta", "index": \n\n'


def error_body(status: int, message: str, kind: str | None = None) -> bytes:
    """An error as the Messages API words it."""
    default = "api_error" if status >= 500 else "invalid_request_error"
    error = {"type": kind or ERROR_TYPES.get(status, default), "message": message}
    return json.dumps({"type": "error", "error": error, "request_id": "req_scripted"}).encode()


def held_back(steps: Sequence[Step]) -> tuple[Sequence[Wait], Sequence[Step]]:
    """Split off the waits that come before anything is sent."""
    waits: list[Wait] = []
    for at, step in enumerate(steps):
        if not isinstance(step, Pause | Gate | AfterTurn):
            return waits, steps[at:]
        waits.append(step)
    return waits, ()


def play(answer: Answer) -> Iterator[Action]:
    """Everything that happens for one answer, in order: events and the waits between them."""
    waits, steps = held_back(answer.steps)
    yield from waits
    stream = _Stream(answer)
    yield stream.start()
    for step in steps:
        yield from stream.step(step)
        if isinstance(step, StreamError):
            return
    yield from stream.end()


def assemble(events: Iterable[Event]) -> dict[str, Any]:
    """The non-streaming message that a stream of events amounts to."""
    message: dict[str, Any] = {}
    content: list[dict[str, Any]] = []
    raw: dict[int, str] = {}
    for event in events:
        payload = event.payload
        match payload["type"]:
            case "message_start":
                message = dict(payload["message"])
            case "content_block_start":
                content.append(dict(payload["content_block"]))
            case "content_block_delta":
                _grow(content[payload["index"]], payload["delta"], raw, payload["index"])
            case "message_delta":
                message |= payload["delta"]
                message["usage"] = {**message["usage"], **payload["usage"]}
            case _:
                pass
    for index, text in raw.items():
        content[index]["input"] = _decoded(text)
    return {**message, "content": content}


def _grow(block: dict[str, Any], delta: Mapping[str, Any], raw: dict[int, str], index: int) -> None:
    match delta["type"]:
        case "text_delta":
            block["text"] += delta["text"]
        case "thinking_delta":
            block["thinking"] += delta["thinking"]
        case "signature_delta":
            block["signature"] = delta["signature"]
        case "input_json_delta":
            raw[index] = raw.get(index, "") + delta["partial_json"]


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}  # only a scripted `raw_input` is no JSON


def pieces(text: str, chunk: int | None = None) -> list[str]:
    """A text cut behind each word, or every `chunk` characters; joined they are the text again."""
    if chunk is not None:
        return [text[at : at + chunk] for at in range(0, len(text), chunk)]
    return re.findall(r"\s*\S+\s*|\s+", text)


def filled(value: Any, request: ModelRequest) -> Any:
    """A tool input with its callables called and `{cwd}` put in."""
    if callable(value):
        return filled(value(request), request)
    if isinstance(value, str):
        return _TEMPLATE.sub(lambda _: request.cwd, value)
    if isinstance(value, Mapping):
        return {key: filled(one, request) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [filled(one, request) for one in value]
    return value


class _Stream:
    """Counts content blocks and output while the events of one message are made."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._index = 0
        self._sent = 0

    def start(self) -> Event:
        message: dict[str, Any] = {
            "id": self._answer.message_id,
            "type": "message",
            "role": "assistant",
            "model": self._answer.request.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _counts(self._answer.usage),
        }
        return Event({"type": "message_start", "message": message})

    def end(self) -> Iterator[Action]:
        stop = self._answer.stop or ("tool_use" if self._answer.calls_tool else "end_turn")
        delta = {"stop_reason": stop, "stop_sequence": None}
        usage = {"output_tokens": self._output_tokens()}
        yield Event({"type": "message_delta", "delta": delta, "usage": usage})
        yield Event({"type": "message_stop"})

    def step(self, step: Step) -> Iterator[Action]:
        request = self._answer.request
        match step:
            case Text(words, delay, chunk):
                parts = words if isinstance(words, tuple) else _cut(words, request, chunk)
                yield from self._block({"type": "text", "text": ""}, "text_delta", parts, delay)
            case Thinking(words, signature, delay):
                block = {"type": "thinking", "thinking": "", "signature": ""}
                text = words(request) if callable(words) else words
                seal = {"type": "signature_delta", "signature": signature or _signature(text)}
                yield from self._block(block, "thinking_delta", pieces(text), delay, seal)
            case RedactedThinking(data):
                yield from self._block({"type": "redacted_thinking", "data": data}, "", (), 0.0)
            case ToolUse():
                yield from self._tool(step)
            case Ping():
                yield Event({"type": "ping"})
            case StreamError(type=kind, message=message):
                yield Event({"type": "error", "error": {"type": kind, "message": message}})
            case Pause() | Gate() | AfterTurn() | Drop() | Garble():
                yield step

    def _tool(self, step: ToolUse) -> Iterator[Action]:
        tool_id = step.id or self._answer.new_tool_id()
        block = {"type": "tool_use", "id": tool_id, "name": step.name, "input": {}}
        raw = step.raw_input
        if raw is None:
            raw = json.dumps(filled(step.input, self._answer.request), ensure_ascii=False)
        yield from self._block(block, "input_json_delta", pieces(raw, JSON_PIECE), 0.0)

    def _block(
        self,
        block: Mapping[str, Any],
        kind: str,
        parts: Sequence[str | Interlude],
        delay: float | None,
        last: Mapping[str, Any] | None = None,
    ) -> Iterator[Action]:
        index, self._index = self._index, self._index + 1
        wait = self._answer.delay if delay is None else delay
        name = _FIELDS.get(kind, "")
        yield Event({"type": "content_block_start", "index": index, "content_block": block})
        for part in parts:
            if not isinstance(part, str):
                yield from self.step(part)
                continue
            self._sent += len(part)
            delta = {"type": kind, name: part}
            yield Event({"type": "content_block_delta", "index": index, "delta": delta})
            if wait:
                yield Pause(wait)
        if last is not None:
            yield Event({"type": "content_block_delta", "index": index, "delta": last})
        yield Event({"type": "content_block_stop", "index": index})

    def _output_tokens(self) -> int:
        told = self._answer.usage.output_tokens
        return max(1, self._sent // 4) if told is None else told


_FIELDS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
}


def _cut(
    words: str | Callable[[ModelRequest], str], request: ModelRequest, chunk: int | None
) -> list[str]:
    return pieces(words(request) if callable(words) else words, chunk)


def _counts(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "output_tokens": 1,
    }


def _signature(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
