"""300 texts that try to steer a terminal, to be read as markup, or to mislead the eye.

It must not know where they are shown.
"""

from __future__ import annotations

from itertools import product

_STARTS = ("", "[", "[/", "[@click=app.quit]", "\x1b]52;c;eA==\x07", "\x1b[2J", "```", "$")
_MIDDLES = (
    "[red]x[/red]",
    "\\[",
    "a\x00b\x9bm",
    "\u202eevil\u2066",
    "zero\u200bwidth\ufeff",
    "日本語" * 9,
    "👩‍👩‍👧‍👦🇯🇵⚠️",
    "e\u0301" * 30,
    "\ud800",
    "x" * 500,
    "tab\there\rback",
    "two\nlines\r\nthree\n\n\n",
    "| a | b |\n|---|",
)
_ENDS = ("", "]", "\x1b[0m", "`")
_ALL = ["".join(parts) for parts in product(_STARTS, _MIDDLES, _ENDS)]
HOSTILE = [_ALL[at * len(_ALL) // 300] for at in range(300)]


def harmless(text: str) -> bool:
    """Whether no character steers a terminal or turns the reading direction."""
    odd = {c for c in text if ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000}
    return not odd - {"\n"} and not set("\u202e\u2066\u200b\ufeff") & set(text)
