"""Lines on stdout, and what becomes of the program when nobody or nothing takes them any more.

What the lines say is not known here.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Final

BROKEN_PIPE: Final = 128 + 13
"""As a shell reports a program that nobody reads any more."""
_LOST: Final = 1


class Output:
    """Lines on stdout, at once; characters that it cannot write are escaped. ``broken``: nobody
    takes them any more, and ``code`` is the exit code for that. ``is_read``: they go to a terminal,
    to a person, and not to a file or program.
    """

    def __init__(self) -> None:
        self.broken = False
        self.code = 0
        self.is_read = sys.stdout is not None and sys.stdout.isatty()
        with contextlib.suppress(AttributeError, ValueError):
            sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

    def __call__(self, lines: list[str]) -> None:
        """Write ``lines``."""
        if not lines or self.broken:
            return
        try:
            sys.stdout.write("\n".join(lines) + "\n")
            sys.stdout.flush()
        except (OSError, ValueError) as error:
            self.broken = True
            self.code = lost(error)


def lost(error: OSError | ValueError) -> int:
    """Stdout takes nothing any more: tell it, unless its reader just left; gives the exit code."""
    # What is left in the buffer must not be tried again when Python ends.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, (BrokenPipeError, ValueError)):
        return BROKEN_PIPE
    print(f"canopy: the output cannot be written: {error.strerror or error}", file=sys.stderr)
    return _LOST


def say(text: str) -> int:
    """Write ``text`` and a line break to stdout; gives the exit code."""
    try:
        print(text, flush=True)
    except (OSError, ValueError) as error:
        return lost(error)
    return 0
