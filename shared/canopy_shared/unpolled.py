"""Bytes from and to what the event loop cannot poll: a regular file, a console, any Windows pipe.

What the bytes mean is not known here, nor which of these a descriptor is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import queue
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)

_READ_SIZE = 1 << 18
_MOST_DUE = 1 << 20


class ThreadSource:
    """A source that reads on a thread."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(64)
        threading.Thread(target=self._pump, name="stdin", daemon=True).start()

    def _pump(self) -> None:
        data = b"-"
        while data:
            self._room.acquire()
            try:
                data = os.read(self._fd, _READ_SIZE)
            except OSError:
                data = b""
            try:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, data)
            except RuntimeError:  # the loop is closed: nobody wants the rest
                return

    async def read(self) -> bytes:
        data = await self._queue.get()
        self._room.release()
        return data

    def close(self) -> None:
        self._queue.put_nowait(b"")


class BlockingSink:
    """A sink for a regular file."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._broken = False

    def write(self, data: bytes) -> None:
        """Write all of it; after an error nothing more, for half a line would spoil the rest."""
        view = memoryview(b"" if self._broken else data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            self._broken = True
            log.warning("our output takes nothing more: %s", error.strerror)

    async def drain(self) -> None:
        return

    async def aclose(self) -> None:
        os.close(self._fd)


class ThreadSink:
    """A sink for what may wait for its reader: it writes on a thread, in order. ``drain`` waits
    while more than a mebibyte is due.
    """

    def __init__(self, fd: int, *, close_timeout: float = 2.0) -> None:
        self._fd = fd
        self._close_timeout = close_timeout
        self._loop = asyncio.get_running_loop()
        self._due = 0
        self._broken = False
        self._room = asyncio.Event()
        self._room.set()
        self._done = asyncio.Event()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._pump, name="stdout", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queue all of it; after an error nothing more, for half a line would spoil the rest."""
        if data and not self._broken:
            self._due += len(data)
            if self._due > _MOST_DUE:
                self._room.clear()
            self._queue.put(data)

    async def drain(self) -> None:
        await self._room.wait()

    async def aclose(self) -> None:
        """Close, giving what is due up to two seconds."""
        self._queue.put(None)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._done.wait(), self._close_timeout)

    def _pump(self) -> None:
        while (data := self._queue.get()) is not None:
            view = memoryview(b"" if self._broken else data)
            try:
                while view:
                    view = view[os.write(self._fd, view) :]
            except OSError as error:
                self._broken = True
                log.warning("our output takes nothing more: %s", error.strerror)
            self._tell(self._written, len(data))
        with contextlib.suppress(OSError):
            os.close(self._fd)
        self._tell(self._done.set)

    def _written(self, amount: int) -> None:
        self._due -= amount
        if self._due <= _MOST_DUE:
            self._room.set()

    def _tell(self, call: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know
            self._loop.call_soon_threadsafe(call, *arguments)
