"""Permission updates that the CLI suggests, validated whole before any of them may be offered.

Shapes and limits follow ``PermissionUpdate`` of the Claude Agent SDK; which tool may offer which
update is not known here.
"""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MOST_UPDATES: Final = 100
MOST_ENTRIES: Final = 100
LONGEST_TOOL_NAME: Final = 512
LONGEST_RULE: Final = 10_000
LONGEST_DIRECTORY: Final = 4_096

SESSION: Final = "session"
LOCAL_SETTINGS: Final = "localSettings"
DESTINATIONS: Final = frozenset(
    {SESSION, "cliArg", "userSettings", "projectSettings", LOCAL_SETTINGS}
)
BEHAVIORS: Final = frozenset({"allow", "deny", "ask"})
MODES: Final = frozenset({"default", "acceptEdits", "plan", "auto", "bypassPermissions", "dontAsk"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A permission rule: ``tool(content)``, or the whole tool without content."""

    tool: str
    content: str | None = None


@dataclass(frozen=True, slots=True)
class RulesUpdate:
    """``addRules``, ``replaceRules`` or ``removeRules``."""

    type: str
    rules: tuple[Rule, ...]
    behavior: str
    destination: str
    raw: Mapping[str, Any]

    @property
    def adds_allow_rules(self) -> bool:
        """Whether it only adds rules that allow."""
        return self.type == "addRules" and self.behavior == "allow"


@dataclass(frozen=True, slots=True)
class ModeUpdate:
    """``setMode``."""

    mode: str
    destination: str
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DirectoriesUpdate:
    """``addDirectories`` or ``removeDirectories``."""

    type: str
    directories: tuple[str, ...]
    destination: str
    raw: Mapping[str, Any]


Suggestion = RulesUpdate | ModeUpdate | DirectoriesUpdate


class _Unusable(Exception):  # noqa: N818 - it never leaves this module
    """One of the suggestions is malformed."""


_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS: Final = "\u200c\u200d"


def is_plain(text: str) -> bool:
    """Whether ``text`` reads as it is: no control, invisible, reordering or line-breaking letter.

    The two joiners are allowed, as letters of some scripts and emoji need them.
    """
    return not any(unicodedata.category(char) in _UNSEEN and char not in _JOINERS for char in text)


def _text(value: object, longest: int) -> str:
    if not isinstance(value, str) or not value or len(value) > longest or not is_plain(value):
        raise _Unusable
    return value


def _entries(value: object) -> list[Any]:
    if not isinstance(value, list) or not 0 < len(value) <= MOST_ENTRIES:
        raise _Unusable
    return value


def _one_of(value: object, known: frozenset[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise _Unusable
    return value


def _rule(value: object) -> Rule:
    if not isinstance(value, Mapping):
        raise _Unusable
    content = value.get("ruleContent")
    return Rule(
        _text(value.get("toolName"), LONGEST_TOOL_NAME),
        None if content is None else _text(content, LONGEST_RULE),
    )


def _suggestion(raw: object) -> Suggestion:
    if not isinstance(raw, Mapping):
        raise _Unusable
    destination = _one_of(raw.get("destination"), DESTINATIONS)
    match raw.get("type"):
        case "addRules" | "replaceRules" | "removeRules" as kind:
            rules = tuple(_rule(item) for item in _entries(raw.get("rules")))
            return RulesUpdate(
                kind, rules, _one_of(raw.get("behavior"), BEHAVIORS), destination, raw
            )
        case "setMode":
            return ModeUpdate(_one_of(raw.get("mode"), MODES), destination, raw)
        case "addDirectories" | "removeDirectories" as kind:
            entries = _entries(raw.get("directories"))
            directories = tuple(_text(item, LONGEST_DIRECTORY) for item in entries)
            return DirectoriesUpdate(kind, directories, destination, raw)
        case _:
            raise _Unusable


def read_suggestions(raw: object) -> tuple[Suggestion, ...] | None:
    """The suggestions as a deep copy; empty when there are none, None when any of them is
    unusable.
    """
    if raw is None:
        return ()
    if not isinstance(raw, list) or len(raw) > MOST_UPDATES:
        return None
    try:
        return tuple(_suggestion(copy.deepcopy(item)) for item in raw)
    except (_Unusable, RecursionError):
        return None


def local_allow_rule(tool: str, content: str | None = None) -> dict[str, Any] | None:
    """The rule that we make ourselves: allow in this project for this user; None when it has no
    safe spelling.
    """
    rule: dict[str, Any] = {"toolName": tool}
    if content is not None:
        rule["ruleContent"] = content
    update = {
        "type": "addRules",
        "rules": [rule],
        "behavior": "allow",
        "destination": LOCAL_SETTINGS,
    }
    return update if read_suggestions([update]) else None
