"""ACP content blocks and the contents of a tool call, as frozen classes.

Shapes follow https://agentclientprotocol.com/protocol/content and /protocol/tool-calls (schema
v1.19); nothing here knows who sends a block or how it is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from canopy_shared.unset import UNSET, Unset

Meta = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextContent:
    """Plain or Markdown text."""

    TAG: ClassVar[tuple[str, str]] = ("type", "text")
    text: str
    annotations: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ImageContent:
    """An image: ``data`` is base64, or ``uri`` says where it lies."""

    TAG: ClassVar[tuple[str, str]] = ("type", "image")
    data: str
    mime_type: str
    uri: str | Unset | None = UNSET
    annotations: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AudioContent:
    """Audio as base64 ``data``."""

    TAG: ClassVar[tuple[str, str]] = ("type", "audio")
    data: str
    mime_type: str
    annotations: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class ResourceLink:
    """A pointer to a resource, as an @-mention makes it."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource_link")
    uri: str
    name: str
    title: str | Unset | None = UNSET
    description: str | Unset | None = UNSET
    mime_type: str | Unset | None = UNSET
    size: int | Unset | None = UNSET
    annotations: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class EmbeddedResource:
    """A resource sent whole: ``resource`` holds ``uri`` and either ``text`` or base64 ``blob``."""

    TAG: ClassVar[tuple[str, str]] = ("type", "resource")
    resource: Mapping[str, Any]
    annotations: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class UnknownContent:
    """A block of a kind this version does not know, kept as it came."""

    kind: str
    raw: Mapping[str, Any]


ContentBlock = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContent
)


@dataclass(frozen=True, slots=True)
class ToolContent:
    """An ordinary content block inside a tool call."""

    TAG: ClassVar[tuple[str, str]] = ("type", "content")
    content: ContentBlock
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class Diff:
    """A file change; ``old_text`` is ``None`` for a new file. ``path`` is absolute."""

    TAG: ClassVar[tuple[str, str]] = ("type", "diff")
    path: str
    new_text: str
    old_text: str | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class PatchDiff:
    """File changes as the v2 draft tells them: ``changes`` are ``{operation, path, fileType?}``,
    ``patch`` is ``{format: "git_patch", text}`` with the paths as they are.
    """

    TAG: ClassVar[tuple[str, str]] = ("type", "diff")
    changes: tuple[Mapping[str, Any], ...]
    patch: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class TerminalRef:
    """A terminal whose output the client shows in place."""

    TAG: ClassVar[tuple[str, str]] = ("type", "terminal")
    terminal_id: str
    meta: Meta | Unset = UNSET


ToolCallContent = ToolContent | Diff | PatchDiff | TerminalRef | UnknownContent


@dataclass(frozen=True, slots=True)
class Location:
    """A file the tool works on; ``line`` counts from 1."""

    path: str
    line: int | Unset | None = UNSET
    meta: Meta | Unset = UNSET


def text_of(block: object) -> str:
    """The text that ``block`` shows, empty for what is not text."""
    return block.text if isinstance(block, TextContent) else ""
