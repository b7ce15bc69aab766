"""The client's whole state: sessions with their transcripts, open requests, the connection.

Plain data that only ``reduce`` changes; it knows neither widgets nor the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from canopy_tui.model.catalogue import Catalogue, is_indexed
from canopy_tui.model.controls import Controls
from canopy_tui.model.names import Namesakes

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_shared.ext.goal import Goal
    from canopy_shared.updates import Command, ConfigOption
    from canopy_tui.model.background import BackgroundTask
    from canopy_tui.model.entries import AnyEntry
    from canopy_tui.model.login import LoginMethod, LoginNeed


class Phase(Enum):
    """What a session is doing. The value is the protocol's word, ``word`` what a person reads."""

    IDLE = "idle"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DISCONNECTED = "disconnected"

    @property
    def word(self) -> str:
        """A person stops things; only a protocol cancels them."""
        return "stopped" if self is Phase.CANCELLED else self.value

    @property
    def ended(self) -> bool:
        """Whether a child in this phase has finished its run."""
        return self not in (Phase.IDLE, Phase.RUNNING)


class RequestState(Enum):
    """The life of a request that waits for the person."""

    WAITING = "waiting"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class Replay(Enum):
    """Whether what arrives is history."""

    NO = "no"
    FILL = "fill"
    """History of a session that is not shown yet: it is added, all of it seen."""
    SKIP = "skip"
    """History that is already shown, after a restart of the agent: only facts are taken."""


@dataclass(slots=True, kw_only=True)
class PendingRequest:
    """A permission request or elicitation; ``payload`` is its parsed, typed form.

    ``key`` is unique for the life of the client. ``session`` is the session that asks. ``summary``
    is one line.
    """

    key: int
    session: str
    kind: str
    """``permission`` or ``elicitation``."""
    payload: Any
    summary: str
    at: float
    tool_call_id: str | None = None
    state: RequestState = RequestState.WAITING


@dataclass(frozen=True, slots=True)
class QueuedPrompt:
    """A message that waits for its turn. ``blocks`` are what goes with the text (images, links).

    ``source`` is the message as it was written, where that is shorter than ``text``: a long paste
    is one mark in it. Empty when it is the text itself.
    """

    id: int
    text: str
    blocks: tuple[ContentBlock, ...] = ()
    source: str = ""

    @property
    def written(self) -> str:
        """The message as the person wrote it, to be shown and edited."""
        return self.source or self.text


MODE, MODEL = "mode", "model"
"""Where a change of the mode or model is kept among those of options, for agents that have no such
option.
"""


@dataclass(frozen=True, slots=True)
class OptionChange:
    """A change that the person wants. ``refused`` says why it was not made, "" while it is
    asked for.
    """

    value: str | bool
    refused: str = ""


@dataclass(slots=True)
class Loading:
    """Stored history is on its way: asked for at ``since`` (epoch seconds), and how many updates of
    it came so far, those of children too.
    """

    since: float
    updates: int = 0


@dataclass(slots=True)
class Burst:
    """Output of a root outside a turn, from its rule on; ``rule`` is an index in ``entries``."""

    rule: int


@dataclass(slots=True, kw_only=True)
class SessionView:
    """One session as the client knows it: a root, or a child at any depth.

    ``unseen`` counts entries that changed since the pane was last seen at its end. ``activity`` is
    a few words on
    what it does now. ``after_turn`` is the origin of unseen work that came outside a turn. Times
    are epoch seconds.
    """

    id: str
    parent: str | None = None
    title: str = ""
    task: str = ""
    role: str = ""
    cwd: str = ""
    phase: Phase = Phase.IDLE
    phase_reason: str = ""
    requires_action: bool = False
    """The agent says that the session waits for an answer (RFD form)."""
    cancellable: bool = False
    children: list[str] = field(default_factory=list)
    entries: list[AnyEntry] = field(default_factory=list)
    tools: dict[str, int] = field(default_factory=dict)
    """Tool call id → index in ``entries``."""
    open_tools: dict[str, int] = field(default_factory=dict)
    """Those without a result, in the order in which they came."""
    child_cards: dict[str, int] = field(default_factory=dict)
    """Child → index in ``entries`` of its newest card."""
    next_key: int = 1
    turns_open: int = 0
    turns_done: int = 0
    turn_started_at: float = 0.0
    turn_ended_at: float = 0.0
    woke_at: float = 0.0
    """Of a root that works outside a turn: since when; 0 while it does not."""
    queue: list[QueuedPrompt] = field(default_factory=list)
    queue_held: bool = False
    """The queue waits for the person, because the turn before failed or was stopped."""
    steering: list[QueuedPrompt] = field(default_factory=list)
    """Messages on their way into the turn that runs; the agent has not said yet that it took them.
    """
    unseen: int = 0
    unseen_keys: set[int] = field(default_factory=set)
    after_turn: str | None = None
    activity: str = ""
    started_at: float = 0.0
    ended_at: float | None = None
    last_update_at: float = 0.0
    mode: str = ""
    modes: tuple[tuple[str, str], ...] = ()
    mode_words: Mapping[str, str] = field(default_factory=dict)
    """Mode → what the agent says of it."""
    models: tuple[tuple[str, str, str], ...] = ()
    """Id, name and description of each, of an agent that tells models outside its options."""
    model_id: str = ""
    options: tuple[ConfigOption, ...] = ()
    commands: tuple[Command, ...] = ()
    usage_used: int = 0
    usage_size: int = 0
    spent: int = 0
    """Tokens that a child read anew and wrote."""
    cost: float | None = None
    currency: str = "USD"
    model: str = ""
    """The one that answered last, or the one that was picked since."""
    suggestions: tuple[str, ...] = ()
    goal: Goal | None = None
    """What Claude Code works towards on its own."""
    option_changes: dict[str, OptionChange] = field(default_factory=dict)
    """Option → a change of it that the agent has not agreed to, or has refused."""
    controls: Controls = field(default_factory=Controls)
    """Of a root: what it used, its limits, its MCP servers."""
    successor: str | None = None
    """The root that took the place of this one, which cannot go on."""

    # What reduce keeps for itself.
    wire_id: str = ""
    """The id to use towards the agent; for a resumed child that of its newest generation."""
    run: int = 1
    answered_by: str = ""
    """The model that the agent named last with what was used."""
    picked_in: int | None = None
    """After how many prompts another model was picked."""
    native: bool = False
    """The root's agent announces its children, so nothing has to be guessed from tool calls."""
    flat_owners: dict[str, str] = field(default_factory=dict)
    """Root of an agent that flattens: tool call id → child whose call it is."""
    flat_launches: dict[str, str] = field(default_factory=dict)
    """Root of an agent that flattens: tool call id → child that the call launched."""
    detached: bool = False
    unattached: bool = False
    """Nobody has announced it; it lies below the root that was there when its updates came."""
    failures: dict[str, int] = field(default_factory=dict)
    """Id of a failure record → index in ``entries`` of its notice."""
    troubled: str | None = None
    """Id of the record of what is tried again now."""
    compactions: dict[str, int] = field(default_factory=dict)
    """Compaction id → index in ``entries``."""
    open_message: int | None = None
    plan_entry: int | None = None
    burst: Burst | None = None
    cycle: str | None = None
    """Key of the task that stands for what this root does on its own now."""
    tells_cycles: bool = False
    """The agent announces such work, so nothing has to be guessed from output outside a turn."""
    reports_results: bool = False
    """The agent says when output outside a turn is over."""
    ruled_turn: int = 0
    replay: Replay = Replay.NO
    loading: Loading | None = None
    """Root: its history is being loaded."""
    unknown_kinds: set[str] = field(default_factory=set)

    @property
    def prompts(self) -> int:
        """How many prompts were sent."""
        return self.turns_open + self.turns_done

    @property
    def in_turn(self) -> bool:
        """Whether a prompt of this session is unanswered."""
        return self.turns_open > 0


@dataclass(slots=True, kw_only=True)
class AgentLink:
    """The connection to the agent. ``status``: ``starting``, ``ready``, ``lost``, ``failed``.

    ``detail`` says why it was lost: exit status or signal only when known, and the last lines of
    stderr.
    """

    status: str = "starting"
    name: str = ""
    detail: str = ""
    stderr: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    """``_meta`` of the answer to ``initialize``."""
    logins: tuple[LoginMethod, ...] = ()
    remembers: bool = False
    """The client keeps the list of sessions, since the agent keeps none."""

    @property
    def has_session_index(self) -> bool:
        """Whether stored sessions can be renamed and archived."""
        return is_indexed(self.meta)

    @property
    def tells_controls(self) -> bool:
        """Whether it answers what only this client asks: its use, its MCP servers."""
        if not self.meta:
            return False
        from canopy_shared.ext.canopy_controls import are_offered

        return are_offered(self.meta)

    @property
    def takes_reasons(self) -> bool:
        """Whether it hears why a permission was rejected."""
        from canopy_shared.ext.canopy_reasons import are_taken

        return are_taken(self.meta)

    @property
    def can_steer(self) -> bool:
        """Whether the agent takes messages into a running turn; see ``steering``."""
        offered = self.meta.get("steering")
        return isinstance(offered, Mapping) and offered.get("supported") is True

    def offers(self, what: str) -> bool:
        """Whether the agent declares ``sessionCapabilities.<what>`` (list, delete, fork …)."""
        sessions = self.capabilities.get("sessionCapabilities")
        return isinstance(sessions, Mapping) and isinstance(sessions.get(what), Mapping)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that the person asked for and that did not work, told in front of everything.

    ``advice`` says what to do now. ``offers`` names a way on: ``sessions`` is the list of stored
    ones.
    """

    title: str
    detail: str = ""
    advice: str = ""
    offers: str = ""


@dataclass(slots=True, kw_only=True)
class ClientState:
    """Everything. ``roots`` and ``children`` keep first-seen order, and rows never move."""

    sessions: dict[str, SessionView] = field(default_factory=dict)
    roots: list[str] = field(default_factory=list)
    requests: list[PendingRequest] = field(default_factory=list)
    link: AgentLink = field(default_factory=AgentLink)
    login: LoginNeed | None = None
    """Set while the agent wants a login before it goes on."""
    catalogue: Catalogue = field(default_factory=Catalogue)
    problem: Problem | None = None
    """The newest; a new object each time."""
    watched: frozenset[str] = frozenset()
    """Sessions whose pane is in view at its end: nothing in them becomes unseen."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Id on the wire of every run of an announced child → key in ``sessions``."""
    unplaced: dict[str, list[tuple[float, Any]]] = field(default_factory=dict)
    """Updates for sessions nobody has announced yet, bounded; they are applied at the
    announcement.
    """
    tasks: dict[str, BackgroundTask] = field(default_factory=dict)
    """Background tasks by their key, in the order in which they began; see ``tasks``."""
    namesakes: Namesakes = field(default_factory=Namesakes, compare=False, repr=False)

    def waiting(self) -> list[PendingRequest]:
        """Requests that still wait for the person, oldest first."""
        return [request for request in self.requests if request.state is RequestState.WAITING]

    def find(self, wire_id: str) -> SessionView | None:
        """The session that the agent calls ``wire_id``."""
        return self.sessions.get(self.aliases.get(wire_id, wire_id))

    def root_of(self, view: SessionView) -> SessionView:
        """The root above ``view``, or ``view`` itself."""
        while view.parent is not None:
            view = self.sessions[view.parent]
        return view


@dataclass(slots=True)
class Touched:
    """What one ``reduce`` changed, so that views repaint only that."""

    sessions: set[str] = field(default_factory=set)
    """Sessions whose row, header or counters changed."""
    entries: set[tuple[str, int]] = field(default_factory=set)
    """``(session, entry key)`` of changed or new entries."""
    tree: bool = False
    """Sessions were added or removed."""
    requests: bool = False
    link: bool = False
    """The connection, the login, or a problem."""
    tasks: bool = False
    """Background tasks came, went or changed."""
    catalogue: bool = False

    def __bool__(self) -> bool:
        flags = (self.tree, self.requests, self.link, self.tasks, self.catalogue)
        return bool(self.sessions or self.entries) or any(flags)

    def merge(self, other: Touched) -> None:
        """Add what ``other`` touched."""
        self.sessions |= other.sessions
        self.entries |= other.entries
        self.tree |= other.tree
        self.requests |= other.requests
        self.link |= other.link
        self.tasks |= other.tasks
        self.catalogue |= other.catalogue
