"""The mark for a field that is absent, which on the wire is not the same as ``null``.

It knows nothing of JSON; the codec leaves a field with this mark out.
"""

from __future__ import annotations

from enum import Enum
from typing import Final


class Unset(Enum):
    """The type of :data:`UNSET`; an enum so that type checkers can narrow on identity."""

    TOKEN = 0

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.TOKEN
