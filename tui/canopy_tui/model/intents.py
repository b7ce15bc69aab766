"""What the person asked for, as frozen facts: views post them, the controller carries them out.

An intent knows neither widgets nor the wire; session ids are those of the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from canopy_tui.model.catalogue import Query

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock


@dataclass(frozen=True, slots=True)
class SendPrompt:
    """Send a message to a root session; while a turn runs it waits in the queue."""

    session: str
    text: str
    blocks: tuple[ContentBlock, ...] = ()
    source: str = ""
    """See :class:`~canopy_tui.model.state.QueuedPrompt`."""


@dataclass(frozen=True, slots=True)
class SteerPrompt:
    """Say a message into the turn that runs; without one it is sent as usual."""

    session: str
    text: str
    blocks: tuple[ContentBlock, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class SteerQueued:
    """Say a message that waits into the turn that runs."""

    session: str
    prompt: int


@dataclass(frozen=True, slots=True)
class EditQueued:
    """Replace a message that still waits: ``blocks`` None leaves them, an empty one is removed."""

    session: str
    prompt: int
    text: str
    blocks: tuple[ContentBlock, ...] | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class RemoveQueued:
    """Take a message out of the queue."""

    session: str
    prompt: int


@dataclass(frozen=True, slots=True)
class SendQueue:
    """Let a held queue go on."""

    session: str


@dataclass(frozen=True, slots=True)
class CancelTurn:
    """Stop the turn of a root, or one child that can be stopped by itself."""

    session: str


@dataclass(frozen=True, slots=True)
class SendAgain:
    """Send the last message of a root once more, before what waits in its queue."""

    session: str


@dataclass(frozen=True, slots=True)
class StopTask:
    """Stop the background task with that key."""

    task: str


@dataclass(frozen=True, slots=True)
class ClearGoal:
    """Give up the goal of a root."""

    session: str


@dataclass(frozen=True, slots=True)
class AnswerPermission:
    """Answer a permission request with one of its options; None answers ``cancelled``.

    ``reason`` is told to an agent that takes reasons.
    """

    request: int
    option: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AnswerElicitation:
    """Answer a form or link: ``accept`` (with ``content``), ``decline`` or ``cancel``."""

    request: int
    action: str
    content: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class SetMode:
    """Change the permission mode of a root session."""

    session: str
    mode: str


@dataclass(frozen=True, slots=True)
class SetModel:
    """Change the model of a root session whose agent tells models outside its options."""

    session: str
    model: str


@dataclass(frozen=True, slots=True)
class SetOption:
    """Change a config option of a root session."""

    session: str
    option: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class AskUsage:
    """Have the agent report what a root uses."""

    session: str


@dataclass(frozen=True, slots=True)
class AskAgentUse:
    """Have the agent tell the model of a child, and what it took so far."""

    session: str


@dataclass(frozen=True, slots=True)
class AskServers:
    """Have the agent list the MCP servers of a root, after ``action`` on ``server``, if any."""

    session: str
    action: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Open one more session; None means the directory the client was started on."""

    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Get stored sessions: the first page of ``query``, or the next one."""

    query: Query
    more: bool = False


@dataclass(frozen=True, slots=True)
class LoadSession:
    """Open a stored session. ``instead_of`` is an open one that makes room for it."""

    session: str
    cwd: str
    title: str = ""
    instead_of: str | None = None


@dataclass(frozen=True, slots=True)
class ForkSession:
    """Open a copy of a stored session."""

    session: str
    cwd: str
    title: str = ""
    instead_of: str | None = None


@dataclass(frozen=True, slots=True)
class DeleteSession:
    """Delete a stored session for good."""

    session: str


@dataclass(frozen=True, slots=True)
class RenameSession:
    """Give a stored session another title."""

    session: str
    title: str


@dataclass(frozen=True, slots=True)
class ArchiveSession:
    """Archive a stored session, or bring it back."""

    session: str
    archived: bool


@dataclass(frozen=True, slots=True)
class LogIn:
    """Log in by a method of the agent."""

    method: str


@dataclass(frozen=True, slots=True)
class LoginDone:
    """A login in the terminal is over; ``problem`` says what went wrong, "" for nothing."""

    problem: str = ""


@dataclass(frozen=True, slots=True)
class CloseSession:
    """Close a root session."""

    session: str


@dataclass(frozen=True, slots=True)
class RestartAgent:
    """Start the agent again after it was lost, and take up its sessions. ``although_there``: also
    one that seems to be well.
    """

    although_there: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """These sessions are in view at their end; an empty set when none is."""

    sessions: frozenset[str]


OnStored = ListSessions | LoadSession | ForkSession | DeleteSession | RenameSession | ArchiveSession
"""What a person does with stored sessions."""

Intent = (
    SendPrompt
    | SteerPrompt
    | SteerQueued
    | EditQueued
    | RemoveQueued
    | SendQueue
    | CancelTurn
    | SendAgain
    | StopTask
    | ClearGoal
    | AnswerPermission
    | AnswerElicitation
    | SetMode
    | SetModel
    | AskUsage
    | AskAgentUse
    | AskServers
    | SetOption
    | OpenSession
    | OnStored
    | LogIn
    | LoginDone
    | CloseSession
    | RestartAgent
    | Watch
)
