"""A compaction as a line across the transcript: what it saved; expanded, what was kept.

The words stand in the line, so that it reads without colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.view.blocks.message import Letter
from canopy_tui.view.blocks.rule import Rule
from canopy_tui.view.drawing.labels import duration, tokens

if TYPE_CHECKING:
    from canopy_tui.model.entries import CompactionEntry
    from canopy_tui.view.blocks.block import Block

_TRIGGERS = {
    "automatic": "it was nearly full",
    "auto": "it was nearly full",
    "idle": "while nobody worked",
}


def compaction_blocks(entry: CompactionEntry, *, expanded: bool) -> list[Block]:
    """The line, and below it the summary when ``expanded``."""
    loud = entry.status == "failed"
    hint = bool(entry.summary) and not expanded
    hit = "toggle" if entry.summary else ""
    blocks: list[Block] = [Rule(_words(entry, hint=hint), loud=loud, hit=hit)]
    if expanded and entry.summary:
        blocks.append(Letter("what was kept of the conversation", entry.summary, expanded=True))
    return blocks


def _words(entry: CompactionEntry, *, hint: bool) -> str:
    match entry.status:
        case "completed":
            words = "compacted"
        case "failed":
            words = f"compaction failed: {entry.error}" if entry.error else "compaction failed"
        case "cancelled":
            words = "compaction stopped"
        case _:
            words = "compacting the conversation"
    parts = [words, *_figures(entry.before, entry.after)]
    if hint:
        parts.append("[space: summary]")
    if entry.trigger in _TRIGGERS:
        parts.append(_TRIGGERS[entry.trigger])
    if entry.seconds is not None and entry.seconds >= 1:
        parts.append(duration(entry.seconds))
    return " · ".join(parts)


def _figures(before: int | None, after: int | None) -> list[str]:
    if before is None:
        return []
    if after is None:
        return [f"{tokens(before)} tokens before"]
    saved = f", {(before - after) / before:.0%} saved" if 0 < after < before else ""
    return [f"{tokens(before)} to {tokens(after)} tokens{saved}"]
