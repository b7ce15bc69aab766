"""How a person wants to see an entry: a value that layouts and blocks share.

Cheap to import, and so apart from the blocks that draw; it knows none of them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """How the person wants to see an entry. ``whole``: with next to nothing left out, for a screen
    of its own; ``split``: changes side by side.
    """

    expanded: bool = False
    raw: bool = False
    whole: bool = False
    split: bool = False
