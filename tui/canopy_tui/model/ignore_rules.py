"""Rules of ``.gitignore`` files, for directories that git itself is not there to list.

Follows https://git-scm.com/docs/gitignore: comments, ``!``, anchored patterns, ``**`` and patterns
for directories only. Nothing is read from disk here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

NEVER = frozenset({".git", ".hg", ".svn", ".jj"})
"""Directories that belong to a version control."""
USUALLY_NOT = frozenset(
    {
        "node_modules",
        "__pycache__",
        ".venv",
        "venv",
        ".tox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".cache",
        "target",
        "dist",
        "build",
    }
)
"""Directories that are left out where no rules say anything."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a file in the directory ``place`` (``""`` or ``a/b/``)."""

    place: str
    pattern: re.Pattern[str]
    keeps: bool
    directories_only: bool


def rules_of(text: str, place: str = "") -> tuple[Rule, ...]:
    """The rules of one file."""
    rules = (_rule(line, place) for line in text.splitlines())
    return tuple(rule for rule in rules if rule is not None)


def is_ignored(path: str, *, is_directory: bool, rules: Sequence[Rule]) -> bool:
    """Whether the last rule that fits ``path`` leaves it out; directories above it were kept."""
    for rule in reversed(rules):
        if rule.directories_only and not is_directory:
            continue
        if path.startswith(rule.place) and rule.pattern.fullmatch(path, len(rule.place)):
            return not rule.keeps
    return False


def _rule(line: str, place: str) -> Rule | None:
    line = re.sub(r"(?<!\\)\s+$", "", line)
    if not line or line.startswith("#"):
        return None
    keeps = line.startswith("!")
    line = line[1:] if keeps else line
    directories_only = line.endswith("/")
    line = line.rstrip("/")
    if not line:
        return None
    anchored = "/" in line
    pattern = _pattern(line.lstrip("/"))
    try:
        compiled = re.compile(pattern if anchored else f"(?:.*/)?{pattern}")
    except re.error:
        return None
    return Rule(place, compiled, keeps, directories_only)


@lru_cache(maxsize=512)
def _pattern(glob: str) -> str:
    parts, at = [], 0
    while at < len(glob):
        taken, part = _piece(glob, at)
        parts.append(part)
        at += taken
    return "".join(parts)


def _piece(glob: str, at: int) -> tuple[int, str]:
    """How many characters of ``glob`` one piece takes, and its expression."""
    if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
        return 3, "(?:.*/)?"
    if glob.startswith("**", at) and at + 2 == len(glob) and glob[at - 1 : at] == "/":
        return 2, ".*"
    match glob[at]:
        case "*":
            return 1, "[^/]*"
        case "?":
            return 1, "[^/]"
        case "\\" if at + 1 < len(glob):
            return 2, re.escape(glob[at + 1])
        case "[":
            end = glob.find("]", at + 2)
            if end > 0:
                inner = glob[at + 1 : end].replace("\\", "\\\\")
                negated = inner.startswith(("!", "^"))
                return end + 1 - at, f"[{'^/' if negated else ''}{inner[negated:]}]"
            return 1, r"\["
        case other:
            return 1, re.escape(other)
