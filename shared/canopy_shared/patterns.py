"""Checks a text against a regular expression of somebody else, in bounded time or not at all.

Only what cannot take long is tried: no groups that repeat, no references, no looking around, and
no more ways to match than ``MOST_STEPS``. The rest is left to the one who asks, as MCP and JSON
Schema clients may; nothing else of a form is known here.
"""

from __future__ import annotations

import re

MOST_STEPS = 1_000_000
"""Ways to try a match, at most: a tenth of a second."""
_LONGEST_PATTERN = 300
_MOST_REPEATS = 1000

_TOKEN = re.compile(
    r"""(?P<set>\[\^?(?:\\[^\n]|[^\]\\\n])+\])
    |(?P<escape>\\(?:[dDwWsSbBtnrfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^A-Za-z0-9\n]))
    |(?P<open>\((?:\?:)?(?!\?))
    |(?P<close>\)(?P<optional>\??))
    |(?P<quantifier>(?:[*+?]|\{(?P<low>\d{1,4})(?P<comma>,(?P<high>\d{0,4}))?\})\??(?![*+?{]))
    |(?P<branch>\|)
    |(?P<plain>[^\\\[\](){}*+?|\n])""",
    re.VERBOSE,
)
_SET_ESCAPE = re.compile(r"\\(?:[dDwWsSbtnrfv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^A-Za-z0-9])|(.)")


def fits(pattern: str, value: str) -> bool | None:
    """Whether ``pattern`` is found in ``value``, as JSON Schema has it; None: not to be told."""
    if len(pattern) > _LONGEST_PATTERN:
        return None
    ours = _bounded(pattern, len(value))
    if ours is None:
        return None
    try:
        return re.search(ours, value, re.ASCII) is not None
    except (re.error, OverflowError, RecursionError):
        return None


def _bounded(pattern: str, length: int) -> str | None:
    """``pattern`` in Python's spelling when trying it on ``length`` characters takes few steps."""
    steps = 1 if pattern.startswith("^") and "|" not in pattern else length + 1
    parts: list[str] = []
    at, after = 0, ""
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            return None
        text = token.group()
        kind = next(name for name in _KINDS if token[name] is not None)
        if kind == "quantifier":
            if after not in ("set", "escape", "plain") or parts[-1] in ("^", r"\Z"):
                return None
            ways = _ways(token, length)
            if ways is None:
                return None
            steps *= ways
        elif kind == "branch" or token["optional"]:
            steps *= 2
        if steps > MOST_STEPS:
            return None
        spelled = _spelled(kind, text)
        if spelled is None:
            return None
        parts.append(spelled)
        at, after = token.end(), kind
    return "".join(parts)


_KINDS = ("set", "escape", "open", "close", "quantifier", "branch", "plain")


def _ways(token: re.Match[str], length: int) -> int | None:
    if token["low"] is None:
        return 2 if token.group().startswith("?") else length + 1
    low = int(token["low"])
    high = int(token["high"]) if token["high"] else length if token["comma"] else low
    if max(low, high) > _MOST_REPEATS:
        return None
    return max(1, min(high, length) - low + 1)


def _spelled(kind: str, text: str) -> str | None:
    """The same for Python, whose ``$`` forgives a line break and whose sets warn of some signs."""
    if kind == "plain" and text == "$":
        return r"\Z"
    if kind == "set":
        inner = text[1:-1].removeprefix("^")
        found = list(_SET_ESCAPE.finditer(inner))
        if "".join(one.group() for one in found) != inner or any(one[1] == "\\" for one in found):
            return None
        body = "".join(
            f"\\{one[1]}" if one[1] and one[1] in "[&|~" else one.group() for one in found
        )
        return None if "--" in body else f"[{'^' if text[1] == '^' else ''}{body}]"
    return text
