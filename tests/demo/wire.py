"""A raw HTTP client for the tests of the scripted model: it sees bytes, chunks and resets."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from canopy_agent.demo.server import ScriptedModel

BOUND = 30.0  # seconds; a hang, not a slow machine


@dataclass(frozen=True, slots=True)
class Response:
    """A whole response; `body` has its chunks joined."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def events(self) -> list[dict[str, Any]]:
        """The events of a stream; each names itself twice."""
        found = []
        for frame in self.body.decode().split("\n\n")[:-1]:
            name, _, payload = frame.partition("\n")
            event = json.loads(payload.removeprefix("data: "))
            assert name == f"event: {event['type']}"
            found.append(event)
        return found


class Connection:
    """One TCP connection to the model."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, raw: bytes) -> None:
        self.writer.write(raw)

    def request(
        self, body: object, path: str = "/v1/messages", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a POST with a JSON body."""
        raw = json.dumps(body).encode()
        fields = {"content-length": str(len(raw)), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.send(f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + raw)

    async def head(self) -> tuple[int, dict[str, str]]:
        """Read the head of a response."""
        async with asyncio.timeout(BOUND):
            raw = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *rest = raw.strip().split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in rest)
        return int(first.split(" ")[1]), fields

    async def chunk(self) -> bytes:
        """Read one chunk; empty for the last one."""
        async with asyncio.timeout(BOUND):
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            return (await self.reader.readexactly(size + 2))[:-2]

    async def response(self) -> Response:
        status, fields = await self.head()
        body = b""
        if fields.get("transfer-encoding") == "chunked":
            while part := await self.chunk():
                body += part
        else:
            async with asyncio.timeout(BOUND):
                body = await self.reader.readexactly(int(fields["content-length"]))
        return Response(status, fields, body)


@asynccontextmanager
async def connected(model: ScriptedModel) -> AsyncIterator[Connection]:
    """A connection that is closed at the end."""
    place = urlsplit(model.url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    try:
        yield Connection(reader, writer)
    finally:
        writer.close()
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)


def question(*messages: object, **more: object) -> dict[str, object]:
    """A request body; a string is a user message."""
    told = [{"role": "user", "content": one} if isinstance(one, str) else one for one in messages]
    return {"model": "claude-test", "max_tokens": 100, "messages": told, "stream": True, **more}


def called(name: str, call_id: str = "toolu_1", **call_input: object) -> dict[str, object]:
    """An assistant message with one tool call."""
    block = {"type": "tool_use", "id": call_id, "name": name, "input": call_input}
    return {"role": "assistant", "content": [block]}


def returned(text: str, call_id: str = "toolu_1", *, is_error: bool = False) -> dict[str, object]:
    """The user message with its result."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error}
    return {"role": "user", "content": [block]}


async def ask(model: ScriptedModel, *messages: object, **more: object) -> Response:
    """One request on a connection of its own; `headers` are sent, the rest goes into the body."""
    headers = more.pop("headers", None)
    assert headers is None or isinstance(headers, dict)
    async with connected(model) as connection:
        connection.request(question(*messages, **more), headers=headers)
        return await connection.response()


def text_of(response: Response) -> str:
    """The text that a stream amounts to."""
    return "".join(
        event["delta"].get("text", "")
        for event in response.events()
        if event["type"] == "content_block_delta"
    )
