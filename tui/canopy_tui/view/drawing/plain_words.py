"""One line of Markdown as the words that a person reads in the transcript, without its marks.

A line is looked at alone: whether it lies in a code fence is told by ``markdown_split.fences``.
What cannot be parsed stays as it is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKS = re.compile(r"[*_`~\[\]#>|\\&<+-]|^\s*\d+[.)]")
_CELLS = re.compile(r"(?<!\\)\|")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    from canopy_tui.view.drawing.dunders import keep_dunders

    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 40}).enable("strikethrough")
    return keep_dunders(parser).disable(["reference", "code", "fence", "hr", "lheading"])


def plain_words(line: str) -> str:
    """``line`` without marks; a link is followed by its address, as it is in the transcript."""
    if not _MARKS.search(line):
        return line
    if line.lstrip().startswith("|"):
        cells = _CELLS.split(line.strip().strip("|"))
        return "  ".join(words for cell in cells if (words := _read(cell)))
    return _read(line)


def _read(line: str) -> str:
    try:
        tokens = _parser().parse(line.strip())
        words = "".join(part for token in tokens for part in _said(token.children or ()))
    except (RecursionError, IndexError, ValueError, KeyError):
        return line.strip()
    return words.strip()


def _said(tokens: list[Token] | tuple[Token, ...]) -> Iterator[str]:
    addresses: list[tuple[str, int]] = []
    said: list[str] = []
    for token in tokens:
        match token.type:
            case "link_open":
                addresses.append((str(token.attrs.get("href", "")), len(said)))
                continue
            case "link_close":
                address, at = addresses.pop()
                text = "" if address == "".join(said[at:]) else f" ({address})"
            case "softbreak" | "hardbreak":
                text = " "
            case _:
                text = token.content
        said.append(text)
        yield text
