"""A path in few cells: from the directory at hand where it lies below it, cut in the middle.

Nothing is read from disk.
"""

from __future__ import annotations

from pathlib import PurePath

from rich.cells import cell_len, set_cell_size

from canopy_tui.model.sanitize import visible


def short_path(path: str, directory: str, room: int, more: str = "…") -> str:
    """``path`` on one line of at most ``room`` cells; its end tells more than its middle."""
    place = PurePath(path)
    if directory and place.is_relative_to(directory):
        place = place.relative_to(directory)
    return in_the_middle(visible(str(place), multiline=False), room, more)


def in_the_middle(text: str, room: int, more: str = "…") -> str:
    """``text`` cut to ``room`` cells; a third of them for its begin, the rest for its end."""
    if cell_len(text) <= room:
        return text
    left = max(0, room - cell_len(more))
    begin = set_cell_size(text, left // 3).rstrip() if left >= 3 else ""
    end = text[::-1]
    end = set_cell_size(end, left - cell_len(begin)).rstrip()[::-1]
    return begin + more + end if room > cell_len(more) else text[:room]
