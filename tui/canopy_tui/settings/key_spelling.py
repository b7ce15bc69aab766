"""Reads a key as people write it (``Ctrl+T``, ``^t``, ``Esc``, ``?``) into Textual's spelling.

It also knows which keys terminals cannot send, or only some; what a key is for is not known here.
"""

from __future__ import annotations

import difflib
import re
import string
import unicodedata
from dataclasses import dataclass

NO_KEY = "none"
"""What a person writes for an action that shall have no key."""

_MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "alt": "alt",
    "meta": "alt",
    "option": "alt",
    "opt": "alt",
    "shift": "shift",
    "super": "super",
    "cmd": "super",
    "command": "super",
}
_ORDER = ("alt", "ctrl", "shift", "super")
_SPECIAL = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"),
    *("backspace", "tab", "enter", "escape", "space"),
    *(f"f{number}" for number in range(1, 25)),
)
_SILENT = frozenset(_SPECIAL) - {"space"} | {NO_KEY}
_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "page_up": "pageup",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "page_down": "pagedown",
    "del": "delete",
    "ins": "insert",
    "spacebar": "space",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
}
_NAMES_OF_CHARACTERS = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
"""Textual's own words for characters whose names in Unicode are unusual."""

_SAME = {
    "ctrl+i": "Tab",
    "ctrl+m": "Enter",
    "ctrl+left_square_bracket": "Esc",
    "ctrl+h": "Backspace",
    "ctrl+shift+i": "Tab",
    "ctrl+shift+m": "Enter",
    "alt+left_square_bracket": "the beginning of arrow keys",
    "alt+O": "the beginning of function keys",
}
_EVERYWHERE_WITH_CTRL = frozenset(
    {*"abcdefghijklmnopqrstuvwxyz", "backslash", "right_square_bracket", "underscore", "at"}
    | {"circumflex_accent", "space"}
    | {"up", "down", "left", "right", "home", "end", "pageup", "pagedown", "insert", "delete"}
)


class KeySpellingError(ValueError):
    """The text is no key that could be used; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """``key`` in Textual's spelling. ``remark``: it does not work in every terminal."""

    key: str
    remark: str = ""

    @property
    def types(self) -> bool:
        """Whether it writes a character into a text."""
        return "+" not in self.key and self.key not in _SILENT


def spelled(text: str) -> Spelled:
    """Read one key. Raises :class:`KeySpellingError`."""
    written = re.sub(r"\s*\+\s*", "+", text.strip()) if text.strip() != "+" else "+"
    if written.casefold() == NO_KEY:
        return Spelled(NO_KEY)
    if re.fullmatch(r"\^.", written):
        written = f"ctrl+{written[1]}"
    head, last = (written[:-2], "+") if written.endswith("++") else _parted(written)
    modifiers = {_modifier(part, text) for part in head.split("+") if part} if head else set()
    name = _last(last, modifiers, text)
    if modifiers == {"shift"} and len(name) == 1:
        modifiers, name = set(), name.upper()
    key = "+".join([*(one for one in _ORDER if one in modifiers), name])
    if key in _SAME:
        raise KeySpellingError(f"terminals send {_SAME[key]} for {text!r}; take another key")
    return Spelled(key, _remark(modifiers, name, text))


def _parted(written: str) -> tuple[str, str]:
    head, _, last = written.rpartition("+")
    return (head, last) if last else ("", written)


def _modifier(part: str, text: str) -> str:
    found = _MODIFIERS.get(part.casefold())
    if found is None:
        near = difflib.get_close_matches(part.casefold(), list(_MODIFIERS), 1, 0.5)
        meant = text.strip().replace(part, near[0], 1) if near else ""
        tip = f"is it {meant!r}" if near else "there are ctrl, alt, shift and super"
        raise KeySpellingError(f"{text!r} is no key: {part!r} is no Ctrl, Alt or Shift; {tip}?")
    return found


def _last(last: str, modifiers: set[str], text: str) -> str:
    if len(last) == 1 and last not in _ALIASES:
        if not last.isprintable():
            raise KeySpellingError(f"{text!r} is no key")
        if last.isdecimal() and modifiers == {"shift"}:
            raise KeySpellingError(f"write the character itself, without shift, for {text!r}")
        if last.isalnum():
            return last.lower() if modifiers - {"shift", "alt"} else last
        if "shift" in modifiers and not modifiers & {"ctrl", "super"}:
            raise KeySpellingError(f"write the character itself, without shift, for {text!r}")
        return "space" if last == " " else _named(last)
    name = _ALIASES.get(last.casefold(), last.casefold().replace("-", "_"))
    if name in _SPECIAL or name in _PUNCTUATION:
        return name
    try:
        character = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        words = [*_SPECIAL, *_PUNCTUATION, *_ALIASES]
        near = difflib.get_close_matches(name, words, 1)
        meant = text.strip()[: -len(last)] + near[0] if near else ""
        tip = f"is it {meant!r}?" if near else 'keys are written like "ctrl+t", "f9", "escape", "?"'
        raise KeySpellingError(f"{text!r} is no key; {tip}") from None
    return character if character.isalnum() else _named(character)


def _named(character: str) -> str:
    try:
        name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    except ValueError:
        return character
    return _NAMES_OF_CHARACTERS.get(name, name)


_PUNCTUATION = frozenset(_named(character) for character in string.punctuation)


def _remark(modifiers: set[str], name: str, text: str) -> str:
    only_some = (
        "super" in modifiers
        or ({"ctrl", "shift"} <= modifiers and len(name) == 1)
        or ("ctrl" in modifiers and name not in _EVERYWHERE_WITH_CTRL and name not in _SPECIAL[15:])
        or ("shift" in modifiers and name in ("enter", "space", "escape", "backspace"))
    )
    return (
        f"only some terminals send {text!r} (kitty, Ghostty, WezTerm, foot …)" if only_some else ""
    )
