"""Bytes to lines, with a limit that cannot break the stream.

It knows nothing of what a line holds; a line above the limit is dropped up to its newline and
reported.
"""

from __future__ import annotations

from dataclasses import dataclass

LINE_LIMIT = 64 * 1024 * 1024
"""The largest line, in bytes without the newline, that either side of Canopy takes."""

_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Oversized:
    """A dropped line: its first bytes, and how many bytes it had."""

    head: bytes
    size: int


class LineFramer:
    """Cuts a byte stream at newlines. Feed it chunks of any size; it keeps the unfinished rest.

    >>> LineFramer().feed(b"a\\nb")
    [b'a']
    """

    __slots__ = ("_chunks", "_dropped_head", "_limit", "_size")

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._limit = limit
        self._chunks: list[bytes] = []
        self._size = 0
        self._dropped_head: bytes | None = None

    def feed(self, data: bytes) -> list[bytes | Oversized]:
        """The lines that ``data`` completes, in order, without their newlines."""
        *complete, rest = data.split(b"\n")
        lines: list[bytes | Oversized] = []
        for part in complete:
            self._keep(part)
            lines.append(self._take())
        self._keep(rest)
        return lines

    def finish(self) -> list[bytes | Oversized]:
        """At the end of the stream: the last line, when it had no newline."""
        return [self._take()] if self._size else []

    def _keep(self, part: bytes) -> None:
        if not part:
            return
        self._size += len(part)
        if self._dropped_head is not None:
            return
        self._chunks.append(part)
        if self._size > self._limit:
            self._dropped_head = b"".join(self._chunks)[:_HEAD]
            self._chunks.clear()

    def _take(self) -> bytes | Oversized:
        if self._dropped_head is not None:
            line: bytes | Oversized = Oversized(self._dropped_head, self._size)
        else:
            line = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        self._dropped_head = None
        return line
