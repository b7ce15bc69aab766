"""The closed set of things the core can ask for; the runtime carries them out in order.

An effect is data: it says what, never how, and its answer comes back as an event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from canopy_agent.domain.facts import Fact

Json = Mapping[str, Any]
_NONE: Json = {}


@dataclass(frozen=True, slots=True)
class Show:
    """Let the client see ``fact`` on ``session``; ``parent`` attributes it to a subagent's
    launch.
    """

    session: str
    fact: Fact
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """A prompt's answer: ``stop_reason`` of ACP, usage of the turn when it ran."""

    stop_reason: str
    usage: Json | None = None
    meta: Json = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True)
class Failed:
    """A prompt's answer is an error. ``kind`` is ``internal``, ``auth`` or ``cancelled``."""

    message: str
    kind: str = "internal"
    data: Json | None = None
    cause: str | None = None
    """What failed, for clients that get a record of it: the SDK's category, or a word of ours."""
    usage: Json | None = None
    meta: Json = field(default_factory=lambda: _NONE)


Outcome = Stopped | Failed


@dataclass(frozen=True, slots=True)
class Settle:
    """Answer ``prompt``. The core sends this exactly once per prompt.

    ``detached``: no request of the client waits for it.
    """

    prompt: str
    outcome: Outcome
    detached: bool = False


@dataclass(frozen=True, slots=True)
class Take:
    """The CLI took ``prompt`` in: it is part of the conversation from here on."""

    prompt: str


@dataclass(frozen=True, slots=True)
class SendPrompt:
    """Write a user message to the CLI under the uuid ``prompt``."""

    prompt: str
    blocks: tuple[Json, ...]
    priority: str | None = None


@dataclass(frozen=True, slots=True)
class Requeue:
    """``prompt`` went with the CLI before it had begun: submit it again to the next one.

    ``lost`` is false when the CLI did not die but was replaced.
    """

    prompt: str
    lost: bool = True


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop the turn that runs."""


@dataclass(frozen=True, slots=True)
class DropQueued:
    """Take a user message back that the CLI has not begun (``cancel_async_message``)."""

    prompt: str


@dataclass(frozen=True, slots=True)
class StopTask:
    """Stop one task of the CLI."""

    task: str


@dataclass(frozen=True, slots=True)
class AskPermission:
    """Put the CLI's permission question ``key`` to the client on ``session``.

    ``background`` is true for a subagent whose request does not block the foreground: there an
    answer of ``cancelled`` is a refusal and no more. ``owned`` says whether a turn owns the
    request.
    """

    key: str
    session: str
    parent: str | None
    background: bool = False
    owned: bool = True


@dataclass(frozen=True, slots=True)
class AskQuestion:
    """Put an AskUserQuestion to the client as a form on ``session``."""

    key: str
    session: str
    parent: str | None
    background: bool = False


@dataclass(frozen=True, slots=True)
class AskElicitation:
    """Put an MCP server's elicitation to the client, on the root."""

    key: str


@dataclass(frozen=True, slots=True)
class AskDialog:
    """Put a dialog of the CLI to the client, on the root."""

    key: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer a permission question with a refusal, showing nothing."""

    key: str
    message: str


@dataclass(frozen=True, slots=True)
class AnswerHook:
    """Let a hook go on."""

    key: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the client's request for ``key`` back; no answer goes to the CLI."""

    key: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Send ``TimerFired(name)`` after ``seconds``; a timer of the same name is replaced."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class StopTimer:
    """Forget a timer."""

    name: str


@dataclass(frozen=True, slots=True)
class ReplaceProcess:
    """The CLI does not obey: end it, so that the next prompt starts another that resumes."""


@dataclass(frozen=True, slots=True)
class FollowOutput:
    """Read what the command of ``task`` prints while it runs, as ``OutputRead`` events; from
    ``file``, if Claude Code said that it is there.
    """

    task: str
    file: str | None = None


@dataclass(frozen=True, slots=True)
class ReadRest:
    """The command of ``task`` is over: read its output once more, marked as the last."""

    task: str


@dataclass(frozen=True, slots=True)
class StopFollowing:
    """Nobody wants the output of ``task`` any more."""

    task: str


@dataclass(frozen=True, slots=True)
class RestartConversation:
    """Replace the CLI by one with an empty conversation, in ``mode``, that carries out ``plan``.

    The answer is ``ConversationRestarted`` or ``RestartFailed`` with the same ``prompt``.
    """

    prompt: str
    plan: str
    mode: str
    tool_use_id: str


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the request of an extension that came as ``key``."""

    key: str
    result: Json


@dataclass(frozen=True, slots=True)
class ReplyError:
    """Answer the request of an extension that came as ``key`` with an internal error, or, when
    ``invalid``, with one that says what was wrong with it.
    """

    key: str
    message: str
    invalid: bool = False


@dataclass(frozen=True, slots=True)
class StopBackground:
    """Stop ``task``, or with ``interrupt`` the cycle that runs; ``TaskStopDone`` is the answer."""

    key: str
    task: str
    interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Submit:
    """Bring ``event``, an event of the client, before a CLI that runs, and start one if need be."""

    event: Any


@dataclass(frozen=True, slots=True)
class ReadGoal:
    """Read from the transcript which goal Claude Code has; ``GoalReported`` is the answer."""


@dataclass(frozen=True, slots=True)
class TurnBegan:
    """A turn was activated or all turns ended; for titles, gauges and idle work."""

    prompt: str | None


@dataclass(frozen=True, slots=True)
class Logged:
    """A line for the log of the adapter."""

    text: str


Effect = (
    Show
    | Settle
    | Take
    | SendPrompt
    | Requeue
    | Interrupt
    | DropQueued
    | StopTask
    | AskPermission
    | AskQuestion
    | AskElicitation
    | AskDialog
    | Refuse
    | AnswerHook
    | Withdraw
    | StartTimer
    | StopTimer
    | ReplaceProcess
    | RestartConversation
    | FollowOutput
    | ReadRest
    | StopFollowing
    | Reply
    | ReplyError
    | StopBackground
    | Submit
    | ReadGoal
    | TurnBegan
    | Logged
)
