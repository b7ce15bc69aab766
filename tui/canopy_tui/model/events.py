"""Everything that can happen to the client's state, as frozen facts with their time.

Whoever builds an event reads the clock; ``reduce`` does not. Session ids are those of the wire, or
those of the state: both are understood. Times are epoch seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_shared.content import ContentBlock
from canopy_shared.ext.canopy_controls import AgentUse, McpServer, UsageReport
from canopy_shared.ext.failure import SessionFailure
from canopy_shared.updates import ConfigOption, ToolCallUpdate, Update
from canopy_tui.model.catalogue import ListedSession, Query
from canopy_tui.model.controls import TurnUse
from canopy_tui.model.login import LoginMethod, LoginNeed
from canopy_tui.model.state import PendingRequest, Problem, QueuedPrompt


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOpened:
    """A root session is ready: new, or loaded. Ends a replay that :class:`ReplayStarted` began."""

    session: str
    at: float
    cwd: str = ""
    title: str = ""
    mode: str = ""
    modes: tuple[tuple[str, str], ...] = ()
    mode_words: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    models: tuple[tuple[str, str, str], ...] = ()
    options: tuple[ConfigOption, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayStarted:
    """The agent was asked to load ``session``: what comes for it now is history.

    When the session is already shown, its transcript stays and the history is not added again.
    """

    session: str
    at: float
    cwd: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFailed:
    """The agent could not load ``session`` after all."""

    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReplaced:
    """``session`` cannot go on at the agent; the root ``by`` takes its place and its queue."""

    session: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClosed:
    """A root session is gone, with everything below it."""

    session: str


@dataclass(frozen=True, slots=True)
class UpdateArrived:
    """A ``session/update``."""

    session: str
    update: Update
    at: float


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The whole queue of a root session. ``held``: it waits until the person sends again."""

    session: str
    queue: tuple[QueuedPrompt, ...]
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSent:
    """A turn begins: the prompt is on its way. It leaves the queue when it was there."""

    session: str
    text: str
    at: float
    blocks: tuple[ContentBlock, ...] = ()
    id: int | None = None


@dataclass(frozen=True, slots=True)
class SteerSent:
    """A message is on its way into the running turn. It leaves the queue when it was there."""

    session: str
    prompt: QueuedPrompt


@dataclass(frozen=True, slots=True, kw_only=True)
class SteerEnded:
    """What became of the message ``prompt``: ``outcome`` is ``taken``, ``no_turn``, ``refused``
    with ``error`` set to a sentence, or ``disconnected`` when the agent went away.
    """

    session: str
    prompt: int
    outcome: str
    at: float
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """A prompt was answered: ``stop_reason`` as ACP spells it, ``error`` with ``error`` set to a
    sentence, or ``disconnected`` when the agent went away.
    """

    session: str
    stop_reason: str
    at: float
    error: str = ""
    detail: str = ""
    failure: SessionFailure | None = None
    can_repeat: bool = False
    """Sending the same message again has a use."""
    needs_login: bool = False
    use: TurnUse | None = None
    """The tokens that it took, when the agent tells them."""


@dataclass(frozen=True, slots=True)
class RequestArrived:
    """The agent asks the person. ``tool_call`` is what the request says of its tool call."""

    request: PendingRequest
    tool_call: ToolCallUpdate | None = None


@dataclass(frozen=True, slots=True)
class RequestAnswered:
    """The person answered; the same request is never answered again. ``option`` is the one of a
    permission, where that is known.
    """

    key: int
    option: str | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class RequestWithdrawn:
    """The agent no longer waits for an answer. Without effect once answered."""

    key: int


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """The end of the output of the background task with that key; ``cut``: there is more before."""

    task: str
    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class TaskStopping:
    """The agent was asked to stop a background task; not ``on``: it did not."""

    task: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class Seen:
    """The person has seen everything of ``session``."""

    session: str


@dataclass(frozen=True, slots=True)
class Watched:
    """These sessions are in view at their end from now on, and no others. Implies seen."""

    sessions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkChanged:
    """The connection to the agent changed; see :class:`~canopy_tui.model.state.AgentLink`."""

    status: str
    at: float
    name: str = ""
    detail: str = ""
    stderr: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    logins: tuple[LoginMethod, ...] = ()
    remembers: bool = False


@dataclass(frozen=True, slots=True)
class LoginChanged:
    """The agent wants a login (None: no longer), or a try to log in began or failed."""

    need: LoginNeed | None


@dataclass(frozen=True, slots=True)
class ProblemMet:
    """Something that the person asked for did not work, outside any session."""

    problem: Problem


@dataclass(frozen=True, slots=True)
class OptionAsked:
    """A change of a config option is on its way."""

    session: str
    option: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class OptionSettled:
    """The agent made the change, or refused it for the reason in ``refused``."""

    session: str
    option: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The agent agreed to another of the models that it tells outside its options."""

    session: str
    model: str


@dataclass(frozen=True, slots=True)
class UsageAsked:
    """The agent's report of what a root uses is on its way."""

    session: str


@dataclass(frozen=True, slots=True)
class UsageTold:
    """The report came, or ``error`` says why not."""

    session: str
    report: UsageReport | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class AgentUseTold:
    """What one child took so far."""

    session: str
    use: AgentUse


@dataclass(frozen=True, slots=True)
class ServersAsked:
    """The MCP servers of a root are on their way, after ``action`` on ``server``, if any."""

    session: str
    action: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class ServersTold:
    """The servers came, or ``error`` says why not. ``problem``: ``server`` was not changed."""

    session: str
    servers: tuple[McpServer, ...] | None = None
    error: str = ""
    server: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SessionsAsked:
    """A page of stored sessions is on its way: the first of ``query``, or ``more`` of it."""

    query: Query
    more: bool = False


@dataclass(frozen=True, slots=True)
class SessionsListed:
    """A page of stored sessions came."""

    query: Query
    rows: tuple[ListedSession, ...]
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ListingFailed:
    """The page did not come."""

    query: Query
    error: str


@dataclass(frozen=True, slots=True)
class StoredSessionChanged:
    """A stored session was deleted, or has another title, or was archived or brought back."""

    session: str
    deleted: bool = False
    title: str | None = None
    archived: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """The client itself has something to say in the transcript of ``session``."""

    session: str
    severity: str
    title: str
    at: float
    detail: str = ""
    action: str | None = None
    hint: str = ""
    """What to do next; ids of keys in braces stand for their names."""


Event = (
    SessionOpened
    | ReplayStarted
    | ReplayFailed
    | SessionReplaced
    | SessionClosed
    | UpdateArrived
    | QueueChanged
    | PromptSent
    | SteerSent
    | SteerEnded
    | TurnEnded
    | RequestArrived
    | RequestAnswered
    | RequestWithdrawn
    | TaskOutput
    | TaskStopping
    | Seen
    | Watched
    | LinkChanged
    | LoginChanged
    | ProblemMet
    | OptionAsked
    | OptionSettled
    | ModelChanged
    | UsageAsked
    | UsageTold
    | ServersAsked
    | ServersTold
    | AgentUseTold
    | SessionsAsked
    | SessionsListed
    | ListingFailed
    | StoredSessionChanged
    | Noticed
)

AboutStored = SessionsAsked | SessionsListed | ListingFailed | StoredSessionChanged
"""What happens to the list of stored sessions."""

AboutControls = UsageAsked | UsageTold | AgentUseTold | ServersAsked | ServersTold
"""What becomes known of a session beside its conversation."""
