"""Paper and layouts for tests that need no screen, and rows as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.blocks.entry import Around
from canopy_tui.view.drawing.ink import mix
from canopy_tui.view.drawing.strips import UNICODE, Paper, width_of
from canopy_tui.view.transcript.layout import TranscriptLayout
from tui_transcript.samples import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from canopy_tui.model.state import ClientState
    from canopy_tui.view.drawing.strips import Marks, Row

COLOURS = {
    "background": "#101010",
    "foreground": "#e0e0e0",
    "primary": "#80c0a0",
    "secondary": "#80b0d0",
    "accent": "#e0b060",
    "success": "#90c080",
    "warning": "#e0b060",
    "error": "#e08080",
}
INK = mix(COLOURS)


def paper(width: int = 80, marks: Marks = UNICODE) -> Paper:
    """Paper in the colours of the tests."""
    return Paper(width, INK, marks)


def layout_of(state: ClientState, width: int = 80) -> TranscriptLayout:
    """The layout of the root's transcript."""
    return TranscriptLayout(Around(state, state.sessions[MAIN]), paper(width))


def text_of(rows: Iterable[Row]) -> str:
    """Rows as lines, without spaces at their ends."""
    return "\n".join(row.text.rstrip() for row in rows)


def widest(rows: Iterable[Row]) -> int:
    """Cells of the widest row."""
    return max((width_of(row.runs) for row in rows), default=0)


def all_rows(layout: TranscriptLayout) -> list[Row]:
    """Every row of a transcript, all of it drawn."""
    return [
        row
        for entry in range(len(layout))
        for block in range(layout.block_count(entry))
        for row in layout.rows(entry, block)
    ]


def drawn(state: ClientState, width: int = 80) -> str:
    """The whole transcript as text."""
    return text_of(all_rows(layout_of(state, width)))
