"""Read the messages of a Messages API request: human words, tool results, task notices.

Pure: it knows how Claude Code (2.1.332) wraps what it adds to a conversation, but nothing of rules
or sockets.
"""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Opener = Literal["human", "results", "notice"]

SUGGESTION_MARK = "[SUGGESTION MODE:"
_REMINDER = re.compile(r"<system-reminder>(.*?)</system-reminder>\s*", re.DOTALL)
_NOTICE = re.compile(r"<task-notification>(.*?)</task-notification>\s*", re.DOTALL)
_MIDWAY = re.compile(
    r"The user sent a new message while you were working:\n(.*?)\n\n"
    r"This is how Claude Code surfaces .*?(?=\Z|\n\n)",
    re.DOTALL,
)
_REPORT = re.compile(r"The report follows:\n((?:(?:  .*)?(?:\n|\Z))*)")
_WRAPPED = re.compile(
    r"<(local-command-[a-z]+|command-[a-z]+|bash-[a-z]+)>.*?</\1>\s*"
    r"|\[Request interrupted by user[^\]]*\]\s*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """One answered tool call: what was asked and what came back as text."""

    id: str
    name: str
    input: Mapping[str, Any]
    text: str
    is_error: bool

    @property
    def report(self) -> str:
        """What a subagent reported, out of the frame around it; the whole text if there is none."""
        found = _REPORT.search(self.text)
        return textwrap.dedent(found.group(1)).strip() if found else self.text


@dataclass(frozen=True, slots=True)
class TaskNotice:
    """A `<task-notification>`; `status` is completed, failed, killed or stopped."""

    task_id: str
    tool_use_id: str
    status: str
    summary: str
    result: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages seen from the request's end: the part that the next answer is about.

    `all_says` are the texts that a human (for a subagent: its parent) wrote; `since` are the tool
    results after the last of them, `latest` those after the last answer of the model; `rounds`
    counts the messages with tool results since the last human text; `notices` came after the last
    answer, `past_notices` before it. `opener` is what the model is to react to: new words, tool
    results, or a notice alone.
    """

    all_says: tuple[str, ...]
    opener: Opener
    rounds: int
    latest: tuple[ToolOutcome, ...]
    since: tuple[ToolOutcome, ...]
    outcomes: tuple[ToolOutcome, ...]
    notices: tuple[TaskNotice, ...]
    past_notices: tuple[TaskNotice, ...]
    is_suggestion: bool

    @property
    def says(self) -> str:
        """The last human text."""
        return self.all_says[-1] if self.all_says else ""

    @property
    def opening(self) -> str:
        """The first human text."""
        return self.all_says[0] if self.all_says else ""


def blocks(content: object) -> list[Mapping[str, Any]]:
    """The content blocks of a message; a plain string is one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def plain_text(content: object) -> str:
    """The text blocks of a message or of a tool result, joined by newlines."""
    found = [one.get("text") for one in blocks(content) if one.get("type") == "text"]
    return "\n".join(text for text in found if isinstance(text, str))


def human_words(content: object) -> tuple[str, ...]:
    """What a person typed in a user message, without what Claude Code adds to it.

    More than one text when turns before got no answer: Claude Code then sends all of them as one
    message, and ends each but the last with a newline.
    """
    texts: list[str] = []
    whole = ""
    for block in blocks(content):
        text = block.get("text")
        if block.get("type") == "text" and isinstance(text, str):
            whole = f"{whole}\n{text}" if whole else text
        if whole.endswith("\n") or block.get("type") == "tool_result":
            texts.append(whole)
            whole = ""
    cleaned = (_without_additions(text) for text in (*texts, whole))
    return tuple(text for text in cleaned if text and not text.startswith(SUGGESTION_MARK))


def _without_additions(text: str) -> str:
    typed = _MIDWAY.sub(r"\1", _NOTICE.sub("", _REMINDER.sub("", text)))
    return _WRAPPED.sub("", typed).strip()


def task_notices(text: str) -> tuple[TaskNotice, ...]:
    """Every task notice in a text, in order; a field that is absent is empty."""
    return tuple(
        TaskNotice(
            task_id=_field(body, "task-id"),
            tool_use_id=_field(body, "tool-use-id"),
            status=_field(body, "status"),
            summary=_field(body, "summary"),
            result=_field(body, "result"),
        )
        for body in _NOTICE.findall(text)
    )


def read_conversation(messages: Sequence[Mapping[str, Any]]) -> Conversation:
    """Read a whole message list; messages of an unknown shape count as empty."""
    said = list(_human_turns(messages))
    start = said[-1][0] if said else -1
    spoken = [at for at, one in enumerate(messages) if one.get("role") == "assistant"]
    last_answer = spoken[-1] if spoken else -1
    calls = _calls(messages)
    tail = _told_to_model(messages[last_answer + 1 :])
    answered = [_outcomes(one, calls) for one in messages]
    since = answered[start + 1 :]
    latest = tuple(one for outcomes in answered[last_answer + 1 :] for one in outcomes)
    notices = task_notices(tail)
    return Conversation(
        all_says=tuple(words for _, words in said),
        opener=_opener(start > last_answer, bool(latest), bool(notices)),
        rounds=sum(1 for outcomes in since if outcomes),
        latest=latest,
        since=tuple(one for outcomes in since for one in outcomes),
        outcomes=tuple(one for outcomes in answered for one in outcomes),
        notices=notices,
        past_notices=task_notices(_told_to_model(messages[: last_answer + 1])),
        is_suggestion=SUGGESTION_MARK in tail,
    )


def _opener(has_words: bool, has_results: bool, has_notices: bool) -> Opener:
    if has_words:
        return "human"
    return "notice" if has_notices and not has_results else "results"


def _human_turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    for at, message in enumerate(messages):
        if message.get("role") == "user":
            yield from ((at, words) for words in human_words(message.get("content")))


def _told_to_model(messages: Sequence[Mapping[str, Any]]) -> str:
    """The texts of user and system messages: a notice within a turn is a system message."""
    told = (one for one in messages if one.get("role") != "assistant")
    return "\n".join(plain_text(one.get("content")) for one in told)


def _calls(messages: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {
        str(block.get("id")): block
        for message in messages
        for block in blocks(message.get("content"))
        if block.get("type") == "tool_use"
    }


def _outcomes(
    message: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]]
) -> tuple[ToolOutcome, ...]:
    found = []
    for block in blocks(message.get("content")):
        if block.get("type") != "tool_result":
            continue
        call_id = str(block.get("tool_use_id"))
        call = calls.get(call_id, {})
        call_input = call.get("input")
        found.append(
            ToolOutcome(
                id=call_id,
                name=str(call.get("name", "")),
                input=call_input if isinstance(call_input, dict) else {},
                text=plain_text(block.get("content")),
                is_error=block.get("is_error") is True,
            )
        )
    return tuple(found)


def _field(body: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", body, re.DOTALL)
    return html.unescape(found.group(1).strip()) if found else ""
