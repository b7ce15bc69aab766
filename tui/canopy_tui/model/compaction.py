"""Compactions of a conversation: one entry each, from its start to its end.

Follows the RFD of compaction (``session.compaction``) and the facts that AIR adds
(``_meta.jetbrains.air.contextCompaction``, claude-agent-acp 0.101.0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared.content import TextContent
from canopy_shared.ext import air
from canopy_tui.model import transcript
from canopy_tui.model.entries import CompactionEntry
from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_shared.updates import CompactionSummaryChunk, CompactionUpdate
    from canopy_tui.model.state import ClientState, SessionView, Touched

_ENDS = frozenset({"completed", "failed", "cancelled"})


def told(
    state: ClientState, view: SessionView, update: CompactionUpdate, at: float, touched: Touched
) -> None:
    """A compaction runs or ended."""
    entry = _of(state, view, update.compaction_id, at, touched)
    if entry.status in _ENDS:
        return
    entry.status = update.status
    if update.status in _ENDS:
        entry.ended_at = at
    blocks = update.summary if isinstance(update.summary, tuple) else ()
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    if texts:
        entry.summary = "\n\n".join(texts)
    if isinstance(update.error, str):
        entry.error = clipped(update.error, 400)
    _facts(entry, (air.payload_of(update.meta) or {}).get("contextCompaction"))
    transcript.changed(state, view, entry, touched)


def grew(
    state: ClientState,
    view: SessionView,
    update: CompactionSummaryChunk,
    at: float,
    touched: Touched,
) -> None:
    """A piece of the summary."""
    entry = _of(state, view, update.compaction_id, at, touched)
    if isinstance(update.content, TextContent) and entry.status not in _ENDS:
        entry.summary += update.content.text
        transcript.redrawn(view, entry, touched)


def _of(
    state: ClientState, view: SessionView, id_: str, at: float, touched: Touched
) -> CompactionEntry:
    index = view.compactions.get(id_)
    entry = view.entries[index] if index is not None else None
    if isinstance(entry, CompactionEntry):
        return entry
    transcript.close_message(state, view, touched)
    entry = CompactionEntry(at=at)
    view.compactions[id_] = transcript.append(state, view, entry, touched, work=False)
    return entry


def _facts(entry: CompactionEntry, facts: Any) -> None:
    if not isinstance(facts, Mapping):
        return
    trigger = facts.get("trigger")
    if isinstance(trigger, str):
        entry.trigger = clipped(trigger, 40)
    entry.before = _count(facts.get("preTokens"), entry.before)
    entry.after = _count(facts.get("postTokens"), entry.after)
    milliseconds = _count(facts.get("durationMs"), None)
    if milliseconds is not None:
        entry.seconds = milliseconds / 1000


def _count(value: object, known: int | None) -> int | None:
    usable = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if usable and isinstance(value, int) else known
