"""Who worked when, on a line of cells: long times in which nobody did take one cell.

Pure; times are epoch seconds. How a cell is drawn is not known here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Span = tuple[float, float]

_LONG = 60.0
"""Seconds of silence that may be left out."""
_SHARE = 0.1
"""A silence is left out when it is longer than this part of all work, too."""


@dataclass(frozen=True, slots=True)
class Axis:
    """``stretches`` are the times that are shown; between two of them lies one cell of silence.

    ``begins`` has the first cell of each stretch, ``cells`` how many cells there are.
    """

    stretches: tuple[Span, ...]
    begins: tuple[int, ...]
    widths: tuple[int, ...]
    cells: int

    def cell(self, at: float) -> int:
        """The cell of a time."""
        if not self.stretches:
            return 0
        place = max(0, bisect_right(self.stretches, (at, float("inf"))) - 1)
        start, end = self.stretches[place]
        width = self.widths[place]
        part = (min(at, end) - start) / (end - start) if end > start else 0.0
        return self.begins[place] + min(width - 1, max(0, int(part * width)))

    @property
    def silences(self) -> tuple[int, ...]:
        """The cells of silence."""
        return tuple(begin - 1 for begin in self.begins[1:])


def axis_of(spans: Iterable[Span], cells: int) -> Axis:
    """An axis of ``cells`` cells for all ``spans``."""
    busy = merged(spans)
    if not busy or cells < 1:
        return Axis((), (), (), max(0, cells))
    total = sum(end - start for start, end in busy)
    stretches: list[Span] = [busy[0]]
    for start, end in busy[1:]:
        gap = start - stretches[-1][1]
        if gap > _LONG and gap > total * _SHARE:
            stretches.append((start, end))
        else:
            stretches[-1] = (stretches[-1][0], end)
    most = max(1, (cells + 1) // 2)
    if len(stretches) > most:  # no room for each: the last ones, which are what people look for
        stretches = [
            (stretches[0][0], stretches[-most][1]),
            *stretches[len(stretches) - most + 1 :],
        ]
    widths = _shared(cells - (len(stretches) - 1), [end - start for start, end in stretches])
    begins, at = [], 0
    for width in widths:
        begins.append(at)
        at += width + 1
    return Axis(tuple(stretches), tuple(begins), tuple(widths), cells)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The times that any of ``spans`` covers, in order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, max(start, end)))
    return found


def worked(spans: Sequence[Span]) -> float:
    """Seconds of work, each counted once."""
    return sum(end - start for start, end in merged(spans))


def filled(spans: Iterable[Span], axis: Axis) -> set[int]:
    """The cells in which there was work; what was short has a cell too."""
    return {
        cell
        for start, end in merged(spans)
        for cell in range(axis.cell(start), axis.cell(end) + 1)
        if cell not in set(axis.silences)
    }


def _shared(cells: int, amounts: list[float]) -> list[int]:
    """``cells`` in proportion to ``amounts``, at least one each."""
    spare = cells - len(amounts)
    total = sum(amounts)
    if total <= 0:
        return [1] * (len(amounts) - 1) + [1 + spare]
    widths = [1 + int(spare * amount / total) for amount in amounts]
    widths[amounts.index(max(amounts))] += cells - sum(widths)
    return widths
