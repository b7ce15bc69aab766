"""One HTTP/1.1 connection on asyncio streams: read requests, write answers whole or in chunks.

It knows framing (RFC 9112: content-length, chunked, keep-alive) and nothing of the Messages API.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus

HEAD_LIMIT = 64 * 1024  # bytes of request line and headers
BODY_LIMIT = 64 * 1024 * 1024  # bytes
LINGER = 2.0  # seconds
_READ = 64 * 1024
_CRLF = b"\r\n"


class HttpError(Exception):
    """A request that cannot be served; the connection ends after the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class DisconnectedError(Exception):
    """The peer went away in the middle of something."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request with its whole body; header names are lower case, `path` is without the query."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class HttpConnection:
    """Reads one request after the other; writes go straight to the peer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._buffer = bytearray()
        self._reading: asyncio.Task[bytes] | None = None
        self.streaming = False

    async def next_request(self) -> HttpRequest | None:
        """The next request, None when the peer closed between two.

        Raises `HttpError` for what cannot be read, `DisconnectedError` when the peer stops midway.
        """
        head = await self._head()
        if head is None:
            return None
        method, target, version, headers = parse_head(head)
        if headers.get("expect", "").lower() == "100-continue":
            await self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await self._body(headers)
        stays = headers.get("connection", "").lower() != "close" and version == "HTTP/1.1"
        return HttpRequest(method, target.partition("?")[0], headers, body, stays)

    async def hung_up(self) -> None:
        """Return when the peer has closed; what it sends meanwhile is kept for the next request."""
        while await self._fill():
            if len(self._buffer) > BODY_LIMIT:
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
                while await self._fill():
                    self._buffer.clear()

    async def aclose(self) -> None:
        """Close at once and leave no task behind."""
        self._writer.transport.abort()
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

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

    async def _fill(self) -> bool:
        """Read more into the buffer; False at the end.

        Safe to cancel: the read goes on for the next caller.
        """
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._reader.read(_READ))
        try:
            got = await asyncio.shield(self._reading)
        except OSError:
            got = b""
        self._reading = None if got else self._reading
        self._buffer += got
        return bool(got)

    async def _head(self) -> bytes | None:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > HEAD_LIMIT:
                raise HttpError(431, "the request head is too large")
            if not await self._fill():
                if self._buffer.strip():
                    raise DisconnectedError
                return None
        return self._take(end + 4)[:end]

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return await self._chunked_body()
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise HttpError(400, "content-length must be a number")
        return await self._exactly(int(length))

    async def _chunked_body(self) -> bytes:
        body = bytearray()
        while True:
            size_line = (await self._line()).partition(b";")[0].strip()
            try:
                size = int(size_line, 16)
            except ValueError:
                raise HttpError(400, "a chunk size must be a hexadecimal number") from None
            if size == 0:
                break
            body += await self._exactly(size, already=len(body))
            if await self._exactly(2) != _CRLF:
                raise HttpError(400, "a chunk must end with CRLF")
        while await self._line():
            pass  # trailers
        return bytes(body)

    async def _line(self) -> bytes:
        while (end := self._buffer.find(_CRLF)) < 0:
            if len(self._buffer) > HEAD_LIMIT:
                raise HttpError(400, "a line of the chunked body is too long")
            if not await self._fill():
                raise DisconnectedError
        return self._take(end + 2)[:end]

    async def _exactly(self, size: int, already: int = 0) -> bytes:
        if size < 0 or size + already > BODY_LIMIT:
            raise HttpError(413, "the request body is too large")
        while len(self._buffer) < size:
            if not await self._fill():
                raise DisconnectedError
        return self._take(size)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


def parse_head(head: bytes) -> tuple[str, str, str, dict[str, str]]:
    """Method, target, version and headers of a head without its empty line, or `HttpError`."""
    first, *rest = head.decode("latin-1").lstrip("\r\n").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1.") or not parts[1].startswith("/"):
        raise HttpError(400, "this is not an HTTP/1.1 request line")
    headers: dict[str, str] = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise HttpError(400, "a header line has no colon")
        headers[name.strip().lower()] = value.strip()
    return parts[0], parts[1], parts[2], headers


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Overloaded" if status == 529 else "Unknown"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{key}: {value}" for key, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
