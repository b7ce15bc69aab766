"""Python's names with two underscores on either side: they stay names where Markdown has bold.

CommonMark makes ``src/__main__.py`` bold too, since a dot or slash is no part of a word; agents
write such names all the time, and bold with asterisks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_NAME = re.compile(r"__([a-z][a-z0-9]*(?:_[a-z0-9]+)*)__(?![\w_])")
_GOES_ON = re.compile(r"[.(\[:/\\]\w|\(\)")
_NAMES = """
all annotations bool builtins bytes call class contains copy debug delattr delitem del dict doc
enter eq exit file format future ge get getattr getattribute getitem gt hash import init iter le len
loader lt main missing module name ne new next package path post_init prepare pycache qualname
reduce repr set setattr setitem slots spec str subclasses version
aenter aexit aiter anext await author
"""
_KNOWN = frozenset(_NAMES.split())


def keep_dunders(parser: MarkdownIt) -> MarkdownIt:
    """Have ``parser`` leave such names as they are written; gives it back."""
    parser.inline.ruler.before("emphasis", "dunder", _rule)
    return parser


def _rule(state: StateInline, silent: bool) -> bool:
    begin = state.pos
    found = _NAME.match(state.src, begin, state.posMax) if state.src[begin] == "_" else None
    if found is None or not _is_name(state.src, begin, found):
        return False
    if not silent:
        state.pending += found.group()
    state.pos = found.end()
    return True


def _is_name(source: str, begin: int, found: re.Match[str]) -> bool:
    before = source[begin - 1 : begin]
    if before == "_" or before.isalnum():
        return False
    return (
        found.group(1) in _KNOWN
        or (before != "" and before in "/.\\")
        or _GOES_ON.match(source, found.end()) is not None
    )
