"""An ACP prompt as the content of a Claude user message.

Blocks follow https://agentclientprotocol.com/protocol/content; when the message is sent, and
what its answer means, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.session.attachments import (
    check_together,
    decoded_text,
    document_block,
    picture_block,
)
from canopy_shared import pictures
from canopy_shared.errors import invalid_params
from canopy_shared.requests import PromptParams

Json = Mapping[str, Any]

_TEXT_TYPES: Final = frozenset(
    f"application/{kind}"
    for kind in (
        *("json", "xml", "javascript", "typescript", "x-yaml", "yaml", "toml", "x-sh", "sql"),
        "graphql",
    )
)
_MCP_COMMAND: Final = re.compile(r"/mcp:([^:\s]+):(\S+)(\s.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ClaudePrompt:
    """What is sent: ``content`` blocks; ``text`` is what the user typed, for titles and commands.

    ``sole_text`` is the text of a prompt that is exactly one text block, else None. ``shown`` are
    the blocks as the client sent them.
    """

    content: tuple[dict[str, Any], ...]
    text: str
    sole_text: str | None
    shown: tuple[Json, ...] = ()

    @property
    def command(self) -> str | None:
        """The name of the slash command of a prompt that is one text block, without the slash."""
        text = (self.sole_text or "").strip()
        return text.split(maxsplit=1)[0][1:] or None if text.startswith("/") else None


def claude_prompt(params: PromptParams, *, strict: bool = False) -> ClaudePrompt:
    """Convert and check a prompt whole. Raises invalid params; nothing of it may be sent then.

    ``strict``: so is a resource that the model cannot read, which is left out otherwise.
    """
    spelled = _with_mcp_command(params.prompt)
    blocks = [_block(f"prompt[{index}]", block) for index, block in enumerate(spelled)]
    for index, parts in enumerate(blocks):
        if strict and parts == NOTHING and params.prompt[index]["type"] == "resource":
            where = f"prompt[{index}].resource"
            raise invalid_params(f"{where} is of a type that cannot be read", {"field": where})
    texts = [block["text"] for block in params.prompt if block["type"] == "text"]
    content = [part for inline, _ in blocks for part in inline]
    content += [part for _, trailing in blocks for part in trailing]
    if not content:
        raise invalid_params("prompt must hold something to send: text, an image or a resource")
    check_together(content)
    sole = texts[0] if len(params.prompt) == 1 and len(texts) == 1 else None
    return ClaudePrompt(tuple(content), "\n".join(texts).strip(), sole, params.prompt)


Parts = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Blocks in place, and blocks for the end of the content."""

NOTHING: Final[Parts] = ([], [])


def _block(where: str, block: Json) -> Parts:
    match block["type"]:
        case "text":
            text = _string(where, block, "text")
            return ([_text(text)] if text.strip() else []), []
        case "resource_link":
            return [_text(_link(_address(where, block)))], []
        case "image":
            return [_image(where, block)], []
        case "resource":
            return _resource(where, block)
        case kind:
            raise invalid_params(
                f"{where} is of type {kind}; text, image, resource_link and resource can be sent",
                {"type": kind},
            )


def _string(where: str, block: Json, field: str) -> str:
    value = block.get(field)
    if not isinstance(value, str):
        raise invalid_params(f"{where}.{field} must be a string", {"field": f"{where}.{field}"})
    return value


def _address(where: str, block: Json) -> str:
    """The ``uri`` of a block; an empty one would be an empty block, which the API refuses."""
    uri = _string(where, block, "uri")
    if not uri.strip():
        raise invalid_params(f"{where}.uri must name a resource", {"field": f"{where}.uri"})
    return uri


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _with_mcp_command(prompt: tuple[Json, ...]) -> tuple[Json, ...]:
    """The prompt with ``/mcp:server:command`` in its first text block as Claude Code spells it."""
    for index, block in enumerate(prompt):
        if block["type"] != "text":
            continue
        found = _MCP_COMMAND.fullmatch(_string(f"prompt[{index}]", block, "text"))
        if found is None:
            break
        server, command, rest = found.groups(default="")
        spelled = {**block, "text": f"/{server}:{command} (MCP){rest}"}
        return (*prompt[:index], spelled, *prompt[index + 1 :])
    return prompt


def _link(uri: str) -> str:
    """A file as a mention; any other address as it is."""
    if not uri.startswith(("file://", "zed://")):
        return uri
    name = uri.rstrip("/").rpartition("/")[2]
    return f"[@{name or uri}]({uri})"


def _image(where: str, block: Json) -> dict[str, Any]:
    data, uri = block.get("data"), block.get("uri")
    if isinstance(data, str) and data:
        return picture_block(where, data, _media_type(_string(where, block, "mimeType"))[0])
    if isinstance(uri, str) and uri.startswith(("http://", "https://")):
        return {"type": "image", "source": {"type": "url", "url": uri}}
    raise invalid_params(
        f"{where} is empty: an image needs base64 data or an http address", {"field": where}
    )


def _resource(where: str, block: Json) -> Parts:
    resource = block.get("resource")
    if not isinstance(resource, Mapping):
        raise invalid_params(f"{where}.resource must be an object", {"field": f"{where}.resource"})
    inside = f"{where}.resource"
    uri = _address(inside, resource)
    text = resource.get("text")
    if isinstance(text, str):
        return _context(uri, text)
    blob = _string(inside, resource, "blob")
    given = resource.get("mimeType")
    media_type, charset = _media_type(given if isinstance(given, str) else "")
    if media_type in pictures.PICTURE_TYPES:
        return [_text(_link(uri)), picture_block(f"{inside}.blob", blob, media_type)], []
    if media_type == pictures.PDF:
        return [_text(_link(uri)), document_block(f"{inside}.blob", blob)], []
    if _is_text(media_type):
        return _context(uri, decoded_text(f"{inside}.blob", blob, charset) if blob else "")
    return [], []  # what the model cannot read is left out


def _context(uri: str, text: str) -> Parts:
    reference = uri.replace('"', "%22")
    context = f'\n<context ref="{reference}">\n{text}\n</context>'
    return [_text(_link(uri))], [_text(context)]


def _is_text(media_type: str) -> bool:
    return (
        media_type.startswith("text/")
        or media_type.endswith(("+json", "+xml"))
        or media_type in _TEXT_TYPES
    )


def _media_type(value: str) -> tuple[str, str]:
    """The bare media type, and the charset of its parameters (``utf-8`` by default)."""
    base, *parameters = value.split(";")
    media_type = base.strip().lower()
    charset = "utf-8"
    for parameter in parameters:
        name, _, setting = parameter.partition("=")
        if name.strip().lower() == "charset" and setting.strip():
            charset = setting.strip().strip('"')
    return (pictures.JPEG if media_type == "image/jpg" else media_type), charset
