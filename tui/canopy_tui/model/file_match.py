"""Which files of a large directory fit what was typed, best first.

Paths lie joined in blocks, so that one look costs a few milliseconds and a caller can do something
else between two of them. Where the paths come from is not known here.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

BLOCK = 2000
"""Paths in one block."""
_MOST_PER_BLOCK = 2000
MANY = 10_000
"""Fits from which on only whole names are looked for: the first letter of a query fits them all."""
LOOSE = 2
"""The pass that finds letters anywhere; with a few closer fits it is only noise."""
_FEW = 5


@dataclass(frozen=True, slots=True)
class Block:
    """``joined`` holds ``paths`` in lower case, each between newlines; ``starts`` says where."""

    paths: tuple[str, ...]
    joined: str
    starts: tuple[int, ...]


def block_of(paths: Sequence[str]) -> Block:
    """A block of paths, none of which holds a line break."""
    starts, at = [], 0
    lowered = [_lowered(path) for path in paths]
    for path in lowered:
        starts.append(at)
        at += len(path) + 1
    return Block(tuple(paths), "\n" + "\n".join(lowered) + "\n", tuple(starts))


def _lowered(path: str) -> str:
    """Lower case of the same length, so that places in both agree."""
    lowered = path.lower()
    if len(lowered) == len(path):
        return lowered
    return "".join(low if len(low := one.lower()) == 1 else one for one in path)


class Search:
    """One query. Give it every block with :meth:`look`, pass by pass from the closest fit to the
    loosest until there is :meth:`enough`, then take the :meth:`best`.
    """

    PASSES = 3

    def __init__(self, query: str, limit: int) -> None:
        self.query = _lowered(query).replace("\\", "/").removeprefix("./")
        self.limit = limit
        self._ranked: dict[str, tuple[int, int, int, str]] = {}
        loose = "".join(
            f"[^{re.escape(one)}\\n]*{re.escape(one)}" for one in self.query if one != " "
        )
        self._loose = re.compile(f"^{loose}", re.MULTILINE)

    def enough(self, number: int) -> bool:
        """Whether the looser fits of the pass ``number`` are not needed."""
        return len(self._ranked) >= (_FEW if number == LOOSE else self.limit)

    def look(self, block: Block, number: int) -> None:
        """Note what fits in ``block`` in the pass ``number``."""
        for place, at in self._hits(block, number):
            path = block.paths[place]
            if path not in self._ranked:
                end = at + len(self.query) - block.starts[place] - 1
                fit = 5 if number == LOOSE else _fit(path, end, 4 if number else 0)
                self._ranked[path] = (fit, path.rstrip("/").count("/"), len(path), path)

    def best(self) -> list[str]:
        """What fits best: how it fits first, then the shallower and shorter path."""
        ranks = heapq.nsmallest(self.limit, self._ranked.values())
        return [path for *_, path in ranks]

    def _hits(self, block: Block, number: int) -> Iterator[tuple[int, int]]:
        """Paths that fit, with the place in ``joined`` where the fit begins."""
        if not self.query:
            if number == 0:
                shallow = ((n, p) for n, p in enumerate(block.paths) if p.count("/", 0, -1) < 2)
                yield from ((n, block.starts[n] + 1) for n, _ in shallow)
        elif len(self._ranked) > MANY:
            for end in ("\n", "/\n") if number == 0 else ():
                yield from _literal(block, "/" + self.query + end, 1)
                yield from _literal(block, "\n" + self.query + end, 1)
        elif number == 0:
            yield from _literal(block, "/" + self.query, 1)
            yield from _literal(block, "\n" + self.query, 1)
        elif number == 1:
            yield from _literal(block, self.query, 0)
        else:
            for found in self._loose.finditer(block.joined):
                yield bisect_right(block.starts, found.start() - 1) - 1, found.start()


def _literal(block: Block, wanted: str, skipped: int) -> Iterator[tuple[int, int]]:
    """Where ``wanted`` stands, at most once a path."""
    starts, joined = block.starts, block.joined
    at = joined.find(wanted)
    for _ in range(_MOST_PER_BLOCK):
        if at < 0:
            return
        place = bisect_right(starts, at) - 1
        yield place, at + skipped
        at = joined.find(wanted, at + 1)


def _fit(path: str, end: int, worst: int) -> int:
    """How well a query fits that ends at ``end`` of ``path``: less is better."""
    rest = path[end:]
    if worst:
        return 3 if "/" not in rest else worst
    if rest in ("", "/"):
        return 0
    return 1 if "/" not in rest[:-1] else 2
