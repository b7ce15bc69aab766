"""Facts to show: what the session core decided to let the client see, before anybody words it.

The core says where a fact belongs and whether it goes out at all; ``render`` turns it into updates
and must not decide either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_agent.domain.session_facts import SessionFact
from canopy_agent.domain.work_facts import WorkFact

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """Assistant text. ``message_id`` is the Anthropic message id, or None."""

    text: str
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Thought:
    """Assistant thinking."""

    text: str
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Pictured:
    """An image block of the assistant: base64 ``data``, or ``uri``."""

    data: str
    mime_type: str
    uri: str | None = None
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class UserSaid:
    """A message of the user that the client did not send on this connection (replay, elsewhere)."""

    blocks: tuple[Json, ...]
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolOpened:
    """A tool call began to stream; its input is not known yet."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolInputGrew:
    """The complete top-level fields of the input that have streamed so far."""

    id: str
    input: Json


@dataclass(frozen=True, slots=True)
class ToolInputComplete:
    """The whole input: of a streamed call, or of one that is shown at once.

    ``surfaced`` is true when a permission request needs the call before the stream showed it.
    """

    id: str
    name: str
    input: Json
    surfaced: bool = False


@dataclass(frozen=True, slots=True)
class ToolReturned:
    """The ``tool_result`` block of a call.

    ``content`` is the block's content (str or list of blocks). ``structured`` is the message's
    ``tool_use_result`` when the message has only this result, else None. ``non_execution_kind`` and
    ``user_feedback`` come from ``tool_result_meta``. ``aborted``: a cancel is why it failed;
    ``lasting``: what the call began goes on under it.
    """

    id: str
    content: Any
    is_error: bool = False
    structured: Any = None
    non_execution_kind: str | None = None
    user_feedback: str | None = None
    backgrounded: bool = False
    replay: bool = False
    aborted: bool = False
    lasting: bool = False


@dataclass(frozen=True, slots=True)
class ToolShownWhole:
    """A call that was held back, with its result: it appears in its final state at once."""

    call: ToolInputComplete
    returned: ToolReturned


@dataclass(frozen=True, slots=True)
class ToolHookResponse:
    """What the PostToolUse hook reported of a call: its input and its structured response."""

    id: str
    name: str
    input: Json
    response: Any


@dataclass(frozen=True, slots=True)
class ToolBeat:
    """A progress beat of a running call. Seconds since it began."""

    id: str
    elapsed_seconds: float | None = None
    subagent_type: str | None = None
    subagent_retry: Any = None


@dataclass(frozen=True, slots=True)
class ToolDenied:
    """A shown call was refused before it ran (``system/permission_denied``)."""

    id: str
    reason_type: str | None = None
    reason: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class ToolClosed:
    """A call ends without a result of its own. ``why`` is one of
    ``never_ran``, ``cancelled``, ``turn_ended``, ``stopped``, ``process_ended``."""

    id: str
    why: str


@dataclass(frozen=True, slots=True)
class ToolPrinted:
    """A running command printed ``text``, after what was told before."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Recalled:
    """Memories that the harness brought into the turn; fields as in ``MemoryRecalled``."""

    id: str
    mode: str
    memories: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class TaskHooked:
    """A ``TaskCreated`` or ``TaskCompleted`` hook (``event``) told of the task list."""

    event: str
    task: str
    subject: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class PlanForgotten:
    """The conversation was cleared, and its plan with it."""


@dataclass(frozen=True, slots=True)
class ToolExited:
    """A background command that kept its terminal has ended."""

    id: str


ToolFact = (
    ToolOpened
    | ToolInputGrew
    | ToolInputComplete
    | ToolReturned
    | ToolShownWhole
    | ToolHookResponse
    | ToolBeat
    | ToolDenied
    | ToolClosed
    | ToolExited
    | ToolPrinted
)


@dataclass(frozen=True, slots=True)
class ChildAnnounced:
    """AIR: a child session begins (one per generation), on its parent's session."""

    child: str
    name: str
    task: str
    prompt: str | None
    cancellable: bool = False


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """AIR: ``state`` is ``completed``, ``failed``, ``cancelled`` or ``disconnected``."""

    child: str
    state: str


@dataclass(frozen=True, slots=True)
class ChildReported:
    """RFD: a ``subagent_update``; fields left None are not sent. ``clear_cwd`` sends ``cwd:
    null``.
    """

    child: str
    title: str | None = None
    description: str | None = None
    cancellable: bool | None = None
    state: Json | None = None
    cwd: str | None = None
    clear_cwd: bool = False


@dataclass(frozen=True, slots=True)
class Delivered:
    """RFD: one view of a message between two sessions."""

    message_id: str
    sender: str | None
    recipient: str | None
    content: tuple[Json, ...]
    sender_message_id: str | None = None
    recipient_message_id: str | None = None


@dataclass(frozen=True, slots=True)
class Replied:
    """RFD: a foreground child's answer, incoming on its parent only, made from the launch's
    result.
    """

    message_id: str
    sender: str
    recipient: str
    result: ToolReturned


@dataclass(frozen=True, slots=True)
class PlanShown:
    """The plan as a whole: entries of ``{content, status, priority}``."""

    entries: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class PlanApproved:
    """The plan of this ExitPlanMode call goes on in a fresh conversation."""

    id: str
    plan: str


@dataclass(frozen=True, slots=True)
class ModeShown:
    """The permission mode changed."""

    mode: str


@dataclass(frozen=True, slots=True)
class ChildOptionsShown:
    """What is known of a child's own ``mode``, ``model``, ``effort`` and ``agent`` type, as the CLI
    spells the values."""

    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UsageShown:
    """Context in use; ``cost`` in USD when known; ``origin`` and ``model`` as the CLI named
    them.
    """

    used: int
    size: int
    cost: float | None = None
    model: str | None = None
    origin: Json | None = None
    rate_limit: Json | None = None


@dataclass(frozen=True, slots=True)
class CompactionBegan:
    """The context is being compacted."""

    id: str


@dataclass(frozen=True, slots=True)
class CompactionGrew:
    """A piece of the summary."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CompactionEnded:
    """``status`` is ``completed``, ``failed`` or ``cancelled``. ``summary`` is what pieces did not
    show. ``trigger`` is ``manual``, ``auto`` or ``idle``; a duration is in milliseconds.
    """

    id: str
    status: str
    summary: str | None = None
    error: str | None = None
    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    duration_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """A notice of the harness: ``severity`` is ``info`` or ``warning``.

    ``advisory``: a client that shows no notices should still not take it for an answer.
    """

    severity: str
    title: str
    description: str | None = None
    kind: Json | None = None
    advisory: bool = False


Fact = (
    Said
    | Thought
    | Pictured
    | UserSaid
    | ToolFact
    | ChildAnnounced
    | ChildEnded
    | ChildReported
    | Delivered
    | Replied
    | PlanShown
    | PlanForgotten
    | TaskHooked
    | Recalled
    | PlanApproved
    | ModeShown
    | ChildOptionsShown
    | UsageShown
    | CompactionBegan
    | CompactionGrew
    | CompactionEnded
    | Noted
    | SessionFact
    | WorkFact
)
