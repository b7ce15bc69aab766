"""Compactions as updates of their own where the client takes them, else as one tool call each.

Shapes follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; when a compaction begins and ends
was decided before.
"""

from __future__ import annotations

from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import CompactionBegan, CompactionEnded, CompactionGrew
from canopy_shared.content import TextContent, ToolContent
from canopy_shared.ext import air, claude
from canopy_shared.unset import UNSET
from canopy_shared.updates import (
    CompactionSummaryChunk,
    CompactionUpdate,
    ToolCallStart,
    ToolCallUpdate,
    Update,
)

TITLE: Final = "Compact conversation"
TOOL: Final = "compact"
_RUNNING: Final = "in_progress"
_TRIGGERS: Final = {"auto": "automatic"}


class Compactions:
    """Words the compactions of one session for one client."""

    __slots__ = ("_profile", "_shown", "_streamed")

    def __init__(self, profile: ClientProfile) -> None:
        self._profile = profile
        self._shown: set[str] = set()
        self._streamed: set[str] = set()

    def began(self, fact: CompactionBegan, parent: str | None) -> list[Update]:
        """It runs."""
        self._shown.add(fact.id)
        if self._profile.compaction:
            return [CompactionUpdate(fact.id, _RUNNING)]
        return [self._card(fact.id, _RUNNING, {}, UNSET, UNSET)]

    def grew(self, fact: CompactionGrew, parent: str | None) -> list[Update]:
        """A piece of the summary; a tool call only says that there is one."""
        if self._profile.compaction:
            return [CompactionSummaryChunk(fact.id, TextContent(fact.text))]
        if fact.id in self._streamed:
            return []
        self._streamed.add(fact.id)
        return [ToolCallUpdate(fact.id, status=_RUNNING, meta=self._meta({}))]

    def ended(self, fact: CompactionEnded, parent: str | None) -> list[Update]:
        """It is over, one way or another."""
        known = fact.id in self._shown
        self._shown.discard(fact.id)
        self._streamed.discard(fact.id)
        facts = _facts(fact)
        if self._profile.compaction:
            return [self._update(fact, facts)]
        content: Any = UNSET
        if fact.status != "completed":
            why = fact.error or "It was stopped."
            content = (ToolContent(TextContent(f"Compaction failed: {why}")),)
        status = "completed" if fact.status == "completed" else "failed"
        raw: Any = facts if facts and not self._profile.air else UNSET
        if not known:
            return [self._card(fact.id, status, self._with_error(fact, facts), content, raw)]
        meta = self._meta(self._with_error(fact, facts))
        return [ToolCallUpdate(fact.id, status=status, content=content, raw_output=raw, meta=meta)]

    def _update(self, fact: CompactionEnded, facts: dict[str, Any]) -> CompactionUpdate:
        summary = UNSET if fact.summary is None else (TextContent(fact.summary),)
        error = UNSET if fact.error is None else fact.error
        meta: Any = air.wrap(contextCompaction=_versioned(facts)) if self._profile.air else UNSET
        return CompactionUpdate(fact.id, fact.status, summary, error, meta)

    def _card(
        self, id_: str, status: str, facts: dict[str, Any], content: Any, raw: Any
    ) -> ToolCallStart:
        return ToolCallStart(
            id_,
            TITLE,
            kind="think",
            status=status,
            content=content,
            raw_output=raw,
            meta=self._meta(facts),
        )

    def _with_error(self, fact: CompactionEnded, facts: dict[str, Any]) -> dict[str, Any]:
        return facts if fact.error is None else {**facts, "error": fact.error}

    def _meta(self, facts: dict[str, Any]) -> dict[str, Any]:
        if self._profile.air:
            return air.wrap(contextCompaction=_versioned(facts))
        return claude.wrap(toolName=TOOL)


def _versioned(facts: dict[str, Any]) -> dict[str, Any]:
    return {"version": air.VERSION, **facts}


def _facts(fact: CompactionEnded) -> dict[str, Any]:
    """What is known of a compaction, under the names of the wire."""
    trigger = None if fact.trigger is None else _TRIGGERS.get(fact.trigger, fact.trigger)
    known = {
        "trigger": trigger,
        "preTokens": fact.pre_tokens,
        "postTokens": fact.post_tokens,
        "durationMs": fact.duration_ms,
    }
    return {name: value for name, value in known.items() if value is not None}
