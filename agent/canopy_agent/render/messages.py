"""Everything that is no tool call: text, thoughts, notices, plans, usage, children.

Each function turns one fact into updates; which session gets them was decided before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain import facts as f
from canopy_agent.render.reporters.agent import answer
from canopy_agent.render.results import content_block
from canopy_shared.codec import decode_content
from canopy_shared.content import ContentBlock, ImageContent, Meta, TextContent, ToolContent
from canopy_shared.ext import claude
from canopy_shared.unset import UNSET, Unset
from canopy_shared.updates import (
    AgentMessageChunk,
    AgentThoughtChunk,
    CurrentModeUpdate,
    PlanDocument,
    PlanEntry,
    SessionMessage,
    SubagentSpawned,
    SubagentStateUpdate,
    SubagentUpdate,
    Update,
    UsageUpdate,
    UserMessageChunk,
)


def _given(value: Any) -> Any:
    return UNSET if value is None else value


def parent_meta(parent: str | None) -> Meta | Unset:
    """``_meta`` of what a subagent said."""
    return claude.wrap(parentToolUseId=parent) if parent else UNSET


def said(fact: f.Said, parent: str | None) -> list[Update]:
    """Assistant text; nothing for empty text."""
    if not fact.text:
        return []
    content = TextContent(fact.text)
    return [AgentMessageChunk(content, _given(fact.message_id), parent_meta(parent))]


def thought(fact: f.Thought, parent: str | None) -> list[Update]:
    """Assistant thinking; nothing for empty text."""
    if not fact.text:
        return []
    content = TextContent(fact.text)
    return [AgentThoughtChunk(content, _given(fact.message_id), parent_meta(parent))]


def pictured(fact: f.Pictured, parent: str | None) -> list[Update]:
    """An image of the assistant."""
    image = ImageContent(fact.data, fact.mime_type, _given(fact.uri))
    return [AgentMessageChunk(image, _given(fact.message_id), parent_meta(parent))]


def user_said(fact: f.UserSaid, parent: str | None) -> list[Update]:
    """A user message, one chunk per block that shows anything."""
    rendered = (content_block(block) for block in fact.blocks)
    return [
        UserMessageChunk(block, _given(fact.message_id), parent_meta(parent))
        for block in rendered
        if not (isinstance(block, TextContent) and not block.text)
    ]


def plan_entries(fact: f.PlanShown) -> tuple[PlanEntry, ...]:
    """The entries of a plan fact."""
    return tuple(
        PlanEntry(
            str(entry.get("content", "")),
            str(entry.get("status", "pending")),
            str(entry.get("priority", "medium")),
        )
        for entry in fact.entries
    )


def plan_document(call_id: str, plan: str, profile: ClientProfile) -> list[Update]:
    """An approved plan as a document, for clients with the ``plan`` capability."""
    if not profile.plan_documents:
        return []
    plan_id = f"plan-mode:{call_id}" if profile.air else "plan-mode"
    return [PlanDocument({"type": "markdown", "planId": plan_id, "content": plan})]


def mode(fact: f.ModeShown, parent: str | None) -> list[Update]:
    """The permission mode."""
    return [CurrentModeUpdate(fact.mode)]


def usage(fact: f.UsageShown, parent: str | None) -> list[Update]:
    """Context in use and cost so far."""
    meta: dict[str, Any] = {
        claude.MODEL_KEY: fact.model,
        claude.ORIGIN_KEY: fact.origin,
        claude.RATE_LIMIT_KEY: fact.rate_limit,
    }
    meta = {key: value for key, value in meta.items() if value is not None}
    cost: Mapping[str, Any] | Unset = UNSET
    if fact.cost is not None:
        cost = {"amount": fact.cost, "currency": "USD"}
    return [UsageUpdate(fact.used, fact.size, cost, meta or UNSET)]


# --- children ------------------------------------------------------------------------------------


def _capabilities(cancellable: bool) -> dict[str, Any]:
    return {"cancel": {}} if cancellable else {}


def child_announced(fact: f.ChildAnnounced, parent: str | None) -> list[Update]:
    """AIR: a child session begins."""
    capabilities = _capabilities(fact.cancellable)
    return [SubagentSpawned(fact.child, fact.name, fact.task, capabilities, _given(fact.prompt))]


def child_ended(fact: f.ChildEnded, parent: str | None) -> list[Update]:
    """AIR: a child session ended."""
    return [SubagentStateUpdate(fact.child, fact.state)]


def child_reported(fact: f.ChildReported, parent: str | None) -> list[Update]:
    """RFD: what changed of a child; nothing when the fact says nothing."""
    update = SubagentUpdate(
        fact.child,
        title=_given(fact.title),
        description=_given(fact.description),
        capabilities=UNSET if fact.cancellable is None else _capabilities(fact.cancellable),
        state=_given(fact.state),
        cwd=None if fact.clear_cwd else _given(fact.cwd),
    )
    return [] if update == SubagentUpdate(fact.child) else [update]


def replied(fact: f.Replied, parent: str | None) -> list[Update]:
    """RFD: a child's answer as its parent gets it; nothing for an empty one."""
    content = tuple(part.content for part in answer(fact.result) if isinstance(part, ToolContent))
    if not content:
        return []
    return [SessionMessage(fact.message_id, fact.sender, fact.recipient, content)]


def delivered(fact: f.Delivered, parent: str | None) -> list[Update]:
    """RFD: one view of a message between two sessions."""
    decoded = (decode_content(block) for block in fact.content)
    content: tuple[ContentBlock, ...] = tuple(block for block in decoded if block is not UNSET)
    return [
        SessionMessage(
            fact.message_id,
            sender_session_id=_given(fact.sender),
            recipient_session_id=_given(fact.recipient),
            content=content,
            sender_message_id=_given(fact.sender_message_id),
            recipient_message_id=_given(fact.recipient_message_id),
        )
    ]
