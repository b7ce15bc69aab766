"""Result blocks of the Messages API as tool call content: text, images, one line for the rest.

It knows block types (Messages API, ``tool_result.content`` and server tool results) and no tool
names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from canopy_agent.render.bounds import bounded, text_share
from canopy_shared import jsonio
from canopy_shared.content import (
    ContentBlock,
    ImageContent,
    TextContent,
    ToolCallContent,
    ToolContent,
)
from canopy_shared.fences import fenced

Json = Mapping[str, Any]

_TOOL_ERROR = re.compile(r"</?tool_use_error>")
_REMINDER = ("<system-reminder>", "</system-reminder>")
_BASE64_PER_BYTE = 4 / 3


def blocks_of(content: Any) -> list[Json]:
    """The content of a ``tool_result`` as a list of blocks; a string is one text block."""
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, Mapping):
        return [content]
    if isinstance(content, (list, tuple)):
        return [block if isinstance(block, Mapping) else _as_text(block) for block in content]
    return [_as_text(content)]


def text_of(content: Any) -> str:
    """All text of a result, one block per line; other blocks are left out."""
    return "\n".join(
        block["text"] for block in blocks_of(content) if isinstance(block.get("text"), str)
    )


def without_reminders(text: str) -> str:
    """``text`` without the ``<system-reminder>`` elements that end it: they speak to the model."""
    opening, closing = _REMINDER
    while (trimmed := text.rstrip()).endswith(closing) and opening in trimmed:
        text = trimmed[: trimmed.rfind(opening)].rstrip("\n")
    return text


def text_content(text: str) -> ToolContent:
    """One text block."""
    return ToolContent(TextContent(text))


def contents(content: Any, wrap: Callable[[str], str] | None = None) -> tuple[ToolCallContent, ...]:
    """A result as tool call content; ``wrap`` (a fence, say) goes around each text."""
    blocks = blocks_of(content)
    limit = text_share(blocks)
    shown: list[ToolCallContent] = []
    for block in blocks:
        rendered = content_block(block)
        if isinstance(rendered, TextContent):
            text = bounded(rendered.text, limit)
            if not text:
                continue
            rendered = TextContent(wrap(text) if wrap and block.get("type") == "text" else text)
        shown.append(ToolContent(rendered))
    return tuple(shown)


def pictures(content: Any) -> tuple[ToolCallContent, ...]:
    """Only what of a result is no text: images."""
    return tuple(
        ToolContent(rendered)
        for rendered in map(content_block, blocks_of(content))
        if isinstance(rendered, ImageContent)
    )


def error_text(content: Any) -> str:
    """The text of an error result without the harness's own tags."""
    return _TOOL_ERROR.sub("", text_of(content)).strip("\n")


def error_contents(content: Any) -> tuple[ToolCallContent, ...]:
    """An error result: its text in a fence, then its images; empty when it says nothing."""
    text = bounded(error_text(content))
    fence = (text_content(fenced(text)),) if text.strip() else ()
    return fence + pictures(content)


# --- one block -----------------------------------------------------------------------------------


def content_block(block: Json) -> ContentBlock:
    """One Messages API block as an ACP block. Unknown kinds become their JSON."""
    kind = block.get("type")
    render = _BLOCKS.get(kind) if isinstance(kind, str) else None
    rendered = render(block) if render else None
    return rendered if rendered is not None else TextContent(json_text(block))


def json_text(value: Any) -> str:
    """``value`` as JSON text; its Python form for what JSON cannot say."""
    try:
        return jsonio.dumps(value).decode()
    except (TypeError, ValueError):
        return repr(value)


def _as_text(value: Any) -> Json:
    return {"type": "text", "text": value if isinstance(value, str) else json_text(value)}


def _string(block: Json, *names: str) -> str:
    for name in names:
        value = block.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _text(block: Json) -> ContentBlock | None:
    text = block.get("text")
    return TextContent(text) if isinstance(text, str) else None


def _image(block: Json) -> ContentBlock | None:
    source = block.get("source")
    if not isinstance(source, Mapping):
        data, mime = _string(block, "data"), _string(block, "mimeType", "mime_type")
        return ImageContent(data, mime) if data and mime else None
    data = _string(source, "data")
    if data:
        return ImageContent(data, _string(source, "media_type") or "image/png")
    return TextContent(f"[image: {_string(source, 'url', 'file_id') or 'elsewhere'}]")


def _document(block: Json) -> ContentBlock | None:
    raw_source = block.get("source")
    source: Json = raw_source if isinstance(raw_source, Mapping) else {}
    title = _string(block, "title")
    mime = _string(source, "media_type") or _string(source, "type") or "unknown type"
    data = _string(source, "data")
    size = len(data.encode()) if source.get("type") == "text" else int(len(data) / _BASE64_PER_BYTE)
    name = f'document "{title}"' if title else "document"
    where = f", {file_size(size)}" if data else ""
    return TextContent(f"[{name}: {_string(source, 'url') or mime}{where}]")


def file_size(size: int) -> str:
    """A size in bytes as a person reads it: ``812 B``, ``3.4 kB``, ``12 MB``."""
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    units = iter(("kB", "MB", "GB", "TB"))
    unit = ""
    while amount >= 1000 and (larger := next(units, "")):
        amount, unit = amount / 1000, larger
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"


def _link(block: Json) -> ContentBlock | None:
    where = _string(block, "url", "source", "uri")
    title = _string(block, "title", "name") or where
    if not title:
        return None
    return TextContent(f"{title} ({where})" if where and where != title else title)


def _failure(block: Json) -> ContentBlock | None:
    code = _string(block, "error_code", "message")
    return TextContent(f"Error: {code}") if code else None


def _execution(block: Json) -> ContentBlock | None:
    output = "\n".join(
        part for part in (_string(block, "stdout"), _string(block, "stderr")) if part
    )
    code = block.get("return_code")
    if code not in (0, None):
        output = f"{output}\n[exit code {code}]" if output else f"[exit code {code}]"
    return TextContent(output or "[no output]")


def _reference(block: Json) -> ContentBlock | None:
    name = _string(block, "tool_name", "name")
    return TextContent(f"Tool: {name}") if name else None


def _nested(block: Json) -> ContentBlock | None:
    """A result that holds further blocks: their texts, one per line."""
    return TextContent("\n".join(_lines(blocks_of(block.get("content")))))


def _lines(blocks: Iterable[Json]) -> Iterable[str]:
    for block in blocks:
        rendered = content_block(block)
        yield rendered.text if isinstance(rendered, TextContent) else "[image]"


def _fetched(block: Json) -> ContentBlock | None:
    url = _string(block, "url")
    return TextContent(f"Fetched: {url}") if url else None


def _file(block: Json) -> ContentBlock | None:
    return TextContent(f"[file {_string(block, 'file_id') or 'in the container'}]")


def _redacted(_: Json) -> ContentBlock | None:
    return TextContent("[redacted]")


_BLOCKS: dict[str, Callable[[Json], ContentBlock | None]] = {
    "text": _text,
    "image": _image,
    "document": _document,
    "tool_reference": _reference,
    "web_search_result": _link,
    "search_result": _link,
    "resource_link": _link,
    "web_fetch_result": _fetched,
    "web_search_tool_result": _nested,
    "web_fetch_tool_result": _nested,
    "tool_search_tool_result": _nested,
    "code_execution_tool_result": _nested,
    "bash_code_execution_tool_result": _nested,
    "text_editor_code_execution_tool_result": _nested,
    "advisor_tool_result": _nested,
    "mcp_tool_result": _nested,
    "code_execution_result": _execution,
    "bash_code_execution_result": _execution,
    "code_execution_output": _file,
    "bash_code_execution_output": _file,
    "container_upload": _file,
    "advisor_result": _text,
    "advisor_redacted_result": _redacted,
    "web_search_tool_result_error": _failure,
    "web_fetch_tool_result_error": _failure,
    "tool_search_tool_result_error": _failure,
    "code_execution_tool_result_error": _failure,
    "bash_code_execution_tool_result_error": _failure,
    "text_editor_code_execution_tool_result_error": _failure,
    "advisor_tool_result_error": _failure,
}
