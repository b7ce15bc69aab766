"""The plan as a checklist; a plan that is a document is drawn as Markdown.

Each step has a mark of its own, so the state reads without colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_tui.view.blocks.block import beside, guessed, inside
from canopy_tui.view.drawing.markdown import markdown_rows
from canopy_tui.view.drawing.strips import PROSE, Row, laid, printable

if TYPE_CHECKING:
    from canopy_tui.model.entries import PlanEntry
    from canopy_tui.view.drawing.strips import Paper


@dataclass(frozen=True, slots=True)
class Checklist:
    """``steps`` as (status, text); ``document`` is Markdown that goes before them."""

    steps: tuple[tuple[str, str], ...]
    document: str = ""

    def draw(self, paper: Paper) -> list[Row]:
        """A heading with the count, then one line per step."""
        ink, page = paper.ink, inside(paper)
        rows: list[Row] = []
        if self.document:
            rows += markdown_rows(self.document, page)
        if self.steps:
            done = sum(status == "completed" for status, _ in self.steps)
            rows.append(
                Row((("Plan", ink.strong), (f"  {done} of {len(self.steps)} done", ink.muted)))
            )
        for status, text in self.steps:
            rows += self._step(status, text, page)
        return beside(rows)

    def _step(self, status: str, text: str, paper: Paper) -> list[Row]:
        ink, marks = paper.ink, paper.marks
        mark, look, style = {
            "completed": (marks.done, ink.success, ink.muted),
            "in_progress": (marks.running, ink.secondary, ink.strong),
        }.get(status, (marks.pending, ink.muted, ink.text))
        lines = [[(line, style)] for line in printable(text).split("\n")]
        return laid(lines, min(paper.width, PROSE), first=[(f"{mark} ", look)])

    def guess(self, width: int) -> int:
        """By characters and newlines."""
        return sum(guessed(text, width) for _, text in self.steps) + guessed(self.document, width)


def checklist(entry: PlanEntry) -> Checklist:
    """The block for a plan as it is now."""
    return Checklist(tuple((step.status, step.content) for step in entry.steps), entry.document)
