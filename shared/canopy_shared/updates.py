"""Every kind of ``session/update``, as frozen classes: one vocabulary for the agent and the client.

Shapes follow the ACP schema v1.19 (https://agentclientprotocol.com/protocol/schema) and its open
RFDs; the classes carry facts only and know neither the protocol version nor who draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from canopy_shared.unset import UNSET, Unset
from canopy_shared.work_updates import (
    KIND,
    AgentMessage,
    AgentThought,
    StateUpdate,
    TerminalOutputChunk,
    TerminalUpdate,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_shared.content import ContentBlock, Location, Meta, ToolCallContent


@dataclass(frozen=True, slots=True)
class UserMessageChunk:
    """A piece of a message of the user (replay, or typed elsewhere)."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "user_message_chunk")
    content: ContentBlock
    message_id: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AgentMessageChunk:
    """A piece of the agent's answer."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "agent_message_chunk")
    content: ContentBlock
    message_id: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AgentThoughtChunk:
    """A piece of the agent's thinking."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "agent_thought_chunk")
    content: ContentBlock
    message_id: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A new tool call, shown whole."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "tool_call")
    tool_call_id: str
    title: str
    name: str | Unset = UNSET
    kind: str | Unset = UNSET
    status: str | Unset = UNSET
    content: tuple[ToolCallContent, ...] | Unset | None = UNSET
    locations: tuple[Location, ...] | Unset | None = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ToolCallUpdate:
    """What changed of a tool call; an absent field stays as it was."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "tool_call_update")
    tool_call_id: str
    title: str | Unset | None = UNSET
    name: str | Unset | None = UNSET
    kind: str | Unset | None = UNSET
    status: str | Unset | None = UNSET
    content: tuple[ToolCallContent, ...] | Unset | None = UNSET
    locations: tuple[Location, ...] | Unset | None = UNSET
    raw_input: Any = UNSET
    raw_output: Any = UNSET
    capabilities: Mapping[str, Any] | Unset | None = UNSET
    """What a client may do with it (v2): ``{"cancel": {}}`` when it can be stopped."""
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One step of a plan. ``status`` is ``pending``, ``in_progress`` or ``completed``."""

    content: str
    status: str
    priority: str = "medium"
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole plan; it replaces the plan before."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "plan")
    entries: tuple[PlanEntry, ...]
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class PlanDocument:
    """A plan as a document: ``plan`` is ``{type, planId, content | entries}``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "plan_update")
    plan: Mapping[str, Any]
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command; ``input`` is ``{"hint": str}`` or null."""

    name: str
    description: str
    input: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AvailableCommandsUpdate:
    """All slash commands; the list replaces the one before."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "available_commands_update")
    available_commands: tuple[Command, ...]
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class CurrentModeUpdate:
    """The session's mode changed."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "current_mode_update")
    current_mode_id: str
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ConfigChoice:
    """One value of a select option."""

    value: str
    name: str
    description: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """A session option: ``type`` is ``select`` (with ``options``) or ``boolean``."""

    id: str
    name: str
    type: str
    current_value: str | bool
    category: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    options: tuple[ConfigChoice, ...] | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ConfigOptionUpdate:
    """All config options; the list replaces the one before."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "config_option_update")
    config_options: tuple[ConfigOption, ...]
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class SessionInfoUpdate:
    """Title and other facts of the session; ``updated_at`` is ISO 8601 UTC."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "session_info_update")
    title: str | Unset | None = UNSET
    updated_at: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class UsageUpdate:
    """Context in use, in tokens, and ``cost`` as ``{amount, currency}`` so far."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "usage_update")
    used: int
    size: int
    cost: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice of the harness; ``severity`` is ``info`` or ``warning``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "notice")
    severity: str
    title: str
    description: str | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class CompactionUpdate:
    """State of one compaction: ``in_progress``, ``completed``, ``failed`` or ``cancelled``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "compaction_update")
    compaction_id: str
    status: str
    summary: tuple[ContentBlock, ...] | Unset = UNSET
    error: Any = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class CompactionSummaryChunk:
    """A piece of a compaction's summary."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "compaction_summary_chunk")
    compaction_id: str
    content: ContentBlock
    meta: Meta | Unset = UNSET


# --- child sessions, AIR form ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubagentSpawned:
    """A child session begins below the session this is sent on."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "subagent_spawned")
    subagent_session_id: str
    name: str
    task: str
    capabilities: Mapping[str, Any]
    prompt: str | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class SubagentStateUpdate:
    """A child session ended: ``completed``, ``failed``, ``cancelled`` or ``disconnected``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "subagent_state_update")
    subagent_session_id: str
    state: str
    meta: Meta | Unset = UNSET


# --- child sessions, RFD form --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SubagentUpdate:
    """A child session appears or changes; absent fields stay as they were.

    ``state`` is ``{"state": "running" | "requires_action" | "idle" | "unknown", "stopReason"?,
    "error"?}``.
    """

    TAG: ClassVar[tuple[str, str]] = (KIND, "subagent_update")
    session_id: str
    title: str | Unset = UNSET
    description: str | Unset = UNSET
    capabilities: Mapping[str, Any] | Unset = UNSET
    state: Mapping[str, Any] | Unset = UNSET
    cwd: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message between two sessions, seen from the one this is sent on."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "session_message")
    message_id: str
    sender_session_id: str | Unset = UNSET
    recipient_session_id: str | Unset = UNSET
    content: tuple[ContentBlock, ...] | Unset = UNSET
    sender_message_id: str | Unset = UNSET
    recipient_message_id: str | Unset = UNSET
    meta: Meta | Unset = UNSET


# --- background tasks, AIR form -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AsyncTaskSpawned:
    """A background task that is not a subagent (shell, workflow, monitor) was announced."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "async_task_spawned")
    async_task_id: str
    name: str
    task_type: str
    description: str | Unset = UNSET
    show_in_transcript: bool | Unset = UNSET
    can_stop: bool | Unset = UNSET
    output_file_path: str | Unset = UNSET
    tool_call_id: str | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AsyncTaskProgress:
    """A background task reported progress; ``usage`` is ``{totalTokens, toolUses, durationMs}``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "async_task_progress")
    async_task_id: str
    summary: str | Unset = UNSET
    usage: Mapping[str, Any] | Unset = UNSET
    output_file_path: str | Unset = UNSET
    tool_call_id: str | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AsyncTaskStateUpdate:
    """A background task is ``running``, ``paused``, ``completed``, ``failed`` or ``stopped``."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "async_task_state_update")
    async_task_id: str
    state: str
    summary: str | Unset = UNSET
    output_file_path: str | Unset = UNSET
    tool_call_id: str | Unset = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class UnknownUpdate:
    """An update of a kind this version does not know, kept as it came."""

    kind: str
    raw: Mapping[str, Any]


Update = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCallStart
    | ToolCallUpdate
    | Plan
    | PlanDocument
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentSpawned
    | SubagentStateUpdate
    | SubagentUpdate
    | SessionMessage
    | AsyncTaskSpawned
    | AsyncTaskProgress
    | AsyncTaskStateUpdate
    | StateUpdate
    | UserMessage
    | AgentMessage
    | AgentThought
    | TerminalUpdate
    | TerminalOutputChunk
    | UnknownUpdate
)


@dataclass(frozen=True, slots=True)
class SessionUpdate:
    """Parameters of the ``session/update`` notification."""

    session_id: str
    update: Update
    meta: Meta | Unset = UNSET
