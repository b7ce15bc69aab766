"""The only ways a test waits: for a condition, with a bound that says what was missing.

It must not know what is tested.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_POLL = 0.01


async def eventually(condition: Callable[[], T], what: str, *, bound: float = 30.0) -> T:
    """Poll ``condition`` until it is truthy and return its value.

    Raises AssertionError with ``what`` after ``bound`` seconds.

    >>> asyncio.run(eventually(lambda: 1, "one"))
    1
    """
    deadline = time.monotonic() + bound
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {bound:g} s: {what}"
        await asyncio.sleep(_POLL)
    return value
