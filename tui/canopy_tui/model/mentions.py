"""Files named in a message: ``@path``, and what a terminal types when a file is dropped on it.

It knows how a path is spelled, not whether it is there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_MENTION = re.compile(r'(?<![^\s(\[{<"\',])@(?:"([^"\n]+)"|([^\s"]+))')
_OPEN = re.compile(r'(?<![^\s(\[{<"\',])@(?:"([^"\n]*)|([^\s"]*))$')
_LINES = re.compile(r"(?::\d+(?:-\d+)?(?::\d+)?|#L?\d+(?:-L?\d+)?)$")
_CLOSING = ".,;:!?)]}>'\""
MOST_MENTIONS = 50
MOST_DROPPED = 20
_LONGEST = MOST_DROPPED * 3 * 4096
"""Characters of so many paths, each as long as one may be and with every byte as ``%2F``."""


@dataclass(frozen=True, slots=True)
class Open:
    """A mention that is being typed: it begins at column ``start``; ``path`` is what there is."""

    start: int
    path: str


def open_mention(line: str, column: int) -> Open | None:
    """The mention that ends at the caret, None when there is none."""
    found = _OPEN.search(line[:column])
    if found is None:
        return None
    return Open(found.start(), found[1] if found[1] is not None else found[2])


def spelled(path: str) -> str:
    """``path`` as a mention."""
    return f'@"{path}"' if re.search(r"\s", path) else f"@{path}"


def mentioned(text: str) -> Iterator[tuple[str, ...]]:
    """For each mention the paths it may mean, likeliest first, without an end of the sentence or
    a line number that sticks to it.
    """
    for number, found in enumerate(_MENTION.finditer(text)):
        if number >= MOST_MENTIONS:
            return
        if found[1] is not None:
            yield (found[1],)
            continue
        path: str = found[2]
        bare = path.rstrip(_CLOSING)
        tries = (path, bare, _LINES.sub("", path), _LINES.sub("", bare))
        yield tuple(dict.fromkeys(one for one in tries if one))


def dropped_paths(text: str) -> list[str]:
    """The absolute paths that a pasted ``text`` consists of; empty when it is anything else.

    Terminals paste a dropped file as a ``file://`` address, in quotes, or with its special
    characters behind backslashes; several are separated by spaces or lines.
    """
    paths: list[str] = []
    if len(text) > _LONGEST:
        return paths
    for word in _words(text.strip()):
        path = _path(word) if word is not None else None
        if path is None or len(paths) == MOST_DROPPED:
            return []  # a long text is not read on
        paths.append(path)
    return [path for path in paths if path]


_WORD = re.compile(r"""\s*(?:'([^'\n]*)'|"([^"\n]*)"|((?:\\[^\n]|[^\s'"\\])+))(?=\s|$)""")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def _words(text: str) -> Iterator[str | None]:
    """One after the other, as they are asked for; None where something is no word."""
    if _DRIVE.match(text) and "\n" not in text:
        yield text  # a backslash is no escape there
        return
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None:
            yield None
            return
        single, double, bare = word.groups()
        if bare is not None:
            yield re.sub(r"\\(.)", r"\1", bare)
        else:
            yield single if single is not None else double
        at = word.end()


def _path(word: str) -> str | None:
    if word.startswith("file://"):
        try:
            path = unquote(urlsplit(word).path)
        except ValueError:
            return None
        return path[1:] if _DRIVE.match(path[1:]) else path
    return word if word.startswith(("/", "~/")) or _DRIVE.match(word) else None
