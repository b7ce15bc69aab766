"""Syntax colours: source lines to styled runs, by Pygments.

A language that Pygments does not know, and lines too long to be written by hand, stay plain.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from canopy_tui.view.drawing.strips import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.style import Style

    from canopy_tui.view.drawing.ink import Ink
    from canopy_tui.view.drawing.strips import Line

_LONGEST = 1_000
"""A line with more characters is not coloured: minified code makes lexers slow."""


def code_lines(source: str, language: str, ink: Ink, before: str = "") -> list[Line]:
    """``source`` as lines on the background of code; ``before`` only helps the colours."""
    lexer = _lexer(language)
    lines = printable(source).split("\n")
    if lexer is None or any(len(line) > _LONGEST for line in lines):
        return [[(line, ink.code)] if line else [] for line in lines]
    skipped = printable(before).split("\n") if before else []
    coloured = _coloured("\n".join([*skipped, *lines]), lexer, ink)[len(skipped) :]
    if ["".join(text for text, _ in line) for line in coloured] != lines:
        return [[(line, ink.code)] if line else [] for line in lines]
    return coloured


def language_of(path: str) -> str:
    """The Pygments alias for a file name, empty when unknown."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return _language_of_suffix(name if "." not in name else "*." + name.rpartition(".")[2])


@lru_cache(maxsize=256)
def _language_of_suffix(name: str) -> str:
    from pygments.lexers import (  # type: ignore[import-untyped]  # no stubs needed for two names
        find_lexer_class_for_filename,
    )

    found: Any = find_lexer_class_for_filename(name.replace("*", "file"))
    return found.aliases[0] if found is not None and found.aliases else ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> Any:
    """The lexer for a name as found behind a fence, or None."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # as above

    if not language or len(language) > 40:
        return None
    try:
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _coloured(text: str, lexer: Any, ink: Ink) -> list[Line]:
    lines: list[Line] = [[]]
    for token, value in lexer.get_tokens(text):
        style = _style_of(token, ink)
        first, *rest = value.split("\n")
        if first:
            lines[-1].append((first, style))
        lines += [[(part, style)] if part else [] for part in rest]
    return lines


@lru_cache(maxsize=1024)
def _style_of(token: Any, ink: Ink) -> Style:
    """The style of the token or of its nearest parent that has one."""
    styles: Mapping[str, Style] = ink.syntax
    kinds = list(token)
    while kinds:
        if (style := styles.get(".".join(kinds))) is not None:
            return ink.code + style
        kinds.pop()
    return ink.code
