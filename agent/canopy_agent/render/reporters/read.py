"""Read: the file and the lines in the title, the text with line numbers as the result.

AIR clients list the viewed files themselves and get no text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.bounds import bounded
from canopy_agent.render.reports import Call, Report, Reporter, Result, View
from canopy_agent.render.results import contents, pictures, text_content, without_reminders
from canopy_agent.render.titles import text_field, whole_number
from canopy_shared.content import Location, ToolCallContent
from canopy_shared.fences import fenced

_EMPTY = "(empty)"


def _report(call: Call, view: View) -> Report:
    path = text_field(call.input, "file_path", "path")
    if not path:
        return Report("Read File", "read", ())
    line = max(whole_number(call.input, "offset") or 1, 1)
    return Report(
        f"Read {view.shown(path)}{_lines(call.input)}",
        "read",
        (Location(view.absolute(path), line),),
    )


def _lines(tool_input: Mapping[str, Any]) -> str:
    offset, limit = whole_number(tool_input, "offset"), whole_number(tool_input, "limit")
    start = max(offset or 1, 1)
    if limit is not None and limit > 0:
        return f" ({start} - {start + limit - 1})"
    if offset is not None:
        return f" (from line {start})"
    pages = text_field(tool_input, "pages")
    return f" (pages {pages})" if pages else ""


def _result(call: Call, returned: ToolReturned, view: View) -> Result:
    if view.profile.air:
        return Result(pictures(returned.content) or None, carried=True)
    visible = _visible(returned.content)
    content = _numbered(returned.structured) or contents(visible, _fenced_text)
    return Result(content or None, carried=bool(content), output=visible)


def _visible(content: Any) -> Any:
    """The raw content without the reminders that the harness adds for the model."""
    if isinstance(content, str):
        return without_reminders(content) or _EMPTY
    if not isinstance(content, (list, tuple)):
        return content
    return [_visible_block(block) for block in content]


def _visible_block(block: Any) -> Any:
    text = block.get("text") if isinstance(block, Mapping) else None
    return {**block, "text": without_reminders(text) or _EMPTY} if isinstance(text, str) else block


def _fenced_text(text: str) -> str:
    return fenced(text) if text.strip() and text != _EMPTY else _EMPTY


def _numbered(structured: Any) -> tuple[ToolCallContent, ...]:
    """The text of a structured result with line numbers; empty for pictures, PDFs, notebooks."""
    file = structured.get("file") if isinstance(structured, Mapping) else None
    if not isinstance(file, Mapping) or structured.get("type") != "text":
        return ()
    text = file.get("content")
    if not isinstance(text, str) or not text:
        return ()
    start = whole_number(file, "startLine") or 1
    lines = text.removesuffix("\n").split("\n")
    numbered = "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, start))
    note = _shortened(file) if file.get("truncatedByTokenCap") is True else ""
    return (text_content(fenced(bounded(numbered)) + note),)


def _shortened(file: Mapping[str, Any]) -> str:
    total = whole_number(file, "totalLines")
    return "\n\n*Only a part of the file was read" + (
        f" ({total} lines in all).*" if total else ".*"
    )


REPORTERS = {"Read": Reporter(_report, _result)}
