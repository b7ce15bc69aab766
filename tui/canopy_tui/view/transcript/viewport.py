"""Which rows of a transcript are in view, and how that holds still while the transcript changes.

The first row in view is an anchor: a place in the text, not a number of rows. It knows neither
screen nor keys.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from canopy_tui.view.drawing.strips import BLANK
from canopy_tui.view.transcript.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from canopy_tui.view.drawing.strips import Paper, Row
    from canopy_tui.view.transcript.layout import TranscriptLayout

Shown = tuple[Place, "Row"]


def is_lead(place: Place, row: Row) -> bool:
    """Whether it is the blank row before an entry, which belongs to nobody."""
    return place[1:] == (0, 0) and row is BLANK


class Viewport:
    """``height`` rows of ``layout``. ``shown`` are the rows in view, ``offset`` those above them.

    ``following`` says that the end stays in view; it ends when a person scrolls away from the end
    and begins again when the end comes into view.
    """

    def __init__(self, layout: TranscriptLayout, height: int) -> None:
        self.layout = layout
        self.height = height
        self.following = True
        self.at_end = True
        self.shown: list[Shown] = []
        self.offset = 0
        self._top = Place(0)
        self._below: set[int] = set()

    @property
    def new_below(self) -> int:
        """Entries that came or changed below the view since the end was last in view."""
        return len(self._below)

    # --- what happens ----------------------------------------------------------------------------

    def changed(self, keys: Iterable[int]) -> None:
        """Take over new and changed entries of the model."""
        keys = list(keys)
        self.layout.sync(keys)
        if not self.following:
            last = self.shown[-1][0].entry if self.shown else 0
            self._below.update(key for key in keys if (self.layout.index_of(key) or 0) >= last)

    def redraw(self, paper: Paper, height: int) -> None:
        """Use other paper or another height; the text at the top stays where it is."""
        if paper.width != self.layout.paper.width and not self.following:
            read = self._read_above()
            self.layout.redraw(paper)
            self._top = self._top._replace(row=self._row_after(read))
        elif paper != self.layout.paper:
            self.layout.redraw(paper)
        self.height = height

    def _read_above(self) -> int:
        """Characters of the anchor's block above the anchor."""
        top = self._clamped(self._top)
        if top.block >= self.layout.block_count(top.entry):
            return 0
        rows = self.layout.rows(top.entry, top.block)
        return sum(len(row.text) - row.gutter for row in rows[: top.row])

    def _row_after(self, read: int) -> int:
        top = self._top
        if top.block >= self.layout.block_count(top.entry):
            return 0
        rows = self.layout.rows(top.entry, top.block)
        for number, row in enumerate(rows):
            read -= len(row.text) - row.gutter
            if read < 0:
                return number
        return max(0, len(rows) - 1)

    # --- what a person does ----------------------------------------------------------------------

    def move(self, rows: int) -> None:
        """Scroll by exactly so many rows, down when positive."""
        if self.following and rows > 0:
            return
        top = self.shown[0][0] if self.shown else self._top
        way = list(islice(self._down(top), rows + 1) if rows > 0 else islice(self._up(top), -rows))
        if way:
            self._top = way[-1][0]
        self.following = False

    def jump(self, offset: int) -> None:
        """Scroll to where about ``offset`` rows are above."""
        self._top = self.layout.at(offset)
        self.following = False

    def start_at(self, index: int) -> None:
        """Show the transcript from the first row of an entry on, as far as there are rows."""
        self._top = Place(index)
        self.following = False

    def to_end(self) -> None:
        """Show the end and follow it."""
        self.following = True

    def hold(self) -> None:
        """Keep the first row where it is whatever happens to the entries next."""
        self.following = False

    def reveal(self, index: int) -> None:
        """Scroll as little as needed to show the entry, from its first row when it is tall."""
        rows: list[Shown] = []
        for block in range(self.layout.block_count(index)):
            drawn = self.layout.rows(index, block)
            rows += [(Place(index, block, number), row) for number, row in enumerate(drawn)]
            if len(rows) >= self.height:
                break
        places = {place for place, _ in self.shown}
        if not rows or (rows[0][0] in places and rows[-1][0] in places):
            return
        first = self.shown[0][0] if self.shown else Place(0)
        self.following = False
        self._top = rows[0][0]
        if index > first.entry and len(rows) < self.height:
            way = list(islice(self._up(rows[0][0]), self.height - len(rows)))
            self._top = way[-1][0] if way else self._top

    def top_entry(self, index: int) -> None:
        """Put the first row of the entry at the top."""
        self._top, self.following = Place(index), False

    def show_place(self, place: Place) -> None:
        """Scroll so that the row there is in view, with some rows above it."""
        if any(shown == place for shown, _ in self.shown):
            return
        self.following = False
        way = list(islice(self._up(place), self.height // 3))
        self._top = way[-1][0] if way else place

    def entries_in_view(self) -> list[int]:
        """Indices of the entries in view, top to bottom."""
        return sorted({place.entry for place, row in self.shown if not is_lead(place, row)})

    # --- settling --------------------------------------------------------------------------------

    def settle(self) -> None:
        """Work out ``shown`` and ``offset`` after anything above."""
        if self.following:
            self.shown = list(islice(self._up(Place(len(self.layout))), self.height))[::-1]
            self.at_end = True
        else:
            self._settle_held()
        if self.shown:
            self._top = self.shown[0][0]
        self.offset = self.layout.offset(self._top)
        if self.at_end:
            self._below.clear()
            self.following = True
        elif self._below:
            last = self.shown[-1][0].entry if self.shown else 0
            seen = {key for key in self._below if (self.layout.index_of(key) or 0) < last}
            self._below -= seen

    def _settle_held(self) -> None:
        top = self._clamped(self._top)
        found = list(islice(self._down(top), self.height + 1))
        self.at_end = len(found) <= self.height
        found = found[: self.height]
        if self.at_end and (missing := self.height - len(found)):
            found = list(islice(self._up(top), missing))[::-1] + found
        self.shown = found

    def _clamped(self, place: Place) -> Place:
        """``place``, or the nearest row before it when its entry became shorter."""
        if place.entry >= len(self.layout):
            return Place(max(0, len(self.layout) - 1))
        count = self.layout.block_count(place.entry)
        if not count:
            return Place(place.entry)
        block = min(place.block, count - 1)
        rows = self.layout.rows(place.entry, block)
        last = max(0, len(rows) - 1)
        return Place(place.entry, block, last if block < place.block else min(place.row, last))

    def _down(self, place: Place) -> Iterator[Shown]:
        """Rows from ``place`` on."""
        entry, block, row = place
        while entry < len(self.layout):
            while block < self.layout.block_count(entry):
                rows = self.layout.rows(entry, block)
                for number in range(row, len(rows)):
                    yield Place(entry, block, number), rows[number]
                block, row = block + 1, 0
            entry, block, row = entry + 1, 0, 0

    def _up(self, place: Place) -> Iterator[Shown]:
        """Rows above ``place``, upwards."""
        entry, block, row = place
        if entry < len(self.layout) and block < self.layout.block_count(entry):
            rows = self.layout.rows(entry, block)
            for number in range(min(row, len(rows)) - 1, -1, -1):
                yield Place(entry, block, number), rows[number]
        while entry >= 0:
            if entry < len(self.layout):
                for earlier in range(min(block, self.layout.block_count(entry)) - 1, -1, -1):
                    rows = self.layout.rows(entry, earlier)
                    for number in range(len(rows) - 1, -1, -1):
                        yield Place(entry, earlier, number), rows[number]
            entry -= 1
            block = self.layout.block_count(entry) if entry >= 0 else 0
