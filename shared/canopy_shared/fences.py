"""Code fences: where a line begins or ends one, and ones that their content cannot close.

It knows Markdown's fence rule (CommonMark 4.5) and nothing of where the text comes from.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_RUNS = re.compile(r"`{3,}")
_WHOLE = re.compile(r"\A\s*(`{3,})[^\n`]*\n(.*?)\n?\1\s*\Z", re.DOTALL)


class Fence(NamedTuple):
    """The line that begins a fence: its ``mark``, by how many spaces it is indented, and what
    stands behind the mark.
    """

    mark: str
    indent: int
    words: str


def opening(line: str) -> Fence | None:
    """The fence that ``line`` begins, outside any other."""
    found = _OPENING.match(line)
    return Fence(found[2], len(found[1]), found[3]) if found else None


def closes(line: str, mark: str, *, in_list: bool = False) -> bool:
    """Whether ``line`` ends the fence that began with ``mark``; in a list it may be indented."""
    bare = line.strip()
    if len(bare) < len(mark) or bare.strip(mark[0]):
        return False
    return in_list or line.expandtabs(4).index(mark[0]) < 4


def left_open(text: str) -> str:
    """The mark of the fence that ``text`` does not end; empty when it leaves none open."""
    mark = ""
    for line in text.split("\n"):
        if mark:
            mark = "" if closes(line, mark) else mark
        elif (begun := opening(line.removesuffix("\r"))) is not None:
            mark = begun.mark
    return mark


def fenced(text: str, language: str = "") -> str:
    """``text`` in a fence longer than any run of backticks inside it."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def unfenced(text: str) -> str:
    """``text`` without the fence that encloses all of it, if there is one."""
    whole = _WHOLE.match(text)
    return whole.group(2) if whole else text
