"""Log lines to stderr for which nobody has to wait, whether or not the other end reads them.

A thread writes; what does not fit is counted and said later. What a line says is not known here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import sys
import threading
from collections import deque

BACKLOG = 256 * 1024
"""Bytes of lines that wait for a reader. What comes on top is dropped."""

_LAST_PATIENCE = 1.0
"""Seconds that the end of the program waits for the last lines."""


class StderrLines(logging.Handler):
    """Writes records to the descriptor ``fd`` from a thread of its own.

    Many clients start an agent with a pipe as its stderr that they never read: a write into it
    blocks for good once the pipe is full. So does a terminal whose output was stopped.
    """

    def __init__(self, fd: int = 2) -> None:
        super().__init__()
        self._fd = fd
        self._lines: deque[bytes] = deque()
        self._size = 0
        self._dropped = 0
        self._changed = threading.Condition(threading.Lock())
        self._writing = False

    def emit(self, record: logging.LogRecord) -> None:
        """Queue one record; never blocks."""
        try:
            line = (self.format(record) + "\n").encode(errors="backslashreplace")
        except Exception:
            self.handleError(record)
            return
        if sys.is_finalizing():
            self._try(line)
            return
        with self._changed:
            if self._size + len(line) > BACKLOG:
                self._dropped += 1
                return
            self._lines.append(line)
            self._size += len(line)
            if not self._writing:
                self._writing = True
                threading.Thread(target=self._pump, name="stderr", daemon=True).start()

    def _try(self, line: bytes) -> None:
        """Write ``line`` if that waits for nobody. When Python ends no thread runs, and one that is
        begun is waited for without end (3.11).
        """
        with contextlib.suppress(OSError, ValueError):
            if select.select((), (self._fd,), (), 0)[1]:
                os.write(self._fd, line)

    def flush(self) -> None:
        """Wait a moment for what is queued."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writing, _LAST_PATIENCE)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - a name of logging
        """A line that cannot be written is lost; there is no other place to say so."""

    def _pump(self) -> None:
        while (batch := self._take()) is not None:
            view = memoryview(batch)
            try:
                while view:
                    view = view[os.write(self._fd, view) :]
            except OSError:
                continue  # closed, or a file on a full disk: later lines may pass

    def _take(self) -> bytes | None:
        with self._changed:
            if self._dropped and not self._lines:
                told = f"{self._dropped} log lines were dropped: nobody read them\n"
                self._dropped = 0
                return told.encode()
            batch = b"".join(self._lines)
            self._lines.clear()
            self._size = 0
            if not batch:
                self._writing = False
                self._changed.notify_all()
                return None
            return batch
