"""What a transcript consists of: one class per kind of entry, holding source text and facts only.

Only ``reduce`` changes entries, and each change raises ``revision``, so that a view can keep what
it drew. Nothing here knows how an entry looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock, Location, ToolCallContent
    from canopy_shared.updates import PlanEntry as PlanStep


class Role(Enum):
    """Who speaks in a message entry."""

    USER = "user"
    AGENT = "agent"
    THOUGHT = "thought"
    PARENT = "parent"
    """The prompt that a child got from its parent."""
    CHILD = "child"
    """What a child session told this one; ``MessageEntry.peer`` names the child."""


@dataclass(slots=True, kw_only=True)
class Entry:
    """Common to all kinds. ``key`` is unique in its session and never reused; ``at`` is epoch
    seconds.

    ``after_turn`` names the origin of an entry that came while the root had no turn of its own:
    ``"background"``, ``"task-notification"``, … or None. Keys of a session rise in the order of
    its ``entries``, and entries are only ever appended.
    """

    key: int = 0
    at: float
    revision: int = 0
    after_turn: str | None = None


@dataclass(slots=True, kw_only=True)
class MessageEntry(Entry):
    """A message or thought as Markdown source; ``extras`` are its blocks that are not text and
    come after the text.

    ``settled`` is true once no more text can come. ``peer`` is the session on the other side of a
    message between sessions.
    """

    role: Role
    message_id: str | None = None
    chunks: list[str] = field(default_factory=list)
    extras: list[ContentBlock] = field(default_factory=list)
    settled: bool = False
    peer: str | None = None
    into_turn: bool = False
    """The person said it into a turn that ran."""

    @property
    def text(self) -> str:
        """The whole source text."""
        if len(self.chunks) > 1:
            self.chunks[:] = ["".join(self.chunks)]
        return self.chunks[0] if self.chunks else ""


@dataclass(slots=True, kw_only=True)
class ToolEntry(Entry):
    """A tool call with everything known of it, fields merged as updates came.

    ``status`` is ``pending``, ``in_progress``, ``completed`` or ``failed``. ``output`` is terminal
    text;
    ``exit_code`` is None until the terminal ended (or when it ended without a code).
    """

    tool_call_id: str
    title: str = ""
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    content: tuple[ToolCallContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: Any = None
    raw_output: Any = None
    output: str = ""
    has_terminal: bool = False
    exited: bool = False
    exit_code: int | None = None
    backgrounded: bool = False
    in_background: bool = False
    """A background task that the call began goes on."""
    ended_at: float | None = None
    stopped: bool = False
    """Who made the call was stopped, or is gone: what came of it is not known."""
    waits: bool = False
    """A permission request for this call is open."""
    waited: float = 0.0
    """Seconds for which the call waited for the person."""
    rejected: bool = False
    """The person rejected it."""
    child: str | None = None
    """The child session that this call launched, when an agent tells of it only by this call."""

    @property
    def ended(self) -> bool:
        """Whether the call has its result."""
        return self.status in ("completed", "failed")


@dataclass(slots=True, kw_only=True)
class ChildEntry(Entry):
    """The card of a child session in its parent's transcript.

    A child that works again gets a second card where that happened; ``run`` counts from 1, and the
    card whose ``run`` is the child's own is the one in use.
    """

    child: str
    run: int = 1


@dataclass(slots=True, kw_only=True)
class RuleEntry(Entry):
    """A line across. ``kind`` is one of

    - ``turn_end``: ``text`` holds the stop reason, ``error`` or ``disconnected``;
    - ``after_turn``: what follows came outside a turn; ``text`` holds the origin, ``at`` is when
      the turn of the root ended;
    - ``resumed``: the child works again; ``text`` is its new task.

    ``running`` is how many agents below the root worked at that moment, ``held`` how many of them
    waited for the person.
    """

    kind: str
    text: str = ""
    detail: str = ""
    """What led to work outside a turn, in the words of the agent."""
    running: int = 0
    held: int = 0


@dataclass(slots=True, kw_only=True)
class PlanEntry(Entry):
    """The plan; one entry that is replaced in place: ``steps``, or a Markdown ``document``."""

    steps: tuple[PlanStep, ...] = ()
    document: str = ""


@dataclass(slots=True, kw_only=True)
class NoticeEntry(Entry):
    """A notice of the agent or of the client itself. ``severity``: ``info``, ``warning``,
    ``error``.
    """

    severity: str
    title: str
    detail: str = ""
    action: str | None = None
    """An action of the app that helps, such as ``restart_agent``."""
    hint: str = ""
    """What to do next, as a sentence."""
    failure: str = ""
    """The id of the failure record that is shown."""
    failure_revision: int = 0
    recovered: bool = False
    """What the warning was about went well in the end."""


@dataclass(slots=True, kw_only=True)
class CompactionEntry(Entry):
    """The context was made smaller. ``before`` and ``after`` are tokens, None when not known.

    ``status`` is ``in_progress``, ``completed``, ``failed`` or ``cancelled``.
    """

    status: str = "in_progress"
    trigger: str = ""
    before: int | None = None
    after: int | None = None
    seconds: float | None = None
    summary: str = ""
    error: str = ""
    ended_at: float | None = None


@dataclass(slots=True, kw_only=True)
class ChangesEntry(Entry):
    """The files that a turn changed, as the agent reports them: absolute ``paths``.

    ``truncated``: there are more. ``since`` is when the turn began.
    """

    paths: tuple[str, ...]
    truncated: bool = False
    since: float = 0.0


AnyEntry = (
    MessageEntry
    | ToolEntry
    | ChildEntry
    | RuleEntry
    | PlanEntry
    | NoticeEntry
    | CompactionEntry
    | ChangesEntry
)
