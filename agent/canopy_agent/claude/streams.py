"""What the CLI's two output streams become: raw frames in order, and the last words on stderr.

It must not know what runs the process or what a frame means.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.process import STDERR_TAIL
from canopy_shared import jsonio
from canopy_shared.framing import LINE_LIMIT, LineFramer, Oversized

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_SLICE = 256 * 1024
"""Bytes of JSON decoded before other tasks get a turn."""


class FrameQueue:
    """Bytes of stdout in, decoded frames out. One task reads.

    Lines are kept as bytes until somebody reads, so a slow reader costs no more than the text.
    ``waiting`` says how many bytes wait.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self.waiting = 0
        self._framer = LineFramer(limit)
        self._lines: deque[bytes] = deque()
        self._frames: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()
        self._ended = False
        self._warned_junk = False
        self._warned_oversized = False

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._keep(self._framer.feed(data))

    def end(self) -> None:
        """The stream is over. What waits can still be read."""
        if not self._ended:
            self._keep(self._framer.finish())
            self._ended = True
            self._arrived.set()

    async def take(self) -> list[dict[str, Any]]:
        """All frames that wait, or the next ones to come; ``[]`` when the stream is over."""
        while True:
            await self._decode()
            if self._frames:
                frames, self._frames = self._frames, []
                return frames
            if self._ended and not self._lines:
                return []
            self._arrived.clear()
            await self._arrived.wait()

    async def _decode(self) -> None:
        # Decoded frames live on self, not in this coroutine: a cancelled read must lose none.
        spent = 0
        for _ in range(len(self._lines)):
            if spent > _SLICE:
                spent = 0
                await asyncio.sleep(0)
            line = self._lines.popleft()
            spent += len(line)
            self.waiting -= len(line)
            frame = self._frame_of(line)
            if frame is not None:
                self._frames.append(frame)

    def _keep(self, lines: list[bytes | Oversized]) -> None:
        for line in lines:
            if isinstance(line, Oversized):
                if not self._warned_oversized:
                    self._warned_oversized = True
                    logger.warning("Dropped a line of %d bytes from Claude Code", line.size)
            elif line:
                self._lines.append(line)
                self.waiting += len(line)
        if self._lines:
            self._arrived.set()

    def _frame_of(self, line: bytes) -> dict[str, Any] | None:
        frame: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            frame = jsonio.loads(line)
        if isinstance(frame, dict):
            return frame
        if line.strip() and not self._warned_junk:
            # Some CLI builds print notices on stdout; one line in the log is enough.
            self._warned_junk = True
            logger.warning("Skipped a line from Claude Code that is no frame: %.200r", line)
        return None


class StderrTail:
    """Keeps the end of stderr and hands each line to ``on_line``."""

    def __init__(self, on_line: Callable[[str], None] | None = None) -> None:
        self._on_line = on_line
        self._framer = LineFramer(STDERR_TAIL)
        self._tail = b""

    @property
    def text(self) -> str:
        """The last :data:`~.process.STDERR_TAIL` bytes as text."""
        return self._tail.decode(errors="replace").lstrip("\ufffd").strip()

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self._tail = (self._tail + data)[-STDERR_TAIL:]
        if self._on_line is not None:
            self._report(self._framer.feed(data))

    def end(self) -> None:
        """The stream is over: report a last line without a newline."""
        if self._on_line is not None:
            self._report(self._framer.finish())

    def _report(self, lines: list[bytes | Oversized]) -> None:
        assert self._on_line is not None
        for line in lines:
            raw = line.head if isinstance(line, Oversized) else line
            text = raw.decode(errors="replace").rstrip()
            if not text:
                continue
            try:
                self._on_line(text)
            except Exception:
                # A sink that fails must not cost the CLI its stderr.
                logger.exception("The sink for Claude Code's stderr failed")
