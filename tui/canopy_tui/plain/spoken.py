"""Markdown as lines for somebody who reads or hears them: without its marks, code as it is.

A line is looked at when it is whole; where the words go is not known here.
"""

from __future__ import annotations

import re

from canopy_shared.fences import closes, opening
from canopy_tui.view.drawing.plain_words import plain_words

_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(\[[ xX]\]\s+)?(.*)")
_DELIMITERS = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?")

_RULE = re.compile(r" {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})")


class Spoken:
    """One per text, given its lines in order."""

    def __init__(self) -> None:
        self._fence = ""

    def __call__(self, line: str) -> str:
        """What is told of ``line``; empty for one that only draws."""
        if self._fence:
            if not closes(line, self._fence, in_list=True):
                return line
            self._fence = ""
            return "end of code"
        begun = opening(line.strip())
        if begun is not None:
            self._fence = begun.mark
            language = begun.words.strip()
            return f"code, {language}:" if language else "code:"
        if _DELIMITERS.fullmatch(line) or _RULE.fullmatch(line):
            return ""
        item = _ITEM.fullmatch(line)
        if item is None:
            return plain_words(line)
        return f"{item[1]}{item[2] or ''}{plain_words(item[3])}"
