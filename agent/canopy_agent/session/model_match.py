"""Which listed model a free spelling means: ids, aliases, display names and parts of them.

It compares letters alone; where a list comes from is not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_DROPPED_TOKENS: Final = frozenset({"claude", "best", "default"})
_TOKEN_ALIASES: Final = {"opusplan": "opus"}
_LONG_CONTEXT: Final = "[1m]"
_VERSION: Final = re.compile(r"(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d.])")

DEFAULT_MODEL: Final = "default"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model that can be picked. ``value`` is what the CLI takes; ``resolved`` the id it
    runs.
    """

    value: str
    name: str
    description: str = ""
    resolved: str | None = None
    label: str = ""
    efforts: tuple[str, ...] = ()
    fast: bool = False
    auto: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """The row that was meant. ``same`` is false when the CLI may not read the spelling this way."""

    row: ModelRow
    same: bool


def canonical(model: str) -> str:
    """A model id in one spelling: lower case, the long context as ``[1m]``."""
    text = model.strip().lower()
    return f"{text[:-3]}{_LONG_CONTEXT}" if text.endswith("-1m") else text


def _bare(model: str) -> str:
    return canonical(model).removesuffix(_LONG_CONTEXT)


def _long(model: str) -> bool:
    return canonical(model).endswith(_LONG_CONTEXT)


def _version(text: str) -> tuple[str, ...]:
    found = _VERSION.search(_bare(text))
    return tuple(part for part in found.groups() if part) if found else ()


def _compatible(wanted: str, row: ModelRow) -> bool:
    """Whether the row is of the version and context that the spelling names, if it names any."""
    if _long(wanted) != _long(row.value):
        return False
    version = _version(wanted)
    if not version:
        return True
    known = _version(row.resolved or "") or _version(row.name) or _version(row.value)
    return known[: len(version)] == version


def _spellings(row: ModelRow) -> tuple[str, ...]:
    texts = (row.value, row.name, row.label, row.resolved or "")
    return tuple(_bare(text) for text in texts if text)


def _tokens(text: str) -> set[str]:
    words = re.findall(r"[a-z]+", _bare(text))
    return {_TOKEN_ALIASES.get(word, word) for word in words} - _DROPPED_TOKENS


def match_model(rows: tuple[ModelRow, ...], wanted: str) -> Match | None:
    """The row that ``wanted`` means, None when no row is near; the surest way of matching wins."""
    exact = canonical(wanted)
    name = wanted.strip().casefold()
    concrete_first = sorted(rows, key=lambda row: row.value == DEFAULT_MODEL)
    sure = (
        (row for row in rows if row.value == wanted),
        (row for row in rows if canonical(row.value) == exact),
        (row for row in concrete_first if canonical(row.resolved or "") == exact),
    )
    for rule in sure:
        if found := next(rule, None):
            return Match(found, same=True)
    if name and (found := next((row for row in rows if name in _names(row)), None)):
        return Match(found, same=False)
    if not _tokens(wanted):
        return None  # "claude" or a bare number is part of every name
    near = [row for row in concrete_first if _compatible(wanted, row)]
    part = _bare(wanted)
    for row in near:
        if any(part in text or (len(text) > 2 and text in part) for text in _spellings(row)):
            return Match(row, same=False)
    return _best_by_tokens(near, wanted)


def _names(row: ModelRow) -> tuple[str, ...]:
    return tuple(text.casefold() for text in (row.name, row.label) if text)


def _best_by_tokens(rows: list[ModelRow], wanted: str) -> Match | None:
    tokens = _tokens(wanted)
    scored = [
        (len(tokens & set().union(*map(_tokens, _spellings(row)))), -index, row)
        for index, row in enumerate(rows)
    ]
    score, _, row = max(scored, key=lambda item: item[:2], default=(0, 0, None))
    return Match(row, same=False) if row is not None and score > 0 else None
