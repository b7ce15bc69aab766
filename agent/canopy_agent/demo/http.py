"""One HTTP/1.1 connection: requests one after the other, answers whole or in chunks.

It knows keep-alive and chunked responses (RFC 9112) and nothing of the Messages API.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from canopy_agent.demo.incoming import (
    BODY_LIMIT,
    DisconnectedError,
    Incoming,
    read_body,
    read_head,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

LINGER = 2.0  # seconds
_OVERLOADED = 529  # the Messages API's own status


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request with its whole body; header names are lower case, `path` is without the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class HttpConnection:
    """Reads one request after the other; writes go straight to the peer.

    Every write raises `DisconnectedError` when the peer is gone.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._incoming = Incoming(reader)
        self._writer = writer
        self.streaming = False

    async def next_request(self) -> HttpRequest | None:
        """The next request, None when the peer closed between two.

        Raises `HttpError` for what cannot be read, `DisconnectedError` when the peer stops midway.
        """
        head = await read_head(self._incoming)
        if head is None:
            return None
        if head.headers.get("expect", "").lower() == "100-continue":
            await self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await read_body(self._incoming, head.headers)
        closes = head.headers.get("connection", "").lower() == "close"
        stays = head.version == "HTTP/1.1" and not closes
        return HttpRequest(head.method, head.target.partition("?")[0], head.headers, body, stays)

    async def hung_up(self) -> None:
        """Return when the peer has closed; what it sends meanwhile is kept for the next request."""
        while await self._incoming.fill():
            if len(self._incoming.buffer) > BODY_LIMIT:
                return

    async def respond(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        with_body: bool = True,
    ) -> None:
        """Write a whole JSON response; without `with_body` only its head (for HEAD)."""
        fields = {"content-type": "application/json", **(headers or {})}
        head = _head(status, {**fields, "content-length": str(len(body))})
        await self._write(head + body if with_body else head)

    async def start_stream(self, headers: Mapping[str, str]) -> None:
        """Write the head of a chunked 200 response."""
        self.streaming = True
        await self._write(_head(200, {**headers, "transfer-encoding": "chunked"}))

    async def send_chunk(self, payload: bytes) -> None:
        """Write one chunk of a stream."""
        await self._write(b"%x\r\n%b\r\n" % (len(payload), payload))

    async def end_stream(self) -> None:
        """Write the last chunk."""
        await self._write(b"0\r\n\r\n")
        self.streaming = False

    async def fail(self, body: bytes) -> None:
        """Answer 400, or break off when an answer is already under way."""
        if self.streaming:
            self.reset()
            raise DisconnectedError
        await self.respond(400, body)

    async def linger(self) -> None:
        """Say that nothing more will come, and let the peer read it before the close."""
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(LINGER):
                self._writer.write_eof()
                while await self._incoming.fill():
                    self._incoming.buffer.clear()

    async def aclose(self) -> None:
        """Close at once and leave no task behind."""
        self._writer.transport.abort()
        await self._incoming.aclose()

    def reset(self) -> None:
        """Break off: the peer sees a connection reset."""
        connection = self._writer.get_extra_info("socket")
        if connection is not None:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()

    async def _write(self, payload: bytes) -> None:
        try:
            self._writer.write(payload)
            await self._writer.drain()
        except OSError as error:
            raise DisconnectedError from error


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Overloaded" if status == _OVERLOADED else "Unknown"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{key}: {value}" for key, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
