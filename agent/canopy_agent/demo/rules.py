"""The rule language: which request gets which answer, as plain typed values.

Pure: a rule is a description; pauses, gates and sockets are the server's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from canopy_agent.demo.requests import MAIN, ModelRequest

StopReason = Literal["end_turn", "tool_use", "max_tokens", "stop_sequence", "pause_turn", "refusal"]

ANY_SUBAGENT = "*subagent"
ANYONE = "*"


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait; `seconds` are multiplied by the model's pace."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Gate:
    """Wait until the test says `model.release(name)`; a released gate stays open."""

    name: str


@dataclass(frozen=True, slots=True)
class AfterTurn:
    """A subagent waits until its session's main agent has ended a turn since the subagent began.

    Both are in seconds and do not follow the pace: `at_most` keeps a broken-off turn from blocking
    the subagent, `grace` lets Claude Code report the end of the turn first.
    """

    at_most: float = 20.0
    grace: float = 1.0


@dataclass(frozen=True, slots=True)
class Ping:
    """Send a ping event."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Break the connection off. The one non-streaming retry is spared unless `always`."""

    always: bool = False


@dataclass(frozen=True, slots=True)
class Garble:
    """Send an event whose JSON is cut off."""


@dataclass(frozen=True, slots=True)
class StreamError:
    """Send an error event and end the stream."""

    type: str = "overloaded_error"
    message: str = "Overloaded"


Interlude: TypeAlias = Pause | Gate | AfterTurn | Ping | Drop | Garble | StreamError
Words: TypeAlias = str | Callable[[ModelRequest], str]


@dataclass(frozen=True, slots=True)
class Text:
    """A text block, streamed in word-sized pieces.

    `words` may be a callable of the request, or a tuple of strings and interludes (each string is
    then one piece). `delay` is the pause after each piece in seconds at pace 1; `chunk` cuts pieces
    of that many characters instead.
    """

    words: Words | tuple[str | Interlude, ...]
    delay: float | None = None
    chunk: int | None = None


@dataclass(frozen=True, slots=True)
class Thinking:
    """A thinking block; without `signature` one is derived from the text."""

    words: Words
    signature: str | None = None
    delay: float | None = None


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """A redacted thinking block."""

    data: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call.

    Strings in `input` may hold `{cwd}`; any value, also the whole, may be a callable of the
    request.

    `raw_input` is streamed instead of the JSON of `input`, to send input that is cut off or no
    JSON.
    """

    name: str
    input: Mapping[str, Any] | Callable[[ModelRequest], Mapping[str, Any]] = field(
        default_factory=dict
    )
    id: str | None = None
    raw_input: str | None = None


Content: TypeAlias = Text | Thinking | RedactedThinking | ToolUse
Step: TypeAlias = Content | Interlude
Steps: TypeAlias = Sequence[Step]
Reply: TypeAlias = str | Steps | Callable[[ModelRequest], "str | Steps"]


@dataclass(frozen=True, slots=True)
class ApiError:
    """An HTTP error in place of an answer; `retry_after` (seconds) becomes that header."""

    status: int
    message: str = "The scripted model refuses this request."
    type: str | None = None
    retry_after: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the API reports them; `output_tokens` None means: about what was sent."""

    input_tokens: int = 100
    output_tokens: int | None = None
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """What a request must be like; a field that is None does not matter.

    Patterns are searched, `.` matches newlines.

    `agent`: "main", a role, "title", "suggestion" or "summary" (auxiliary requests),
    `ANY_SUBAGENT`, `ANYONE` (no auxiliary ones), or a tuple of those. `says`: the last human text.
    `after_tool`: the whole name of a tool whose result this request brings; `result` and `is_error`
    are about such a result. `step`: rounds of tool results since `says`. `notified`: the summary or
    result of a task notice that opens the turn. A follow-up turn, opened by nothing but a notice,
    matches only rules that have `notified`.
    """

    agent: str | tuple[str, ...] = MAIN
    says: str | None = None
    after_tool: str | None = None
    result: str | None = None
    is_error: bool | None = None
    step: int | None = None
    notified: str | None = None
    offers: str | None = None
    model: str | None = None
    test: Callable[[ModelRequest], bool] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a script; `times` limits how often it answers.

    Interludes before the first content hold the whole answer back, so also an `error`. `stop` is
    otherwise "tool_use" when the reply calls a tool and "end_turn" when not. `delay` is the pause
    per piece in seconds at pace 1.
    """

    when: When
    reply: Reply = ()
    stop: StopReason | None = None
    error: ApiError | None = None
    times: int | None = None
    usage: Usage | None = None
    delay: float = 0.0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Rules in order of precedence, and what answers when none matches.

    What no rule matches is in `model.unscripted`; `fallback` answers it, by default with a text
    that begins with UNSCRIPTED. `title` and `suggestion` answer the auxiliary requests that no rule
    claims; `usage` counts where a rule does not say.
    """

    rules: Sequence[Rule]
    fallback: Reply | None = None
    title: Callable[[str], str] | None = None
    suggestion: Callable[[ModelRequest], str] | None = None
    usage: Callable[[ModelRequest], Usage] | None = None


def flow(when: When, *replies: Reply, delay: float = 0.0) -> tuple[Rule, ...]:
    """Rules for one agent's work: the nth reply answers the nth round of tool results."""
    return tuple(
        Rule(replace(when, step=number), reply, delay=delay) for number, reply in enumerate(replies)
    )


def steps_of(reply: Reply, request: ModelRequest) -> Steps:
    """What a reply amounts to for one request."""
    told = reply(request) if callable(reply) else reply
    return [Text(told)] if isinstance(told, str) else list(told)


def matches(when: When, request: ModelRequest) -> bool:
    """Whether a request is one that the rule is for."""
    wanted = (when.agent,) if isinstance(when.agent, str) else when.agent
    if not any(_is_agent(one, request) for one in wanted):
        return False
    if when.step is not None and request.step != when.step:
        return False
    if when.offers is not None and not request.offers(when.offers):
        return False
    return (
        _found(when.says, request.says)
        and _found(when.model, request.model)
        and _result_fits(when, request)
        and _notice_fits(when.notified, request)
        and (when.test is None or when.test(request))
    )


def _is_agent(wanted: str, request: ModelRequest) -> bool:
    if request.purpose != "turn":
        return wanted == request.purpose
    if wanted == ANYONE:
        return True
    if wanted == ANY_SUBAGENT:
        return request.agent_id is not None
    return wanted == request.agent


def _result_fits(when: When, request: ModelRequest) -> bool:
    if when.after_tool is None and when.result is None and when.is_error is None:
        return True
    return any(
        (when.after_tool is None or re.fullmatch(when.after_tool, one.name) is not None)
        and _found(when.result, one.text)
        and (when.is_error is None or when.is_error == one.is_error)
        for one in request.results
    )


def _notice_fits(pattern: str | None, request: ModelRequest) -> bool:
    if request.conversation.opener != "notice":
        return pattern is None
    return pattern is not None and any(
        _found(pattern, f"{one.summary}\n{one.result}") for one in request.notices
    )


def _found(pattern: str | None, text: str) -> bool:
    return pattern is None or re.search(pattern, text, re.DOTALL) is not None
