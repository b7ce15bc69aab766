"""A line diff in near-linear time: patience anchors, then the shortest edits between them.

It always gives a valid edit script, not always the shortest; it knows nothing of patches or files.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

Change = tuple[int, int, int, int]
"""``(old start, old end, new start, new end)``: these old lines become those new lines, from 0."""

_BUDGET = 200_000
_MAX_DEPTH = 12


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """What turns ``old`` into ``new``: disjoint, in order, none of them empty."""
    found: list[Change] = []
    for a0, a1, b0, b1 in _between(old, new, (0, len(old), 0, len(new)), 0):
        if a0 == a1 and b0 == b1:
            continue
        if found and found[-1][1] == a0 and found[-1][3] == b0:
            found[-1] = (found[-1][0], a1, found[-1][2], b1)
        else:
            found.append((a0, a1, b0, b1))
    return found


def _between(old: Sequence[str], new: Sequence[str], span: Change, depth: int) -> Iterator[Change]:
    a0, a1, b0, b1 = _trimmed(old, new, span)
    if a0 == a1 or b0 == b1:
        yield a0, a1, b0, b1
        return
    anchors = _anchors(old, new, (a0, a1, b0, b1)) if depth < _MAX_DEPTH else []
    if not anchors:
        yield from _exact(old, new, (a0, a1, b0, b1))
        return
    at, bt = a0, b0
    for a, b in [*anchors, (a1, b1)]:
        yield from _between(old, new, (at, a, bt, b), depth + 1)
        at, bt = a + 1, b + 1


def _trimmed(old: Sequence[str], new: Sequence[str], span: Change) -> Change:
    a0, a1, b0, b1 = span
    while a0 < a1 and b0 < b1 and old[a0] == new[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and old[a1 - 1] == new[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    return a0, a1, b0, b1


def _anchors(old: Sequence[str], new: Sequence[str], span: Change) -> list[tuple[int, int]]:
    """Lines that occur once on either side, as the longest run that keeps its order."""
    a0, a1, b0, b1 = span
    in_old = Counter(old[a0:a1])
    in_new = Counter(new[b0:b1])
    where = {line: i for i, line in enumerate(old[a0:a1], a0) if in_old[line] == 1}
    pairs = [
        (where[line], j)
        for j, line in enumerate(new[b0:b1], b0)
        if in_new[line] == 1 and line in where
    ]
    return _longest_rising(pairs)


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of ``pairs`` (in order of the second) whose first elements rise."""
    tails: list[int] = []
    at_tail: list[int] = []
    before: list[int] = []
    for i, (a, _) in enumerate(pairs):
        k = bisect_left(tails, a)
        tails[k : k + 1] = [a]
        at_tail[k : k + 1] = [i]
        before.append(at_tail[k - 1] if k else -1)
    run: list[tuple[int, int]] = []
    i = at_tail[-1] if at_tail else -1
    while i >= 0:
        run.append(pairs[i])
        i = before[i]
    return run[::-1]


def _exact(old: Sequence[str], new: Sequence[str], span: Change) -> Iterator[Change]:
    """A block without anchors: its shortest edit script, or all of it when that costs too much."""
    a0, a1, b0, b1 = span
    edits = _shortest(old[a0:a1], new[b0:b1])
    if edits is None:
        yield span
        return
    for x0, x1, y0, y1 in edits:
        yield a0 + x0, a0 + x1, b0 + y0, b0 + y1


def _shortest(old: Sequence[str], new: Sequence[str]) -> list[Change] | None:
    """Myers' greedy algorithm (1986) with a budget of steps; None when that is spent."""
    n, m = len(old), len(new)
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    budget = _BUDGET + 2 * (n + m)
    for d in range(n + m + 1):
        trace.append(dict(reached))
        for k in range(-d + 2 * max(0, d - m), d - 2 * max(0, d - n) + 1, 2):
            x, _ = _furthest(reached, k, d)
            while x < n and x - k < m and old[x] == new[x - k]:
                x += 1
                budget -= 1
            reached[k] = x
            if x >= n and x - k >= m:
                return _walked_back(trace, n, m)
        budget -= d
        if budget < 0:
            return None
    return None


def _furthest(reached: dict[int, int], k: int, d: int) -> tuple[int, bool]:
    """Where diagonal ``k`` begins in round ``d``, and whether an insertion leads there."""
    above, left = reached.get(k + 1, -1), reached.get(k - 1, -1)
    inserted = k == -d or (k != d and left < above)
    return (above if inserted else left + 1), inserted


def _walked_back(trace: list[dict[int, int]], n: int, m: int) -> list[Change]:
    edits: list[Change] = []
    x, y = n, m
    for d in range(len(trace) - 1, 0, -1):
        k = x - y
        x, inserted = _furthest(trace[d], k, d)
        y = x - k
        edits.append((x, x, y - 1, y) if inserted else (x - 1, x, y, y))
        x, y = (x, y - 1) if inserted else (x - 1, y)
    return edits[::-1]
