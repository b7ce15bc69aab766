"""Content that is not text, in a few words: what it is, how large, where it lies.

Nothing is decoded and nothing is fetched, and the words are foreign text still.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from canopy_shared.content import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    UnknownContent,
)
from canopy_tui.model.mentions import mentioned

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock

_WRITTEN_LINK = re.compile(r"\[@([^\n]*?)\]\((file://[^\s()]+)\)")


def described(content: ContentBlock) -> str:
    """``content`` in a few words."""
    match content:
        case ImageContent(data=encoded, mime_type=mime, uri=uri):
            place = f" {uri}" if isinstance(uri, str) and uri else ""
            return f"[image {_kind(mime)}, {_size(encoded)}{place}]"
        case AudioContent(data=encoded, mime_type=mime):
            return f"[audio {_kind(mime)}, {_size(encoded)}]"
        case ResourceLink(uri=uri, name=name, title=title):
            label = title if isinstance(title, str) and title else name
            return f"@{label} ({uri})" if label != uri else f"@{label}"
        case EmbeddedResource(resource=resource):
            return f"[resource {resource.get('uri', '')}, {_amount(resource)}]"
        case UnknownContent(kind=kind):
            return f"[content of a kind this version does not show: {kind}]"
        case TextContent(text=text):
            return text


def _kind(mime: str) -> str:
    """``image/png`` as people say it, and what is no such word as it came."""
    kind = mime.rpartition("/")[2]
    return kind.upper() if kind.isascii() and kind.isalnum() else mime


def is_named_in(text: str, content: ContentBlock) -> bool:
    """Whether ``content`` is a link to a file that ``text`` mentions with ``@`` and its path."""
    if not isinstance(content, ResourceLink) or not content.uri.startswith("file://"):
        return False
    place = unquote(content.uri.removeprefix("file://")).rstrip("/")
    return any(
        place.endswith("/" + path.removeprefix("~/").strip("/"))
        for spellings in mentioned(text)
        for path in spellings
        if path.strip("/")
    )


def as_sent(content: ContentBlock) -> ContentBlock:
    """A block of a stored prompt as it was before an agent wrote it down: the adapters of Claude
    Code give a file to the model as a text of its own, ``[@name](file://…)``.
    """
    found = _WRITTEN_LINK.fullmatch(content.text) if isinstance(content, TextContent) else None
    return ResourceLink(found[2], unquote(found[1])) if found is not None else content


def _amount(resource: object) -> str:
    get = getattr(resource, "get", None)
    text = get("text") if get else None
    if isinstance(text, str):
        return f"{text.count(chr(10)) + 1:,} lines"
    blob = get("blob") if get else None
    return _size(blob) if isinstance(blob, str) else "empty"


def _size(encoded: str) -> str:
    size = len(encoded) * 3 // 4
    for unit in ("B", "kB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} MB"
