"""Messages: what a person wrote, what the agent answers, and what sessions tell each other.

The text of a person is shown as typed; everything else is Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.model.sanitize import visible
from canopy_tui.view.blocks.block import beside, guessed, inside, more_row, tinted
from canopy_tui.view.drawing.markdown import code_rows, literal_rows, markdown_rows
from canopy_tui.view.drawing.markdown_split import Code
from canopy_tui.view.drawing.strips import BLANK, Row, fitted, laid

if TYPE_CHECKING:
    from canopy_tui.view.drawing.markdown_split import Piece
    from canopy_tui.view.drawing.strips import Paper, Run

FOLDED = 12
"""Rows of a prompt that are shown before it is expanded."""


@dataclass(frozen=True, slots=True)
class Markdown:
    """One piece of an answer or thought. ``marked`` is the first piece of one that has a mark:
    a thought, or an answer outside a turn.
    """

    piece: Piece
    marked: bool = False
    thought: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """The piece in the text column, behind a blank row where the text has one."""
        piece, page = self.piece, inside(paper)
        if isinstance(piece, Code):
            rows = code_rows(piece.source, piece.language, page, piece.before)
        else:
            style = paper.ink.thought if self.thought else None
            rows = markdown_rows(piece.source, page, piece.number, style)
        if piece.gap:
            return [BLANK, *beside(rows)]
        return beside(rows, self._mark(paper) if self.marked else None)

    def _mark(self, paper: Paper) -> Run:
        if self.thought:
            return paper.marks.thought, paper.ink.muted
        return paper.marks.after_turn, paper.ink.accent

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return guessed(self.piece.source, width) + self.piece.gap


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the person wrote, on a band of its own, with what went with it."""

    text: str
    expanded: bool = False
    extras: tuple[str, ...] = ()

    def draw(self, paper: Paper) -> list[Row]:
        """As typed, folded when long."""
        ink = paper.ink
        page = inside(paper).narrower(1)
        rows = literal_rows(self.text, page, ink.said) if self.text.strip() else []
        rows = folded(rows, page, self.expanded)
        for extra in self.extras:
            rows += laid([[(visible(extra, multiline=False), ink.muted)]], page.width)
        return tinted(beside(rows, (paper.marks.user, ink.said_bar)), ink.said)

    def guess(self, width: int) -> int:
        """By characters and newlines, up to where it folds."""
        rows = guessed(self.text, width)
        return (rows if self.expanded else min(rows, FOLDED)) + len(self.extras)


@dataclass(frozen=True, slots=True)
class Letter:
    """What one session told another: ``heading`` says who, ``text`` is Markdown."""

    heading: str
    text: str
    expanded: bool = False

    def draw(self, paper: Paper) -> list[Row]:
        """A heading and the text, folded when long, on a band of its own."""
        ink, page = paper.ink, inside(paper).narrower(1)
        title = fitted(visible(self.heading, multiline=False), page.width)
        rows = [Row(((title, ink.muted),), len(title))]
        rows += folded(markdown_rows(self.text, page), page, self.expanded)
        return tinted(beside(rows, (paper.marks.user, ink.said_bar)), ink.said)

    def guess(self, width: int) -> int:
        """By characters and newlines, up to where it folds."""
        rows = guessed(self.text, width)
        return 1 + (rows if self.expanded else min(rows, FOLDED))


def folded(rows: list[Row], paper: Paper, expanded: bool) -> list[Row]:
    """``rows`` up to ``FOLDED`` unless ``expanded``."""
    if expanded or len(rows) <= FOLDED:
        return rows
    return [*rows[: FOLDED - 1], more_row(len(rows) - FOLDED + 1, paper)]
