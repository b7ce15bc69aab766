"""Single values of ACP v2 as the client's vocabulary has them.

Pure and without memory; lenient, since an agent may say less or more. Shapes follow the v2 draft
(``@agentclientprotocol/sdk`` 2.4, ``schema/v2``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from canopy_shared.codec import decode_tool_content
from canopy_shared.content import Diff, PatchDiff, ToolCallContent

Json = Mapping[str, Any]

_HUNK = re.compile(r"^@@ .*$", re.MULTILINE)


def mapping(value: object) -> Json:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def rows(value: object) -> list[Json]:
    """The objects in a list."""
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def options(value: object) -> list[dict[str, Any]]:
    """Config options: their ids under the name of version 1, groups of values dissolved."""
    told = []
    for option in rows(value):
        shape = {"id": option.get("configId"), **option}
        choices = [choice for row in rows(option.get("options")) for choice in _choices(row)]
        told.append({**shape, "options": choices} if choices else shape)
    return told


def _choices(row: Json) -> list[Json]:
    return rows(row["options"]) if "options" in row else [row]


def contents(given: Iterable[Any]) -> tuple[ToolCallContent, ...]:
    """The contents of a tool call; a patch is shown as the texts before and after each hunk."""
    told: list[ToolCallContent] = []
    for one in given:
        content = decode_tool_content(one) if isinstance(one, Mapping) else one
        told += _texts(content) if isinstance(content, PatchDiff) else [content]
    return tuple(told)


def _texts(diff: PatchDiff) -> list[ToolCallContent]:
    change = next(iter(diff.changes), {})
    path = change.get("path")
    patch = mapping(diff.patch).get("text")
    if not isinstance(path, str):
        return []
    if not isinstance(patch, str):
        return [Diff(path, "", None)]
    hunks = _HUNK.split(patch)[1:]
    if change.get("operation") == "add":
        return [Diff(path, _whole(hunks), None)]
    return [Diff(path, _side(hunk, " +"), _side(hunk, " -") or None) for hunk in hunks]


def _whole(hunks: list[str]) -> str:
    """A new file: every line of it is in the patch."""
    text = "\n".join(_side(hunk, "+") for hunk in hunks)
    return text if any("\n\\ No newline" in hunk for hunk in hunks) else text + "\n"


def _side(hunk: str, marks: str) -> str:
    lines = (line for line in hunk.split("\n") if line[:1] and line[0] in marks)
    return "\n".join(line[1:] for line in lines)
