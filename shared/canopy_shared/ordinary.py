"""Reads files that may be anything: only ordinary ones are opened, and never without an end.

A named pipe waits for a writer, a device may have no end or act when it is opened; to the caller
they are files that cannot be read. What a file is read for is not known here.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def open_ordinary(path: str | os.PathLike[str], buffering: int = -1) -> BinaryIO:
    """An ordinary file, open to be read; ``buffering`` as for ``open``. Raises ``OSError`` for
    anything else, and ``ValueError`` for what can be no path.
    """
    _need_ordinary(Path(path).stat().st_mode, path)  # opening may act on a device
    descriptor = os.open(path, _FLAGS)
    try:
        # Not blocking, and looked at again: it may have become a named pipe meanwhile.
        _need_ordinary(os.fstat(descriptor).st_mode, path)
        return os.fdopen(descriptor, "rb", buffering)  # type: ignore[return-value, unused-ignore]
    except BaseException:
        os.close(descriptor)
        raise


def read_ordinary(path: str | os.PathLike[str], most: int) -> bytes:
    """All of an ordinary file. Raises as :func:`open_ordinary`; more than ``most`` bytes are an
    ``OSError`` too.
    """
    with open_ordinary(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", os.fspath(path))
    return content


def read_end(path: str | os.PathLike[str], most: int) -> bytes:
    """The last ``most`` bytes of an ordinary file, or all. Raises as :func:`open_ordinary`."""
    with open_ordinary(path) as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - most))
        return file.read(most)


def _need_ordinary(mode: int, path: str | os.PathLike[str]) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file", os.fspath(path))
