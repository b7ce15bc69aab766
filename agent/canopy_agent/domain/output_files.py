"""Where Claude Code says that it writes the output of a task.

It reads the result of the call that began the task, as Claude Code 2.1.332 words it; whether the
file is there is not known here.
"""

from __future__ import annotations

import re
from typing import Final

from canopy_agent.domain import events as e

_OUTPUT_FILE: Final = re.compile(
    r"(?<![\w./\\-])(?:[A-Za-z]:)?[/\\][^\n\"'<>|]*?tasks[/\\](?P<task>[\w.-]+)\.output"
)


def output_file(event: e.ToolResulted, task: str) -> str | None:
    """The path, from a field of its own, or else from the words of the result."""
    named = _text(event.structured, "outputFile") or _text(event.structured, "outputFilePath")
    if named is not None:
        return named
    found = (one for one in _OUTPUT_FILE.finditer(_words(event.content)) if one["task"] == task)
    return next((one[0] for one in found), None)


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, (list, tuple)) else ()
    return "\n".join(text for block in blocks if (text := _text(block, "text")))


def _text(source: object, key: str) -> str | None:
    value = source.get(key) if isinstance(source, dict) else None
    return value if isinstance(value, str) and value else None
