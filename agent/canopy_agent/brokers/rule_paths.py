"""What paths a permission rule covers, and how scopes, paths and commands are put in a label.

Path rules follow https://code.claude.com/docs/en/permissions (Read and Edit patterns); nothing
is looked up on disk.
"""

from __future__ import annotations

import os.path
from pathlib import PurePath
from typing import Final

from canopy_agent.brokers.suggestions import LOCAL_SETTINGS, SESSION

_SCOPES: Final = {
    SESSION: "for this session",
    "cliArg": "for this session",
    LOCAL_SETTINGS: "in this project",
    "projectSettings": "in this project for everyone",
    "userSettings": "in all projects",
}
_LONGEST_COMMAND: Final = 50
_LONGEST_PATH: Final = 200
_MOST_LISTED: Final = 6
_TREE: Final = "/**"
_WILD: Final = frozenset("*?[{")


def scope_of(destination: str) -> str:
    """How long and where an update holds."""
    return _SCOPES[destination]


def absolute(path: str, cwd: str) -> str:
    """``path`` as an absolute one without ``.`` and ``..``, by letters alone."""
    return os.path.normpath(os.path.join(cwd, path))  # noqa: PTH118 - pure joining, no disk


def rule_path(content: str, cwd: str, home: str) -> str | None:
    """The file or directory that a path rule names; None when a wildcard is left in it."""
    bare = content.removesuffix(_TREE) or "/"
    if _WILD.intersection(bare):
        return None
    if bare.startswith("//"):
        return absolute(bare[1:], cwd)
    if bare == "~" or bare.startswith("~/"):
        return absolute(bare[2:] or ".", home)
    return absolute(bare.lstrip("/") or ".", cwd)


def covers(directory: str, path: str) -> bool:
    """Whether ``path`` is ``directory`` or lies in it; both absolute."""
    return PurePath(path).is_relative_to(directory)


def is_claude_settings(path: str) -> bool:
    """Whether ``path`` lies in a ``.claude`` directory, which no mode opens by itself."""
    return ".claude" in PurePath(path).parts


def path_label(path: str) -> str:
    """``path`` for a label; the middle of an overlong one is left out."""
    if len(path) <= _LONGEST_PATH:
        return path
    half = _LONGEST_PATH // 2
    return f"{path[:half]}…{path[-half:]}"


def command_label(rule: str, command: str | None) -> str:
    """What commands a shell rule allows, in few words."""
    shown = f"{rule.removesuffix(':*')} *" if rule.endswith(":*") else rule
    if len(shown) <= _LONGEST_COMMAND:
        return shown
    return "this exact command" if rule == command else "similar commands"


def listed(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; how many more when there are too many to read."""
    shown = parts
    if len(parts) > _MOST_LISTED:
        shown = [*parts[: _MOST_LISTED - 1], f"{len(parts) - _MOST_LISTED + 1} more"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
