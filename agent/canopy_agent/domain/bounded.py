"""Maps that forget their oldest entries, so that a session may live for weeks in bounded memory.

They know nothing of what they hold.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The ``limit`` most recently written entries."""

    __slots__ = ("_items", "_limit")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._items: OrderedDict[K, V] = OrderedDict()

    def __setitem__(self, key: K, value: V) -> None:
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > self._limit:
            self._items.popitem(last=False)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: K | None) -> V | None:
        """The value, None when absent or forgotten."""
        return None if key is None else self._items.get(key)

    def pop(self, key: K) -> V | None:
        """Remove and give the value, None when absent."""
        return self._items.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()
