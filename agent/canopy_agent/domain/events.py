"""The closed set of things that can happen to a session, from the CLI, the client and the clock.

Each carries what the core needs and nothing of how it travelled; times and new ids come in as
fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]
_NONE: Json = {}


# --- from the CLI: the stream ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CliInit:
    """``system/init``, which the CLI sends at the start of every turn."""

    capabilities: frozenset[str] = frozenset()
    terminal_commands: tuple[str, ...] = ()
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

    ``error`` is the SDK's category when the message stands for an API error.
    """

    parent: str | None
    message_id: str | None
    uuid: str | None
    model: str | None
    usage: Json = field(default_factory=lambda: _NONE)
    error: str | None = None
    text: str = ""


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
class UserRecordPassed:
    """A user message of the stream that is neither an echo nor a bare result.

    ``resumed_agent`` is set when a SendMessage result says that it woke an agent; ``tool_ids`` are
    the results in the same message.
    """

    parent: str | None
    tool_ids: tuple[str, ...] = ()
    resumed_agent: str | None = None
    local_output: str | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """``system/task_started``: a subagent, a background command, a workflow, a monitor began."""

    task: str
    run: str | None = None
    tool_use_id: str | None = None
    subagent_type: str | None = None
    task_type: str | None = None
    description: str | None = None
    prompt: str | None = None
    backgrounded: bool | None = None
    parent_task: str | None = None
    workflow_name: str | None = None
    skip_transcript: bool = False
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgressed:
    """``system/task_progress``."""

    task: str
    run: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    summary: str | None = None
    last_tool: str | None = None
    usage: Json | None = None


@dataclass(frozen=True, slots=True)
class TaskPatched:
    """``system/task_updated``: what changed of a task."""

    task: str
    run: str | None = None
    status: str | None = None
    backgrounded: bool | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TaskNotified:
    """``system/task_notification``: a run ended with ``completed``, ``failed`` or ``stopped``."""

    task: str
    status: str
    run: str | None = None
    tool_use_id: str | None = None
    reason: str | None = None
    summary: str | None = None
    output_file: str | None = None


@dataclass(frozen=True, slots=True)
class BackgroundLevel:
    """``system/background_tasks_changed``: ids of all background tasks now, with their raw rows."""

    tasks: tuple[str, ...]
    rows: tuple[Json, ...] = ()


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
class Compacted:
    """``compact_boundary``: the context was compacted; ``post_tokens`` when the CLI says how
    far.
    """

    post_tokens: int | None = None


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
    end.
    """

    status: str | None = None


# --- from the CLI: questions to its host -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """``can_use_tool``. ``request`` is the raw control request."""

    key: str
    tool_use_id: str
    tool: str
    input: Json
    agent: str | None
    request: Json


@dataclass(frozen=True, slots=True)
class HookFired:
    """``hook_callback``. ``input`` is the raw hook input; ``cwd`` its directory with links
    resolved.
    """

    key: str
    event: str
    input: Json
    tool_use_id: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class ElicitationAsked:
    """``elicitation`` of an MCP server. ``request`` is the raw control request."""

    key: str
    request: Json


@dataclass(frozen=True, slots=True)
class DialogAsked:
    """``request_user_dialog``. ``request`` is the raw control request."""

    key: str
    request: Json


@dataclass(frozen=True, slots=True)
class ControlWithdrawn:
    """``control_cancel_request``: the CLI wants no answer to ``key`` any more."""

    key: str


# --- from the client ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptSubmitted:
    """``session/prompt``, checked and converted. ``received`` counts the client's messages."""

    prompt: str
    blocks: tuple[Json, ...]
    received: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """``session/cancel`` of the root."""

    received: int


@dataclass(frozen=True, slots=True)
class ChildCancelRequested:
    """``session/cancel`` of a child session."""

    child: str


@dataclass(frozen=True, slots=True)
class RequestOpened:
    """A request went out to the client for the CLI's question ``key``."""

    key: str


@dataclass(frozen=True, slots=True)
class RequestClosed:
    """The client's request for ``key`` is over; ``withdrawn`` when the CLI took its question
    back.
    """

    key: str
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class PlanRefused:
    """The person wants to keep planning: the refusal of this ExitPlanMode call stops the cycle."""

    tool_use_id: str


@dataclass(frozen=True, slots=True)
class PlanAccepted:
    """The person approved the plan of an ExitPlanMode for a fresh conversation in ``mode``."""

    tool_use_id: str
    plan: str
    mode: str


@dataclass(frozen=True, slots=True)
class ConversationRestarted:
    """A CLI with an empty conversation is there for the ``plan`` of ``tool_use_id``.

    ``blocks`` carry it to the CLI, under the id of ``prompt``.
    """

    prompt: str
    blocks: tuple[Json, ...]
    plan: str
    tool_use_id: str


@dataclass(frozen=True, slots=True)
class RestartFailed:
    """No CLI with an empty conversation could be started for the plan of ``prompt``."""

    prompt: str
    message: str


@dataclass(frozen=True, slots=True)
class InterruptReceipt:
    """The CLI's answer to our interrupt: prompts that it still holds."""

    still_queued: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimerFired:
    """A timer of ours ran out; see :class:`~canopy_agent.domain.effects.StartTimer`."""

    name: str


@dataclass(frozen=True, slots=True)
class SessionClosing:
    """The session is about to be closed: end everything."""


CliEvent = (
    CliInit
    | StateChanged
    | ModelRequested
    | PromptMoved
    | PromptEchoed
    | MessageBegan
    | MessageUsage
    | TextCame
    | ImageCame
    | ToolBegan
    | ToolInputGrew
    | ToolUsed
    | MessageSaid
    | ToolResulted
    | UserRecordPassed
    | TaskStarted
    | TaskProgressed
    | TaskPatched
    | TaskNotified
    | BackgroundLevel
    | ToolBeat
    | ToolRefused
    | ResultCame
    | RateLimited
    | Compacted
    | ConversationReset
    | LocalOutput
    | Informed
    | SuggestionMade
    | StreamEnded
    | PermissionAsked
    | HookFired
    | ElicitationAsked
    | DialogAsked
    | ControlWithdrawn
)
ClientEvent = (
    PromptSubmitted
    | CancelRequested
    | ChildCancelRequested
    | RequestOpened
    | RequestClosed
    | PlanRefused
    | PlanAccepted
    | ConversationRestarted
    | RestartFailed
    | InterruptReceipt
    | TimerFired
    | SessionClosing
)
Event = CliEvent | ClientEvent
