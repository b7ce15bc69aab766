"""What a person reads in the terminal when the client ends because of a fault of its own.

It stays short and shows no values: those may be private, and the log has the rest.
"""

from __future__ import annotations

import traceback
from pathlib import Path

from canopy_tui.model.sanitize import clipped, visible

_FRAMES = 4
_MESSAGE = 300


def told(error: BaseException, log_file: str) -> str:
    """The last places of ``error``, what it says, and where there is more."""
    places = "".join(traceback.format_tb(error.__traceback__, limit=-_FRAMES))
    said = clipped(str(error), _MESSAGE)
    name = type(error).__qualname__
    lines = [
        "Canopy ended because of a fault of its own:",
        visible(places.rstrip("\n"), multiline=True),
        f"{name}: {said}" if said else name,
    ]
    if _holds_something(log_file):
        lines.append(f"All of it is at the end of {visible(log_file, multiline=False)}")
    return "\n".join(line for line in lines if line)


def _holds_something(log_file: str) -> bool:
    """Not where it could not be opened, or the disk is full."""
    try:
        return bool(log_file) and Path(log_file).stat().st_size > 0
    except OSError:
        return False
