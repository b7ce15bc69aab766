"""What a stored user record says to a person: without the harness's tags, commands as they were
typed.

Pure. The tags are those of Claude Code 2.1; where a text is shown is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_agent.history.transcript import Json, section, text

_TAGS = (
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "system-reminder",
    "task-notification",
)
_ELEMENT = re.compile(rf"<({'|'.join(_TAGS)})>(.*?)</\1>", re.DOTALL)
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_OUTPUT = re.compile(r"<local-command-std(?:out|err)>")
_MCP_COMMAND = re.compile(r"/(.+):(.+) \(MCP\)")

_UNSHOWN_COMMANDS = frozenset(
    f"/{name}"
    for name in (
        *("context", "heapdump", "extra-usage", "compact", "model", "mcp", "status", "usage"),
    )
)
"""Commands that Claude Code runs by itself: their output was never part of the conversation."""

_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
_FORK = "<fork-boilerplate>"
_DIRECTIVE = "Your directive:"

NOTIFICATION = "task-notification"
COORDINATOR = "coordinator"
_DELIVERY = re.compile(
    r"\AThe coordinator sent a message while you were working:\n(.*)"
    r"\n\nAddress this before completing your current task\.\s*\Z",
    re.DOTALL,
)
_NOTICE = re.compile(r"\s*<task-notification>(.*?)</task-notification>", re.DOTALL)
_SUMMARY = re.compile(
    r"\AThis session is being continued from a previous conversation.*?"
    r"\n(?:<system-reminder>.*?</system-reminder>\n)?Summary:\n?(.*)\Z",
    re.DOTALL,
)


def shown_text(words: str) -> str:
    """``words`` without the harness's elements; "" when nothing of a person is left.

    A record that holds nothing but the marks of a command is that command, ``/name arguments``. An
    element ends at its nearest closing tag; one that is never closed is left alone.
    """
    rest = _ELEMENT.sub("", words)
    if rest == words:
        return "" if _INTERRUPTED.fullmatch(words) else words
    if rest.strip():
        return rest.strip()
    return _typed_command(words)


def _typed_command(words: str) -> str:
    found = _COMMAND.search(words)
    name = found.group(1).strip() if found else ""
    if not name or _OUTPUT.search(words):
        return ""
    name = name if name.startswith("/") else f"/{name}"
    if name in _UNSHOWN_COMMANDS:
        return ""
    prompt = _MCP_COMMAND.fullmatch(name)
    name = f"/mcp:{prompt.group(1)}:{prompt.group(2)}" if prompt else name
    arguments = _ARGUMENTS.search(words)
    return f"{name} {arguments.group(1).strip()}".rstrip() if arguments else name


def blocks_of(record: Json) -> tuple[Json, ...]:
    """The content of a record's message as blocks."""
    content = section(record.get("message")).get("content")
    return as_blocks(content)


def as_blocks(content: Any) -> tuple[Json, ...]:
    """Content, a text or a list, as blocks."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},) if content else ()
    if not isinstance(content, list):
        return ()
    return tuple(block for block in content if isinstance(block, Mapping))


def shown_blocks(blocks: tuple[Json, ...]) -> tuple[Json, ...]:
    """Blocks of a user message as a person sent them; no tool results."""
    shown: list[Json] = []
    for block in blocks:
        match block.get("type"):
            case "text":
                words = shown_text(text(block.get("text")) or "")
                if words:
                    shown.append({"type": "text", "text": words})
            case "tool_result":
                pass
            case _:
                shown.append(block)
    return tuple(shown)


def words_of(blocks: tuple[Json, ...]) -> str:
    """All texts of blocks, joined."""
    return "\n".join(words for block in blocks if (words := text(block.get("text"))))


def origin_of(record: Json) -> str | None:
    """Who a user record is from: ``human``, ``coordinator``, ``task-notification``, …"""
    return text(section(record.get("origin")).get("kind"))


def is_hidden(record: Json) -> bool:
    """Whether the texts of a user record are the harness's, which no person was shown."""
    if record.get("isMeta") is True:
        return True
    origin = section(record.get("origin"))
    return origin.get("kind") == NOTIFICATION and not origin.get("subkind")


def queued_prompt(record: Json) -> tuple[str | None, tuple[Json, ...]] | None:
    """Id and blocks of a prompt that the user sent while a turn ran, None for anything else."""
    attachment = section(record.get("attachment"))
    if attachment.get("type") != "queued_command" or attachment.get("commandMode") != "prompt":
        return None
    if attachment.get("isMeta") is True or (origin_of(attachment) or "human") != "human":
        return None
    id_ = text(attachment.get("source_uuid")) or text(record.get("uuid"))
    return id_, as_blocks(attachment.get("prompt"))


def compaction_summary(words: str) -> str | None:
    """The summary in the record that follows a compaction, None when its frame is not the known
    one.
    """
    found = _SUMMARY.match(words)
    return (found.group(1).strip() or None) if found else None


def delivered_text(words: str) -> str:
    """What another agent sent to a subagent, out of the frame that the harness puts around it."""
    found = _DELIVERY.match(words)
    return found.group(1) if found else words


def is_fork_start(record: Json) -> bool:
    """Whether what comes before this record of a fork is a copy of its parent's conversation."""
    return any((text(b.get("text")) or "").startswith(_FORK) for b in blocks_of(record))


def fork_directive(words: str) -> str:
    """What a fork was told, without the frame around it."""
    if not words.startswith(_FORK):
        return words
    _, _, rest = words.rpartition(_DIRECTIVE)
    return rest.strip()


@dataclass(frozen=True, slots=True)
class Notification:
    """The model was told that a task ended. ``call`` is the tool call that began the run."""

    task: str
    status: str
    call: str | None


def notification_of(record: Json) -> Notification | None:
    """The notification that a record holds, None for any other.

    Only records that the harness marks as such count; what a person or a tool says does not.
    """
    words = _notification_words(record)
    found = _NOTICE.match(words) if words else None
    if found is None:
        return None
    task, status = _inner(found.group(1), "task-id"), _inner(found.group(1), "status")
    if task is None or status is None:
        return None
    return Notification(task, status, _inner(found.group(1), "tool-use-id"))


def _notification_words(record: Json) -> str:
    match record.get("type"):
        case "queue-operation" if record.get("operation") == "enqueue":
            return text(record.get("content")) or ""
        case "attachment":
            attachment = section(record.get("attachment"))
            if attachment.get("commandMode") == NOTIFICATION:
                return words_of(as_blocks(attachment.get("prompt")))
        case "user" if origin_of(record) == NOTIFICATION:
            return words_of(blocks_of(record))
    return ""


def _inner(words: str, tag: str) -> str | None:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", words, re.DOTALL)
    return (found.group(1).strip() or None) if found else None
