"""Keeps a CLI's frames back while better words for one of them are worked out.

Order is all it guards: what a frame says, and how the words are made, is not known here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

log = logging.getLogger(__name__)

Frame = Mapping[str, Any]
Rewrite = Callable[[Frame], Awaitable[Frame] | None]
"""Gives None for a frame that may pass, or what gives the frame to pass in its place."""


def as_they_are(frame: Frame) -> None:
    """Rewrite nothing."""


class Valve:
    """Passes frames on to ``deliver`` in their order."""

    def __init__(self, rewrite: Rewrite, deliver: Callable[[Frame], None]) -> None:
        self._rewrite = rewrite
        self._deliver = deliver
        self._original: Frame | None = None
        self._work: asyncio.Future[Frame] | None = None
        self._kept: list[Frame] = []

    def take(self, frame: Frame) -> None:
        """One frame of the CLI."""
        if self._work is not None:
            self._kept.append(frame)
            return
        work = self._rewrite(frame)
        if work is None:
            self._deliver(frame)
            return
        self._original = frame
        self._work = asyncio.ensure_future(work)
        self._work.add_done_callback(self._rewritten)

    def open(self) -> None:
        """Do not wait any longer: what is kept passes as it is."""
        work, self._work = self._work, None
        if work is None:
            return
        work.cancel()
        assert self._original is not None
        self._flow(self._original)

    def _rewritten(self, work: asyncio.Future[Frame]) -> None:
        if work is not self._work:
            return
        self._work = None
        original = self._original
        assert original is not None
        if work.cancelled():
            self._flow(original)
        elif (problem := work.exception()) is not None:
            log.error("a frame could not be reworded", exc_info=problem)
            self._flow(original)
        else:
            self._flow(work.result())

    def _flow(self, first: Frame) -> None:
        self._deliver(first)
        kept, self._kept = self._kept, []
        for frame in kept:
            self.take(frame)
