"""JSON-RPC lines over a pair of byte pipes: our own stdin and stdout, or those of a child process.

One write per pass of the event loop, lines up to 64 MiB both ways; what a message means is not
known here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
from typing import Protocol

from canopy_shared.frames import (
    Frame,
    Malformed,
    Notification,
    decode_line,
    encode_line,
    oversized,
)
from canopy_shared.framing import LINE_LIMIT, LineFramer, Oversized

log = logging.getLogger(__name__)

_READ_SIZE = 1 << 18


class ByteSink(Protocol):
    """Where bytes go. ``write`` never blocks; ``drain`` waits for a slow reader."""

    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...
    async def aclose(self) -> None: ...


class ByteSource(Protocol):
    """Where bytes come from. ``read`` gives ``b""`` at the end, and once ``close`` was called."""

    async def read(self) -> bytes: ...
    def close(self) -> None: ...


class StdioTransport:
    """A :class:`~canopy_shared.transport.Transport` over bytes."""

    def __init__(self, source: ByteSource, sink: ByteSink, *, limit: int = LINE_LIMIT) -> None:
        self._source = source
        self._sink = sink
        self._limit = limit
        self._framer = LineFramer(limit)
        self._outbox: list[Frame | bytes] = []
        self._flush_due = False
        self._closed = False
        self._ended = False

    def send(self, frame: Frame) -> None:
        """Queue one line. Updates are encoded at the flush, so that neighbouring deltas can be
        joined.
        """
        if self._closed:
            return
        joinable = isinstance(frame, Notification) and frame.method == "session/update"
        self._outbox.append(frame if joinable else encode_line(frame))
        if not self._flush_due:
            self._flush_due = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        outbox, self._outbox = self._outbox, []
        lines: list[bytes] = []
        updates: list[Frame] = []
        for item in outbox:
            if isinstance(item, bytes):
                lines += self._encoded(updates)
                updates = []
                lines.append(item)
            else:
                updates.append(item)
        lines += self._encoded(updates)
        if lines:
            self._sink.write(b"".join(lines))

    @staticmethod
    def _encoded(updates: list[Frame]) -> list[bytes]:
        if not updates:
            return []
        from canopy_shared.coalesce import coalesce  # with all wire classes: not before the first

        lines = []
        for frame in coalesce(updates):
            try:
                lines.append(encode_line(frame))
            except (TypeError, ValueError):
                log.exception("dropped an update that cannot be serialised")
        return lines

    async def receive(self) -> list[Frame]:
        """Frames of the next bytes that complete a line; ``[]`` at the end of the stream."""
        while not self._ended:
            try:
                data = await self._source.read()
            except OSError:
                data = b""
            if data:
                lines = self._framer.feed(data)
            else:
                self._ended = True
                lines = self._framer.finish()
            frames = [frame for line in lines if (frame := self._decode(line)) is not None]
            if frames:
                return frames
        return []

    def _decode(self, line: bytes | Oversized) -> Frame | None:
        if isinstance(line, Oversized):
            log.warning("dropped a line of %d bytes; the limit is %d", line.size, self._limit)
            return oversized(line.head, self._limit)
        frame = decode_line(line)
        if isinstance(frame, Malformed):
            log.debug("not a message: %r", line[:200])
        return frame

    async def drained(self) -> None:
        """Wait while the pipe is full."""
        await self._sink.drain()

    async def aclose(self) -> None:
        """Write what waits, then close the sink."""
        if self._closed:
            return
        self._flush()
        self._closed = True
        self._source.close()
        await self._sink.aclose()


# --- bytes ----------------------------------------------------------------------------------------


class PipeSource:
    """A source over an asyncio stream, such as the stdout of a child process."""

    def __init__(
        self, reader: asyncio.StreamReader, transport: asyncio.BaseTransport | None = None
    ) -> None:
        self._reader = reader
        self._transport = transport
        self._closed = False

    async def read(self) -> bytes:
        """The next bytes that are there."""
        return b"" if self._closed else await self._reader.read(_READ_SIZE)

    def close(self) -> None:
        """Wake a waiting reader and take nothing more."""
        if self._closed:
            return
        self._closed = True
        self._reader.feed_eof()
        if self._transport is not None:
            self._transport.close()


class PipeSink:
    """A sink over an asyncio write transport, such as the stdin of a child process."""

    def __init__(self, writer: asyncio.StreamWriter, *, close_timeout: float = 2.0) -> None:
        self._writer = writer
        self._close_timeout = close_timeout

    def write(self, data: bytes) -> None:
        """Write, or drop the bytes when nobody reads any more."""
        if not self._writer.is_closing():
            self._writer.write(data)

    async def drain(self) -> None:
        """Wait for the reader; a broken pipe ends the wait."""
        try:
            await self._writer.drain()
        except (ConnectionError, RuntimeError):
            return

    async def aclose(self) -> None:
        """Close, giving what is buffered up to two seconds."""
        self._writer.close()
        try:
            await asyncio.wait_for(self._writer.wait_closed(), self._close_timeout)
        except (TimeoutError, OSError):
            self._writer.transport.abort()


def _is_pipe(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


async def open_source(fd: int) -> ByteSource:
    """Read ``fd`` without blocking the loop: polled when it is a pipe, on a thread otherwise."""
    if not _is_pipe(fd):
        from canopy_shared.unpolled import ThreadSource

        return ThreadSource(fd)
    reader = asyncio.StreamReader(limit=_READ_SIZE)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb", buffering=0)
    )
    return PipeSource(reader, transport)


async def open_sink(fd: int) -> ByteSink:
    """Write to ``fd`` without blocking the loop where the system allows it."""
    if not _is_pipe(fd):
        from canopy_shared.unpolled import BlockingSink, ThreadSink

        return BlockingSink(fd) if stat.S_ISREG(os.fstat(fd).st_mode) else ThreadSink(fd)
    loop = asyncio.get_running_loop()
    # the protocol of a stream reader is the one public protocol with the flow control that drain()
    # needs
    protocol_reader = asyncio.StreamReader()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(protocol_reader), os.fdopen(fd, "wb", buffering=0)
    )
    return PipeSink(asyncio.StreamWriter(transport, protocol, None, loop))
