"""Titles of tool calls: short, on one line, with paths as a person would write them.

Nothing here knows a tool; what a title says is the reporters' business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

MAX_TITLE = 4000
_SPACE = re.compile(r"\s+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def clean_title(title: str, fallback: str) -> str:
    """``title`` on one line without control characters; ``fallback`` when it is empty or too long.

    Marks that reorder or hide text count as control characters: a title is what a person approves.
    """
    plain = _SPACE.sub(" ", _CONTROL.sub("", _SPACE.sub(" ", title))).strip()
    return plain if 0 < len(plain) <= MAX_TITLE else fallback


def shown_path(path: str, cwd: str) -> str:
    """``path`` relative to ``cwd`` when it lies below, else as it is."""
    root = cwd.rstrip("/\\")
    for separator in "/\\":
        if root and path.startswith(root + separator):
            return path[len(root) + 1 :] or path
    return path


def text_field(source: Mapping[str, Any], *names: str) -> str:
    """The first of ``names`` that holds a non-blank string, else an empty one."""
    for name in names:
        value = source.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def whole_number(source: Mapping[str, Any], name: str) -> int | None:
    """A field as a whole number, None when it is absent or is something else."""
    value = source.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return int(value)
    except (OverflowError, ValueError):
        return None
