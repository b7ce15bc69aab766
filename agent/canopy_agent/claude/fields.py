"""Fields of foreign JSON, read so that a wrong type is an absent value and never an error.

Which fields there are is known to those who read them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]
_EMPTY: Json = {}


def text(value: object) -> str | None:
    """``value`` if it is text."""
    return value if isinstance(value, str) else None


def ident(value: object) -> str | None:
    """``value`` if it can be an id: text that is not empty."""
    return value if isinstance(value, str) and value else None


def section(value: object) -> Json:
    """``value`` if it is an object, an empty one otherwise."""
    return value if isinstance(value, Mapping) else _EMPTY


def items(value: object) -> tuple[Json, ...]:
    """The objects of a list."""
    return tuple(v for v in value if isinstance(v, Mapping)) if isinstance(value, list) else ()


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list."""
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def number(value: object) -> float | None:
    """``value`` if it is a number that JSON can spell."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def count(value: object) -> int | None:
    """``value`` if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(value: object) -> bool | None:
    """``value`` if it is true or false."""
    return value if isinstance(value, bool) else None
