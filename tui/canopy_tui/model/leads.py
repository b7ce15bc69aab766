"""What an entry leads to outside of the client: links, files and pictures, in order.

Pure: it reads source text and opens nothing; whether a file is there, and whether something may be
opened, is decided elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from canopy_shared.content import Diff, ImageContent, ResourceLink, TextContent, ToolContent
from canopy_tui.model.attachments import described
from canopy_tui.model.entries import AnyEntry, ChangesEntry, MessageEntry, ToolEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from canopy_shared.content import ContentBlock

MOST = 50
_READ = 200_000
"""Characters of a text in which links are looked for."""
_LINK = re.compile(r"(?:https?://|mailto:|file://)[^\s<>\"'`|\\^{}\[\]]+", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z+.-]+:(?!\d)", re.IGNORECASE)
_CODE = re.compile(r"`([^`\s]{1,300})`")
_WORD = re.compile(r"[^\s`'\"<>()\[\]{}|*,;]{2,300}")
_PLACE = re.compile(r"(.+?)(?::(\d{1,9})(?:[:-]\d+)*|#L(\d{1,9})(?:-L?\d+)?)?")
_ASKED = 300
"""Words of a text of which it is asked whether they name a file."""


@dataclass(frozen=True, slots=True)
class Lead:
    """``target`` is an address or an absolute path; ``line`` counts from 1, 0 when not known. A
    ``picture`` has no target.
    """

    label: str
    target: str = ""
    line: int = 0
    picture: ImageContent | None = None


def leads_of(
    entry: AnyEntry, cwd: str, is_file: Callable[[str], bool] = lambda _path: False
) -> list[Lead]:
    """At most ``MOST``, each once. Paths that are not absolute start at ``cwd``; of those that a
    message only mentions, the ones that ``is_file`` knows.
    """
    found: dict[object, Lead] = {}
    for lead in _leads(entry, cwd, is_file):
        found.setdefault(lead.target or id(lead.picture), lead)
        if len(found) >= MOST:
            break
    return list(found.values())


def lead_to(address: str, cwd: str) -> Lead:
    """Where a link leads: to an address, or to a file from ``cwd`` on."""
    if _SCHEME.match(address):
        return Lead(address, address)
    return _mentioned(unquote(address, errors="surrogateescape"), cwd)


def _leads(entry: AnyEntry, cwd: str, is_file: Callable[[str], bool]) -> Iterator[Lead]:
    match entry:
        case MessageEntry():
            yield from _links(entry.text)
            named = (_mentioned(word, cwd) for word in _words(entry.text))
            yield from (lead for lead in named if is_file(lead.target))
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


def _words(text: str) -> list[str]:
    """Words that may be the path of a file, each once."""
    text = text[:_READ]
    code = set(_CODE.findall(text))
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        word = match.group().rstrip(".:!?")
        if ("/" in word or "." in word[1:] or word in code) and "://" not in word:
            found.setdefault(word)
            if len(found) >= _ASKED:
                break
    return list(found)


def _mentioned(word: str, cwd: str) -> Lead:
    """``word`` as a path, which may end with the number of a line."""
    parts = _PLACE.fullmatch(word)
    if parts is None:
        return _file(word, cwd)
    path, line, also = parts.groups()
    return _file(path, cwd, int(line or also or 0))


def _file(path: str, cwd: str, line: int = 0) -> Lead:
    whole = str(PurePath(cwd) / path) if cwd else path
    return Lead(f"{path}:{line}" if line else path, whole, line)
