"""The last things that a transcript says of its session, from the end backwards.

Blocking; call it in a thread. It reads no more of a file than it needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from canopy_agent.history.transcript import Json, parse, section, text
from canopy_shared.ordinary import open_ordinary

CHUNK = 64 * 1024

_FARTHEST = 8 * 1024 * 1024
"""Bytes from the end after which old transcripts, which never name a mode, are given up on."""

_PLAN, _PLAN_EXIT = "plan", "plan_mode_exit"


@dataclass(frozen=True, slots=True)
class LastOptions:
    """What a session ran with last; None where the transcript does not say."""

    model: str | None = None
    mode: str | None = None


def last_options(path: Path) -> LastOptions:
    """Model and permission mode at the end of a transcript; nothing when it cannot be read.

    A plan mode that was left again, with nothing after it that names a mode, counts as none.
    """
    scan, spent = _Scan(), 0
    try:
        with open_ordinary(path) as file:
            for raw in lines_backwards(file):
                spent += len(raw)
                record = parse(raw) if _may_tell(raw) else None
                if (record is not None and scan.take(record)) or spent > _FARTHEST:
                    break
    except OSError:
        return LastOptions()
    return LastOptions(scan.model, scan.mode)


def last_cost(path: Path) -> float | None:
    """What a session cost until its CLI ended last, in US dollars, if it noted that down."""
    spent = 0
    try:
        with open_ordinary(path) as file:
            for raw in lines_backwards(file):
                spent += len(raw)
                record = parse(raw) if b'"cost-state"' in raw else None
                if record is not None and record.get("type") == "cost-state":
                    cost = record.get("totalCostUSD")
                    return float(cost) if isinstance(cost, (int, float)) else None
                if spent > _FARTHEST:
                    return None
    except OSError:
        return None
    return None


def _may_tell(raw: bytes) -> bool:
    """Whether a line is worth decoding: most of a transcript's bytes are results of tools."""
    return b'"assistant"' in raw or b'"user"' in raw or _PLAN_EXIT.encode() in raw


class _Scan:
    def __init__(self) -> None:
        self.model: str | None = None
        self.mode: str | None = None
        self._mode_known = False
        self._left_plan = False

    def take(self, record: Json) -> bool:
        """Look at one record; True when nothing more is to be learned."""
        if record.get("isSidechain") is True:
            return False
        match record.get("type"):
            case "assistant":
                self._assistant(record)
            case "attachment":
                attachment = section(record.get("attachment"))
                self._left_plan |= attachment.get("type") == _PLAN_EXIT
            case "user":
                self._user(record)
        return self._mode_known and self.model is not None

    def _assistant(self, record: Json) -> None:
        model = text(section(record.get("message")).get("model"))
        if self.model is None and model and not model.startswith("<"):
            self.model = model

    def _user(self, record: Json) -> None:
        mode = text(record.get("permissionMode"))
        if mode is not None and not self._mode_known:
            self.mode = None if mode == _PLAN and self._left_plan else mode
            self._mode_known = True


def lines_backwards(file: BinaryIO, chunk: int = CHUNK) -> Iterator[bytes]:
    """The lines of a file from its last to its first, without their newlines."""
    position = file.seek(0, os.SEEK_END)
    pieces: list[bytes] = []  # of the line whose beginning was not read yet, last piece first
    while position > 0:
        size = min(chunk, position)
        position -= size
        file.seek(position)
        first, *others = file.read(size).split(b"\n")
        if others:
            pieces.append(others.pop())
            yield b"".join(reversed(pieces))
            yield from reversed(others)
            pieces = []
        pieces.append(first)
    if pieces:
        yield b"".join(reversed(pieces))
