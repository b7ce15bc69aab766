"""The file that Claude Code writes the output of a command to, read piece by piece.

It reads what came since and never waits; who reads, and when, is not known here.
"""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass

from canopy_agent.domain.shells import SKIPPED

LONGEST = 256 * 1024
"""Bytes that one reading takes."""
FARTHEST = 1024 * 1024
"""Bytes that may be left to read; beyond that only the end is read."""
ANEW = "\n[the output begins anew]\n"
"""Stands where the file was cut or replaced by another."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Piece:
    """``text`` is new; ``total`` bytes were read or passed over so far. ``more`` waits."""

    text: str
    total: int
    more: bool


class OutputFile:
    """One file, from ``position`` (bytes) on. Letters that are half written wait for their rest."""

    def __init__(self, path: str, position: int = 0) -> None:
        self._path = path
        self._position = position
        self._letters = codecs.getincrementaldecoder("utf-8")("replace")
        self._identity: tuple[int, int] | None = None

    def read(self) -> Piece | None:
        """What came since; None when there is no such file, or none that can be read."""
        try:
            descriptor = os.open(self._path, _FLAGS)
        except (OSError, ValueError):
            return None
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                return None
            mark = self._place(found)
            os.lseek(descriptor, self._position, os.SEEK_SET)
            data = os.read(descriptor, LONGEST)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        self._position += len(data)
        more = self._position < found.st_size
        if mark == SKIPPED:
            data = _from_letter(data)
        return Piece(mark + self._letters.decode(data), self._position, more)

    def rest(self) -> str:
        """What waits for its rest when none will come."""
        return self._letters.decode(b"", final=True)

    def _place(self, found: os.stat_result) -> str:
        """Go to where to read; gives what stands for what is not read."""
        mark, identity = "", (found.st_dev, found.st_ino)
        other = self._identity not in (None, identity)
        self._identity = identity
        if other or found.st_size < self._position:
            mark, self._position = self.rest() + ANEW, 0
        if found.st_size - self._position > FARTHEST:
            self._letters.reset()
            mark, self._position = SKIPPED, found.st_size - LONGEST
        return mark


def _from_letter(data: bytes) -> bytes:
    """``data`` without the end of a letter at its start."""
    at = next((at for at, byte in enumerate(data[:4]) if byte & 0xC0 != 0x80), 0)
    return data[at:]
