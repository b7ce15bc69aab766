"""Code fences that their own content cannot close.

It knows Markdown's fence rule (CommonMark 4.5) and nothing of where the text comes from.
"""

from __future__ import annotations

import re

_RUNS = re.compile(r"`{3,}")
_WHOLE = re.compile(r"\A\s*(`{3,})[^\n`]*\n(.*?)\n?\1\s*\Z", re.DOTALL)


def fenced(text: str, language: str = "") -> str:
    """``text`` in a fence longer than any run of backticks inside it."""
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def unfenced(text: str) -> str:
    """``text`` without the fence that encloses all of it, if there is one."""
    whole = _WHOLE.match(text)
    return whole.group(2) if whole else text
