"""What an entry leads to outside of the client: links, files and pictures, in order.

Pure: it reads source text and opens nothing; whether something may be opened is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from canopy_shared.content import Diff, ImageContent, ResourceLink, TextContent, ToolContent
from canopy_tui.model.attachments import described
from canopy_tui.model.entries import AnyEntry, ChangesEntry, MessageEntry, ToolEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from canopy_shared.content import ContentBlock

MOST = 50
_READ = 200_000
"""Characters of a text in which links are looked for."""
_LINK = re.compile(r"(?:https?://|mailto:|file://)[^\s<>\"'`|\\^{}\[\]]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lead:
    """``target`` is an address or an absolute path; ``line`` counts from 1, 0 when not known. A
    ``picture`` has no target.
    """

    label: str
    target: str = ""
    line: int = 0
    picture: ImageContent | None = None


def leads_of(entry: AnyEntry, cwd: str) -> list[Lead]:
    """At most ``MOST``, each once. Paths that are not absolute start at ``cwd``."""
    found: dict[object, Lead] = {}
    for lead in _leads(entry, cwd):
        found.setdefault(lead.target or id(lead.picture), lead)
        if len(found) >= MOST:
            break
    return list(found.values())


def _leads(entry: AnyEntry, cwd: str) -> Iterator[Lead]:
    match entry:
        case MessageEntry():
            yield from _links(entry.text)
            for extra in entry.extras:
                yield from _of_block(extra)
        case ToolEntry():
            for place in entry.locations:
                line = place.line if isinstance(place.line, int) else 0
                yield _file(place.path, cwd, line)
            for part in entry.content:
                if isinstance(part, Diff):
                    yield _file(part.path, cwd)
                elif isinstance(part, ToolContent):
                    yield from _of_block(part.content)
            yield from _links(entry.title)
            yield from _links(entry.output[-_READ:])
        case ChangesEntry():
            yield from (_file(path, cwd) for path in entry.paths)
        case _:
            return


def _of_block(block: ContentBlock) -> Iterator[Lead]:
    match block:
        case ImageContent():
            yield Lead(described(block), picture=block)
        case ResourceLink(uri=uri):
            yield Lead(uri, uri)
        case TextContent(text=text):
            yield from _links(text)
        case _:
            return


def _links(text: str) -> Iterator[Lead]:
    for match in _LINK.finditer(text[:_READ]):
        address = match.group().rstrip(".,;:!?*_~")
        if address.endswith(")") and "(" not in address:
            address = address[:-1].rstrip(".,;:!?")
        yield Lead(address, address)


def _file(path: str, cwd: str, line: int = 0) -> Lead:
    whole = str(PurePath(cwd) / path) if cwd else path
    return Lead(f"{path}:{line}" if line else path, whole, line)
