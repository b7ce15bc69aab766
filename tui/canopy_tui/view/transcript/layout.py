"""Where every row of a transcript lies: entries in blocks, blocks in rows, heights in prefix sums.

Only rows that somebody asks for are drawn; all other heights are estimates until then. It knows
no screen.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.entries import AnyEntry, ChildEntry, MessageEntry, Role, ToolEntry
from canopy_tui.model.source import searchable
from canopy_tui.view.blocks.block import Literal, guessed
from canopy_tui.view.blocks.entry import EntryBlocks
from canopy_tui.view.blocks.look import Look
from canopy_tui.view.blocks.message import Markdown
from canopy_tui.view.drawing.strips import BLANK
from canopy_tui.view.transcript.offsets import Offsets
from canopy_tui.view.transcript.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from canopy_tui.view.blocks.block import Block
    from canopy_tui.view.blocks.entry import Around
    from canopy_tui.view.drawing.strips import Paper, Row

KEPT_ROWS = 20_000
"""Rows that stay drawn; of the others only the height is kept."""

_NONE = Offsets()
"""Those of entries that nobody has looked at."""
_DENSE = (ToolEntry, ChildEntry)
"""Kinds that stand line by line, without a blank row between one another."""


@dataclass(slots=True, eq=False)
class _Cell:
    """A block in its place. ``known`` rows were counted or guessed at the width ``at_width``."""

    block: Block
    known: int
    at_width: int
    exact: bool = False
    rows: list[Row] | None = None

    def height(self, width: int) -> int:
        return _scaled(self.known, self.at_width, width)


@dataclass(slots=True, eq=False)
class _Item:
    """An entry in its place; ``cells`` is None until the entry has been needed."""

    entry: AnyEntry
    lead: int
    known: int
    at_width: int
    revision: int
    look: Look
    blocks: EntryBlocks | None = None
    cells: list[_Cell] | None = None
    offsets: Offsets = _NONE

    def height(self, width: int) -> int:
        return (
            self.offsets.total
            if self.cells is not None
            else _scaled(self.known, self.at_width, width)
        )


def _scaled(rows: int, at_width: int, width: int) -> int:
    """An estimate for another width; short blocks mostly stay as they are."""
    if at_width == width or rows <= 1:
        return rows
    return max(1, round(rows * at_width / max(1, width)))


class TranscriptLayout:
    """The rows of one session's transcript on one paper."""

    def __init__(self, around: Around, paper: Paper) -> None:
        self._around = around
        self.paper = paper
        self._items: list[_Item] = []
        self._index: dict[int, int] = {}
        self._offsets = Offsets()
        self._drawn: OrderedDict[_Cell, None] = OrderedDict()
        self._drawn_rows = 0
        self._look = Look()
        self.sync()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def total(self) -> int:
        """Rows of the whole transcript."""
        return self._offsets.total

    @property
    def drawn_rows(self) -> int:
        """Rows that are kept drawn."""
        return self._drawn_rows

    # --- following the model ---------------------------------------------------------------------

    def sync(self, keys: Iterable[int] = ()) -> None:
        """Take over new entries and those of ``keys``, which changed."""
        first_new = len(self._items)
        entries = self._around.session.entries
        if len(entries) > first_new:
            self._extend(entries[first_new:])
        for key in keys:
            index = self._index.get(key)
            if index is not None and index < first_new:
                self.renew(index)

    def stale(self) -> list[int]:
        """Keys of entries that came or changed and were not taken over yet."""
        new = self._around.session.entries[len(self._items) :]
        changed = [item.entry for item in self._items if item.revision != item.entry.revision]
        return [entry.key for entry in (*changed, *new)]

    def _extend(self, entries: list[AnyEntry]) -> None:
        """Take over many at once, each with as little work as there can be: a person waits for it
        who opens a long transcript.
        """
        width, look, heights = self.paper.width, self._look, []
        before = self._items[-1].entry if self._items else None
        dense = before is None or isinstance(before, _DENSE)
        for entry in entries:
            kind = type(entry)
            is_dense = kind in _DENSE
            lead = 0 if before is None or (dense and is_dense) else 1
            known = (_estimate(entry, width) if kind is MessageEntry else 1) + lead
            self._index[entry.key] = len(self._items)
            self._items.append(_Item(entry, lead, known, width, entry.revision, look))
            heights.append(known)
            before, dense = entry, is_dense
        self._offsets.extend(heights)

    def renew(self, index: int) -> None:
        """Read the entry again."""
        item = self._items[index]
        item.revision = item.entry.revision
        if item.cells is None:
            item.known = _estimate(item.entry, self.paper.width) + item.lead
            item.at_width = self.paper.width
        else:
            self._build(item)
        self._offsets.set(index, item.height(self.paper.width))

    def _build(self, item: _Item) -> None:
        """Make or update the cells of ``item``, keeping those whose block is as before."""
        if item.blocks is None:
            item.blocks, item.offsets = EntryBlocks(), Offsets()
        kept, blocks = item.blocks.update(item.entry, item.look, self._around)
        old = item.cells or []
        cells, width = old[:kept], self.paper.width
        item.offsets.truncate(kept)
        for place, block in enumerate(blocks, kept):
            before = old[place] if place < len(old) else None
            if before is not None and before.block == block:
                cell = before
            else:
                if before is not None:
                    self._forget(before)
                lead = item.lead if place == 0 else 0
                cell = _Cell(block, block.guess(width) + lead, width)
            cells.append(cell)
            item.offsets.append(cell.height(width))
        for dropped in old[len(cells) :]:
            self._forget(dropped)
        item.cells = cells

    # --- the person's wishes ---------------------------------------------------------------------

    def entry(self, index: int) -> AnyEntry:
        """The entry at ``index``."""
        return self._items[index].entry

    def index_of(self, key: int) -> int | None:
        """Where the entry with that key stands."""
        return self._index.get(key)

    def look(self, index: int) -> Look:
        """How the entry is shown."""
        return self._items[index].look

    def set_look(self, index: int, look: Look) -> None:
        """Show the entry so from now on."""
        self._items[index].look = look
        self._cells(index)
        self.renew(index)

    def set_all(self, look: Look) -> None:
        """Show every entry so, those to come too. Costs little: only what is in view is drawn."""
        self._look = look
        for cell in list(self._drawn):
            self._forget(cell)
        width = self.paper.width
        for item in self._items:
            item.look, item.cells, item.blocks, item.offsets = look, None, None, _NONE
            item.known, item.at_width = _estimate(item.entry, width) + item.lead, width
        self._offsets = Offsets(item.height(width) for item in self._items)

    # --- rows ------------------------------------------------------------------------------------

    def _cells(self, index: int) -> list[_Cell]:
        item = self._items[index]
        if item.cells is None:
            self._build(item)
            self._offsets.set(index, item.height(self.paper.width))
        assert item.cells is not None
        return item.cells

    def block_count(self, index: int) -> int:
        """How many blocks the entry has."""
        return len(self._cells(index))

    def rows(self, index: int, block: int) -> list[Row]:
        """The rows of one block, drawn now if they were not."""
        cell = self._cells(index)[block]
        if cell.rows is not None:
            self._drawn.move_to_end(cell)
            return cell.rows
        item = self._items[index]
        rows = cell.block.draw(self.paper)
        if block == 0 and item.lead:
            rows = [BLANK, *rows]
        cell.rows, cell.exact = rows, True
        if (len(rows), self.paper.width) != (cell.known, cell.at_width):
            cell.known, cell.at_width = len(rows), self.paper.width
            item.offsets.set(block, len(rows))
            self._offsets.set(index, item.offsets.total)
        self._keep(cell)
        return rows

    def text(self, index: int) -> str:
        """All text of the entry, as its source has it."""
        return searchable(self._items[index].entry, self._around.state)

    def source(self, index: int, block: int) -> str | None:
        """The source of a block that is a piece of text, without drawing it; else None."""
        match self._cells(index)[block].block:
            case Literal(source=text):
                return text
            case Markdown(piece=piece):
                return piece.source
            case _:
                return None

    def _keep(self, cell: _Cell) -> None:
        self._drawn[cell] = None
        self._drawn_rows += len(cell.rows or ())
        while self._drawn_rows > KEPT_ROWS and len(self._drawn) > 1:
            oldest = next(iter(self._drawn))
            self._forget(oldest)

    def _forget(self, cell: _Cell) -> None:
        if cell.rows is not None:
            self._drawn_rows -= len(cell.rows)
            self._drawn.pop(cell, None)
            cell.rows = None

    # --- places ----------------------------------------------------------------------------------

    def offset(self, place: Place) -> int:
        """Rows above ``place``, as far as known."""
        item = self._items[place.entry] if place.entry < len(self._items) else None
        inside = item.offsets.before(place.block) if item and item.cells is not None else 0
        return self._offsets.before(place.entry) + inside + place.row

    def at(self, offset: int) -> Place:
        """The place with so many rows above it; blocks on the way are not drawn."""
        if not self._items:
            return Place(0)
        index, rest = self._offsets.find(offset)
        cells = self._cells(index)
        if not cells:
            return Place(index)
        block, row = self._items[index].offsets.find(rest)
        return Place(index, block, row)

    def redraw(self, paper: Paper) -> None:
        """Use other paper. The same width costs nothing but the drawing of what is looked at."""
        resized = paper.width != self.paper.width
        self.paper = paper
        for cell in list(self._drawn):
            self._forget(cell)
        if not resized:
            return
        width = paper.width
        for item in self._items:
            if item.cells is not None:
                item.offsets = Offsets(cell.height(width) for cell in item.cells)
        self._offsets = Offsets(item.height(width) for item in self._items)


def _estimate(entry: AnyEntry, width: int) -> int:
    """Rows of an entry that nobody has looked at, without parsing it."""
    match entry:
        case MessageEntry(role=Role.AGENT):
            return guessed(entry.text, width) + len(entry.extras)
        case MessageEntry(role=Role.THOUGHT):
            return 4
        case MessageEntry():
            return min(12, guessed(entry.text, width)) + len(entry.extras)
        case _:
            return 1
