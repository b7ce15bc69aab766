"""What a tool call is about and what came of it, in a few words for its one line.

It reads what is known of the call; most agents send no such words, so they are taken from the
input and the result. Nothing is drawn here, and foreign text is made harmless by whoever draws.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from canopy_shared import jsonio
from canopy_shared.content import ImageContent, TextContent, ToolContent

if TYPE_CHECKING:
    from canopy_tui.model.entries import ToolEntry

_MCP = re.compile(r"mcp__(.+?)__(.+)")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*$\n?", re.MULTILINE)
_FOUND = re.compile(r"Found (\d[\d,]* \w+)")
_ANSWERED = re.compile(r"Your questions have been answered: (.*?)\.? You can now", re.DOTALL)
_EXIT_CODE = re.compile(r"Exit code (\d{1,3})\n")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_NOUNS = {"search": "match", "read": "line"}
_NOUNS_OF_TOOLS = {"ToolSearch": "tool"}
_SUBJECTS: dict[str, tuple[str, ...]] = {
    "SendMessage": ("to", "summary"),
    "Monitor": ("description", "command"),
    "CronCreate": ("cron", "prompt"),
    "CronDelete": ("id",),
    "TaskStop": ("task_id", "shell_id"),
    "Workflow": ("name", "script_path"),
    "SendUserMessage": ("message",),
    "ToolSearch": ("query",),
}
"""Arguments of Claude Code's tools that say what a call is about, where its title does not."""
_COUNTED = frozenset({"read", "search", "fetch"})
"""Kinds whose result is text to read, of which the size is what matters."""
_LONGEST = 300


def title_of(entry: ToolEntry) -> str:
    """The title; a tool of an MCP server without one is ``server: tool``."""
    return told_title(entry.title or entry.name or "")


def told_title(title: str) -> str:
    """The same for a title alone."""
    found = _MCP.fullmatch(title)
    return f"{found[1]}: {found[2]}" if found else title


def subject_of(entry: ToolEntry) -> str:
    """What the call is about, empty when the title says it or nobody knows."""
    given, name = entry.raw_input, entry.name or entry.title
    if not isinstance(given, Mapping) or entry.title not in ("", name, "Message"):
        return ""
    keys = _SUBJECTS.get(name)
    values = [given[key] for key in keys if key in given] if keys else [*given.values()]
    words = [str(value) for value in values if isinstance(value, str | int | float)]
    words = [word for word in words if word not in ("True", "False", "", entry.title)]
    return " · ".join(words[:2])[:_LONGEST].removeprefix("select:")


_NO_OUTPUT = "(Bash completed with no output)"
"""What Claude Code says of a command that wrote nothing."""


def result_of(entry: ToolEntry) -> str:
    """``exit 1``, ``12 matches``, ``40 lines``, or a result of one line itself; empty when there is
    nothing short to say.
    """
    if code := exit_code_of(entry):
        return f"exit {code}"
    if not entry.ended or entry.status == "failed":
        return ""
    if entry.has_terminal:
        output = _COLOURS.sub("", entry.output)
        return "no output" if output.strip() in ("", _NO_OUTPUT) else _short(output, "line")
    text = "\n".join(
        part.content.text
        for part in entry.content
        if isinstance(part, ToolContent) and isinstance(part.content, TextContent)
    )
    if _FENCE.sub("", text).strip() == _NO_OUTPUT:
        return "no output"
    if found := _FOUND.match(text):
        return found[1]
    return " · ".join(filter(None, (_of_text(entry, _FENCE.sub("", text)), _pictures(entry))))


def exit_code_of(entry: ToolEntry) -> int | None:
    """The exit code of a command that ended. For Claude Code's own shell the output has the real
    one where the terminal was only told that it failed.
    """
    if not entry.exited:
        return None
    found = _EXIT_CODE.match(entry.output) if entry.exit_code == 1 else None
    return int(found[1]) if found else entry.exit_code


def _of_text(entry: ToolEntry, text: str) -> str:
    if not text.strip():
        return ""
    noun = _NOUNS_OF_TOOLS.get(entry.name or "")
    if noun or entry.kind in _COUNTED:
        return many(lines_in(text), noun or _NOUNS.get(entry.kind, "line"))
    if answered := _ANSWERED.search(text):
        return answered[1].replace('"="', '" "').replace('"', "")[:_LONGEST]
    if entry.kind in ("execute", "edit"):
        return _short(text, "line")
    return _told(text) or text.strip().split("\n", 1)[0][:_LONGEST]


def _told(text: str) -> str:
    """The message of a result that is a JSON object."""
    if not text.lstrip().startswith("{") or len(text) > 10_000:
        return ""
    try:
        value = jsonio.loads(text)
    except ValueError:
        return ""
    told = value.get("message") or value.get("error") if isinstance(value, Mapping) else None
    return told.split("\n", 1)[0][:_LONGEST] if isinstance(told, str) else ""


def _pictures(entry: ToolEntry) -> str:
    count = sum(
        isinstance(part, ToolContent) and isinstance(part.content, ImageContent)
        for part in entry.content
    )
    return many(count, "image") if count else ""


def _short(text: str, noun: str) -> str:
    count = lines_in(text)
    return text.strip()[:_LONGEST] if count == 1 else many(count, noun)


def lines_in(text: str) -> int:
    """Lines of ``text``, without blank ones at its ends."""
    return len(text.strip("\n").split("\n")) if text.strip() else 0


def many(count: int, noun: str) -> str:
    """``1 match``, ``12 matches``."""
    plural = "es" if noun.endswith("ch") else "s"
    return f"{count:,} {noun}{'' if count == 1 else plural}"
