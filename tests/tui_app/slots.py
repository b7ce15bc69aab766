"""Every place of the client that holds text of others, found by walking its classes, and objects
with a mark in each of them.

It must not know where such a text is shown.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from canopy_shared.unset import Unset

HARM = "\x1b[7m\u202e[b]"
SEEN = "␛[7m<U+202E>[b]"
"""How the harm looks when it was made harmless, and not taken as markup."""
WITHOUT_ESCAPES = SEEN.removeprefix("␛[7m")
"""The same in the output of a terminal."""

Slot = str
"""``Class.field``."""


@cache
def hints_of(cls: type) -> Mapping[str, Any]:
    """The annotations of a class."""
    return typing.get_type_hints(cls, localns=_names_in(sys.modules[cls.__module__]))


@cache
def _names_in(module: types.ModuleType) -> dict[str, Any]:
    """The names of a module, with those that it imports for types only."""
    names: dict[str, Any] = {}
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module:
            source = importlib.import_module(node.module)
            names |= {
                one.asname or one.name: getattr(source, one.name)
                for one in node.names
                if hasattr(source, one.name)
            }
    return names | vars(module)


def classes_in(hint: Any, found: dict[type, None] | None = None) -> dict[type, None]:
    """Every dataclass that ``hint`` names, and those that its fields name."""
    found = {} if found is None else found
    if isinstance(hint, type) and is_dataclass(hint):
        if hint not in found:
            found[hint] = None
            for inner in hints_of(hint).values():
                classes_in(inner, found)
        return found
    for inner in typing.get_args(hint):
        classes_in(inner, found)
    return found


def _holds_text(hint: Any) -> bool:
    if hint in (str, Any):
        return True
    return any(_holds_text(inner) for inner in typing.get_args(hint))


def slots_in(hint: Any) -> list[Slot]:
    """The slots of all these classes."""
    return [
        f"{cls.__name__}.{field.name}"
        for cls in classes_in(hint)
        for field in fields(cls)
        if field.init and _holds_text(hints_of(cls)[field.name])
    ]


@dataclass
class Filler:
    """Makes objects. ``fixed`` are the values of slots that hold no text of others, or one of a few
    words: one object is made for each of several (a tuple).
    """

    fixed: Mapping[Slot, tuple[Any, ...]]
    prefix: str = "q"

    def __post_init__(self) -> None:
        self._numbers: dict[Slot, int] = {}

    def mark(self, slot: Slot) -> str:
        """The mark of a slot, ready to do harm."""
        number = self._numbers.setdefault(slot, len(self._numbers))
        return f"{self.prefix}{number}z{HARM}"

    def marks(self) -> dict[str, Slot]:
        """How the marks begin → whose they are."""
        return {f"{self.prefix}{number}z": slot for slot, number in self._numbers.items()}

    def every(self, cls: type) -> Iterator[Any]:
        """One object of ``cls`` for each combination of its fixed words."""
        hints = hints_of(cls)
        parts: dict[str, list[Any]] = {}
        for field in fields(cls):
            if field.init:
                slot = f"{cls.__name__}.{field.name}"
                told = self.fixed.get(slot)
                default = field.default is not MISSING or field.default_factory is not MISSING
                if told == () and default:
                    continue  # as it is without a word about it
                parts[field.name] = list(told or [self.value(hints[field.name], slot)])
        # Not all of everything: each word of the longest, the others in turn beside them.
        most = max((len(values) for values in parts.values()), default=1)
        for at in range(most):
            yield cls(**{name: values[at % len(values)] for name, values in parts.items()})

    def one(self, cls: type) -> Any:
        """The first of them."""
        return next(self.every(cls))

    def value(self, hint: Any, slot: Slot) -> Any:
        """Something that fits ``hint``, full of marks."""
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if hint is str:
            return self.mark(slot)
        if hint is Any:
            return {self.mark(slot): [self.mark(slot)]}
        if hint in (int, float, bool):
            return hint(1)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return next(iter(hint))
        if isinstance(hint, type) and is_dataclass(hint):
            return self.one(hint)
        if origin in (typing.Union, types.UnionType):
            return self.value(_most_telling(inner), slot)
        if origin is typing.Literal:
            return inner[0]
        if origin is tuple and inner[-1] is not Ellipsis:
            return tuple(self.value(one, slot) for one in inner)
        if origin in (tuple, list, set, frozenset):
            return origin(self._items(inner[0], slot))
        key, value = inner  # a mapping
        return {self.value(key, slot): self.value(value, slot)}

    def _items(self, hint: Any, slot: Slot) -> Iterator[Any]:
        found = [cls for cls in _alternatives(hint) if isinstance(cls, type) and is_dataclass(cls)]
        for cls in found:
            yield from self.every(cls)
        if not found:
            yield self.value(hint, slot)


def _alternatives(hint: Any) -> tuple[Any, ...]:
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)


def _most_telling(hints: tuple[Any, ...]) -> Any:
    told = [one for one in hints if one not in (type(None), Unset)]
    return next((one for one in told if _holds_text(one) or one is str), told[0])


def harm_of(text: str, marks: Mapping[str, Slot]) -> tuple[set[Slot], list[str]]:
    """Which slots are shown in ``text``, and where one does harm."""
    shown, faults = set[Slot](), list[str]()
    for start, slot in marks.items():
        at = text.find(start)
        while at >= 0:
            shown.add(slot)
            rest = text[at + len(start) : at + len(start) + len(SEEN)]
            if not _is_seen(rest, SEEN) and not _is_seen(rest, WITHOUT_ESCAPES):
                faults.append(f"{slot}: {text[at : at + 40]!r}")
            at = text.find(start, at + 1)
    return shown, faults


def _is_seen(rest: str, wanted: str) -> bool:
    """Whether what follows a mark is what it should be, or as much of it as there was room for."""
    same = next((n for n, (a, b) in enumerate(zip(rest, wanted, strict=False)) if a != b), None)
    if same is None:
        return True
    return rest[same] in "… \n│|╭╮╰╯─┃▌▐▎"
