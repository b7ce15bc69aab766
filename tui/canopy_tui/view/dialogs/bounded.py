"""Heights of parts that stand below each other, so that one of them can be given what is left.

It knows sizes only, nothing of what the parts show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.widget import Widget


def height_of(parts: Iterable[Widget]) -> int:
    """The rows that ``parts`` take together."""
    return sum(part.outer_size.height + part.styles.margin.height for part in parts if part.display)


def bound(part: Widget, room: int) -> None:
    """Let ``part`` grow up to ``room`` rows with all around it, but hold one at least."""
    around = part.gutter.height
    part.styles.max_height = max(around + 1, room - part.styles.margin.height)
