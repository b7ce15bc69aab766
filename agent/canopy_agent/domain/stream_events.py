"""What the CLI's stream says of the conversation: messages, tool calls, results, its own state.

Each event carries what the rules need and nothing of how it travelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]
_NONE: Json = {}


@dataclass(frozen=True, slots=True)
class CliInit:
    """``system/init``, which the CLI sends at the start of every turn."""

    capabilities: frozenset[str] = frozenset()
    model: str | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True)
class StateChanged:
    """``system/session_state_changed``: ``idle``, ``running`` or ``requires_action``."""

    state: str


@dataclass(frozen=True, slots=True)
class ModelRequested:
    """A model request began. ``prompts`` are the user messages it answers; None if the CLI cannot
    say.
    """

    prompts: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PromptMoved:
    """``command_lifecycle``: ``queued``, ``started``, ``completed``, ``cancelled``, ``discarded``,
    ``refused``."""

    prompt: str
    state: str
    wakeup_source: str | None = None


@dataclass(frozen=True, slots=True)
class PromptEchoed:
    """The CLI took a user message in and replayed it. ``prompt`` is its uuid."""

    prompt: str
    blocks: tuple[Json, ...] = ()
    origin: str | None = None
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class MessageBegan:
    """``message_start`` of a stream; ``parent`` is None on the main conversation."""

    parent: str | None
    message_id: str | None
    model: str | None
    usage: Json = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True)
class MessageUsage:
    """Token counts of the message that streams."""

    parent: str | None
    usage: Json


@dataclass(frozen=True, slots=True)
class TextCame:
    """Text or thinking. ``streamed`` is false for what only the complete message brought."""

    parent: str | None
    text: str
    message_id: str | None
    thinking: bool = False
    streamed: bool = True
    failure: bool = False
    """The text stands for an error."""


@dataclass(frozen=True, slots=True)
class ImageCame:
    """An image block of the assistant."""

    parent: str | None
    message_id: str | None
    data: str
    mime_type: str
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class ToolBegan:
    """A ``tool_use`` block began to stream."""

    parent: str | None
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolInputGrew:
    """The complete top-level fields that the input has so far."""

    parent: str | None
    id: str
    input: Json


@dataclass(frozen=True, slots=True)
class ToolUsed:
    """A ``tool_use`` block of a complete assistant message: the call is dispatched with this
    input.
    """

    parent: str | None
    id: str
    name: str
    input: Json


@dataclass(frozen=True, slots=True)
class MessageSaid:
    """A complete assistant message passed; its blocks came as events of their own before this one.

    ``error`` is the SDK's category when the message stands for an API error; ``usage_limit`` when
    it says that a limit of the account is reached.
    """

    parent: str | None
    message_id: str | None
    uuid: str | None
    model: str | None
    usage: Json = field(default_factory=lambda: _NONE)
    error: str | None = None
    text: str = ""
    usage_limit: bool = False


@dataclass(frozen=True, slots=True)
class ToolResulted:
    """A ``tool_result`` block. ``structured`` is set when its message holds no other result."""

    parent: str | None
    id: str
    content: Any
    is_error: bool = False
    structured: Any = None
    non_execution_kind: str | None = None
    user_feedback: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryRecalled:
    """``system/memory_recall``: ``mode`` is ``select`` or ``synthesize``; ``memories`` are its rows
    of ``path``, ``scope`` and, for some, ``content``.
    """

    id: str
    mode: str
    memories: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolBeat:
    """``tool_progress``: a heartbeat; elapsed time in seconds."""

    id: str
    parent: str | None
    elapsed_seconds: float | None = None
    subagent_type: str | None = None
    retry: Any = None


@dataclass(frozen=True, slots=True)
class ToolRefused:
    """``system/permission_denied``: a rule refused a call before it ran."""

    id: str
    agent: str | None = None
    reason_type: str | None = None
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ResultCame:
    """``result``: a cycle ended. ``prompts`` are the user messages it answers; costs in USD."""

    subtype: str
    is_error: bool = False
    text: str = ""
    errors: tuple[str, ...] = ()
    stop_reason: str | None = None
    terminal_reason: str | None = None
    num_turns: int = 0
    origin: Json | None = None
    prompts: tuple[str, ...] = ()
    usage: Json = field(default_factory=lambda: _NONE)
    model_usage: Json = field(default_factory=lambda: _NONE)
    cost: float | None = None
    stop_details: Json | None = None
    startup_failure_reason: str | None = None
    model_usage_news: Json | None = None
    """What came to ``model_usage`` since the result before this one, when the CLI says so."""

    @property
    def origin_kind(self) -> str | None:
        """``human``, ``task-notification``, …; None when the CLI did not say."""
        kind = self.origin.get("kind") if self.origin else None
        return kind if isinstance(kind, str) else None


@dataclass(frozen=True, slots=True)
class RateLimited:
    """``rate_limit_event``."""

    facts: Json


@dataclass(frozen=True, slots=True)
class CompactionBegan:
    """``status: compacting``: the context is being compacted. Repeated while it lasts."""

    id: str


@dataclass(frozen=True, slots=True)
class CompactionGrew:
    """A piece of the summary that streams."""

    text: str


@dataclass(frozen=True, slots=True)
class CompactionEnded:
    """``compact_result``: how the compaction went. ``id`` is that of the message."""

    id: str
    succeeded: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """``compact_boundary``: the context was compacted; figures as far as the CLI knows them.

    ``trigger`` is ``manual`` or ``auto``.
    """

    post_tokens: int | None = None
    pre_tokens: int | None = None
    trigger: str | None = None
    duration_ms: int | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationReset:
    """``conversation_reset``: ``/clear`` began a new conversation in the same process."""


@dataclass(frozen=True, slots=True)
class LocalOutput:
    """Output of a local command, such as ``/context``."""

    text: str
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class Informed:
    """``informational``: words of the harness; ``level`` is ``info``, ``warning``, ``suggestion``,
    …
    """

    text: str
    level: str = "info"
    tool_use_id: str | None = None


@dataclass(frozen=True, slots=True)
class SuggestionMade:
    """``prompt_suggestion``: what the person may want to say next."""

    text: str


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The CLI's output ended. ``status`` words how the process ended, None when it was asked to
    end; ``hint`` is a sentence on what to do, if there is one.
    """

    status: str | None = None
    hint: str = ""
