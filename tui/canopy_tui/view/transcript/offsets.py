"""Heights of a sequence with fast sums: how much is above the nth, and which one is at an offset.

Plain numbers; what has these heights is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CHUNK = 256


class Offsets:
    """Non-negative heights. Changing one costs nothing; a question costs a sum over chunks."""

    __slots__ = ("_heights", "_sums", "total")

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._sums = [
            sum(self._heights[at : at + CHUNK]) for at in range(0, len(self._heights), CHUNK)
        ]
        self.total = sum(self._sums)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def append(self, height: int) -> None:
        """Add one at the end."""
        if len(self._heights) % CHUNK == 0:
            self._sums.append(0)
        self._heights.append(height)
        self._sums[-1] += height
        self.total += height

    def extend(self, heights: list[int]) -> None:
        """Add many at the end."""
        whole = len(self._heights) // CHUNK
        del self._sums[whole:]
        self._heights += heights
        self._sums += (
            sum(self._heights[at : at + CHUNK])
            for at in range(whole * CHUNK, len(self._heights), CHUNK)
        )
        self.total += sum(heights)

    def set(self, index: int, height: int) -> None:
        """Change one."""
        change = height - self._heights[index]
        self._heights[index] = height
        self._sums[index // CHUNK] += change
        self.total += change

    def truncate(self, length: int) -> None:
        """Keep the first ``length``."""
        if length >= len(self._heights):
            return
        del self._heights[length:]
        chunks = -(-length // CHUNK)
        del self._sums[chunks:]
        if chunks:
            self._sums[-1] = sum(self._heights[(chunks - 1) * CHUNK :])
        self.total = sum(self._sums)

    def before(self, index: int) -> int:
        """The sum of the first ``index``."""
        chunk = index // CHUNK
        return sum(self._sums[:chunk]) + sum(self._heights[chunk * CHUNK : index])

    def find(self, offset: int) -> tuple[int, int]:
        """``(index, rest)``: which one covers ``offset``, and how far in; clamped to the ends."""
        offset = max(0, offset)
        if offset >= self.total:
            last = max(0, len(self._heights) - 1)
            while last and not self._heights[last]:
                last -= 1
            return last, max(0, self._heights[last] - 1) if self._heights else 0
        chunk = 0
        while offset >= self._sums[chunk]:
            offset -= self._sums[chunk]
            chunk += 1
        index = chunk * CHUNK
        while offset >= self._heights[index]:
            offset -= self._heights[index]
            index += 1
        return index, offset
