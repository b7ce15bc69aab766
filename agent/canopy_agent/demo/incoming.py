"""Read HTTP/1.1 requests off an asyncio stream: heads, bodies with a length, chunked bodies.

It knows the framing of RFC 9112 and its limits; what is answered, and to whom, is not its business.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD_LIMIT = 64 * 1024  # bytes of request line and headers, or of one line in a chunked body
BODY_LIMIT = 64 * 1024 * 1024  # bytes
_READ = 64 * 1024


class HttpError(Exception):
    """A request that cannot be read; the connection ends after the answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class DisconnectedError(Exception):
    """The peer went away in the middle of something."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request; header names are lower case."""

    method: str
    target: str
    version: str
    headers: Mapping[str, str]


class Incoming:
    """The bytes that come from the peer."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._reading: asyncio.Task[bytes] | None = None
        self.buffer = bytearray()

    async def fill(self) -> bool:
        """Read more into the buffer; False at the end.

        Safe to cancel: the read goes on for the next caller.
        """
        if self._reading is None:
            self._reading = asyncio.ensure_future(self._reader.read(_READ))
        try:
            got = await asyncio.shield(self._reading)
        except OSError:
            got = b""
        if got:
            self._reading = None
        self.buffer += got
        return bool(got)

    async def until(self, mark: bytes, limit: int, too_long: HttpError) -> bytes:
        """What comes before a mark, which is dropped. Raises `too_long`, `DisconnectedError`."""
        while (end := self.buffer.find(mark)) < 0:
            if len(self.buffer) > limit:
                raise too_long
            if not await self.fill():
                raise DisconnectedError
        return self._take(end + len(mark))[:end]

    async def exactly(self, size: int) -> bytes:
        """That many bytes. Raises `DisconnectedError`."""
        while len(self.buffer) < size:
            if not await self.fill():
                raise DisconnectedError
        return self._take(size)

    async def aclose(self) -> None:
        """Stop reading and leave no task behind."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    def _take(self, size: int) -> bytes:
        taken = bytes(self.buffer[:size])
        del self.buffer[:size]
        return taken


async def read_head(incoming: Incoming) -> Head | None:
    """The next head; None when the peer closed between two requests."""
    while not incoming.buffer.strip():
        if not await incoming.fill():
            return None
    too_long = HttpError(431, "the request head is too large")
    return parse_head(await incoming.until(b"\r\n\r\n", HEAD_LIMIT, too_long))


async def read_body(incoming: Incoming, headers: Mapping[str, str]) -> bytes:
    """The body that the headers announce."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunked_body(incoming)
    length = headers.get("content-length", "0")
    if not length.isdecimal():
        raise HttpError(400, "content-length must be a number")
    return await incoming.exactly(_allowed(int(length)))


def parse_head(raw: bytes) -> Head:
    """Read a head without its empty line. Raises `HttpError`."""
    first, *rest = raw.decode("latin-1").lstrip("\r\n").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1.") or not parts[1].startswith("/"):
        raise HttpError(400, "this is not an HTTP/1.1 request line")
    headers: dict[str, str] = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise HttpError(400, "a header line has no colon")
        headers[name.strip().lower()] = value.strip()
    return Head(parts[0], parts[1], parts[2], headers)


async def _chunked_body(incoming: Incoming) -> bytes:
    too_long = HttpError(400, "a line of the chunked body is too long")
    body = bytearray()
    while True:
        line = (await incoming.until(b"\r\n", HEAD_LIMIT, too_long)).partition(b";")[0].strip()
        try:
            size = int(line, 16)
        except ValueError:
            raise HttpError(400, "a chunk size must be a hexadecimal number") from None
        if size == 0:
            break
        _allowed(size + len(body))
        body += await incoming.exactly(_allowed(size))
        if await incoming.exactly(2) != b"\r\n":
            raise HttpError(400, "a chunk must end with CRLF")
    while await incoming.until(b"\r\n", HEAD_LIMIT, too_long):
        pass  # trailers
    return bytes(body)


def _allowed(size: int) -> int:
    if not 0 <= size <= BODY_LIMIT:
        raise HttpError(413, "the request body is too large")
    return size
