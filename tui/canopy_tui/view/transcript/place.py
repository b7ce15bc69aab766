"""A place in a transcript, by entry, block and row: what layout, viewport and selection speak of.

Cheap to import, and so apart from the layout; it knows nothing of entries.
"""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """A row: of which entry (by index), of which of its blocks, and which row of that."""

    entry: int
    block: int = 0
    row: int = 0
