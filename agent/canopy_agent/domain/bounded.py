"""Maps that forget their oldest entries, so that a session may live for weeks in bounded memory.

They know nothing of what they hold.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """The ``limit`` entries that were written, or used, most recently."""

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

    def use(self, key: K | None) -> V | None:
        """The value as :meth:`get` gives it; being used keeps it from being forgotten."""
        if key is None or key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def newest(self) -> Iterator[V]:
        """The values, the one written last first."""
        return reversed(self._items.values())

    def pop(self, key: K) -> V | None:
        """Remove and give the value, None when absent."""
        return self._items.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()


def make_room(items: dict[K, V], limit: int, may_go: Callable[[V], bool]) -> list[K]:
    """Remove the oldest of the entries that may go, until one more fits into ``limit``; gives
    their keys. Entries that must stay may exceed the limit.
    """
    over = max(len(items) - limit + 1, 0)
    gone = list(islice((key for key, value in items.items() if may_go(value)), over))
    for key in gone:
        del items[key]
    return gone
