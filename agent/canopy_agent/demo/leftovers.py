"""Marks the demo's throw-away directory as in use, and finds those whose demo was killed.

The system lets go of a lock when its process ends in any way, so no process id can be mistaken for
another; what is in a directory is not known here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

PREFIX = "canopy-demo-"
MARK = ".canopy-demo"
_NEW = ".canopy-demo-new"
_MOST = 50
"""Directories that one start gives back."""

_held: dict[str, int] = {}
"""Descriptors by directory. A lock holds against other processes only, and is gone once its own
process closes any descriptor of the file: what is held here is never opened again.
"""


def hold(root: Path) -> None:
    """Mark ``root`` as that of this process, until it ends or :func:`let_go`; nothing happens
    where there are no such locks: then nobody takes it for left over either.
    """
    if not hasattr(os, "lockf"):
        return
    descriptor = os.open(root / _NEW, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.lockf(descriptor, os.F_TLOCK, 0)
        (root / _NEW).rename(root / MARK)  # the mark is never there without its lock
    except OSError:
        os.close(descriptor)
    else:
        _held[str(root)] = descriptor


def let_go(root: Path) -> None:
    """The end of :func:`hold`."""
    descriptor = _held.pop(str(root), None)
    if descriptor is not None:
        os.close(descriptor)


def left_over(parent: Path) -> Iterator[Path]:
    """The directories in ``parent`` that a demo of this user made and no process holds.

    Each stays locked until the next is asked for, so that of two starts one removes it.
    """
    if not hasattr(os, "lockf"):
        return
    found: list[Path] = []
    with suppress(OSError):
        found = sorted(parent.glob(f"{PREFIX}*"))
    yield from islice(_each_taken(found), _MOST)


def _each_taken(found: list[Path]) -> Iterator[Path]:
    for root in found:
        descriptor = _taken(root) if str(root) not in _held else None
        if descriptor is not None:
            try:
                yield root
            finally:
                os.close(descriptor)


def _taken(root: Path) -> int | None:
    """The lock of ``root``, when it is a directory and mark of this user that nobody holds."""
    try:
        folder, mark = root.lstat(), (root / MARK).lstat()
        if not stat.S_ISDIR(folder.st_mode) or not stat.S_ISREG(mark.st_mode):
            return None
        if {folder.st_uid, mark.st_uid} != {os.getuid()}:
            return None
        descriptor = os.open(root / MARK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        os.lockf(descriptor, os.F_TLOCK, 0)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
