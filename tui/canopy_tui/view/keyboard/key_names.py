"""The names of keys as a person reads them, from Textual's spelling.

Which keys there are is not known here.
"""

from __future__ import annotations

_NAMES = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "shift": "Shift",
    "alt": "Alt",
    "ctrl": "Ctrl",
    "super": "Super",
    "backspace": "Backspace",
    "delete": "Del",
    "insert": "Ins",
    "full_stop": ".",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "dollar_sign": "$",
    "backslash": "\\",
    "underscore": "_",
    "slash": "/",
    "minus": "-",
    "plus": "+",
}
_PLAIN_NAMES = {"up": "Up", "down": "Down", "left": "Left", "right": "Right"}


def shown(keys: str, *, ascii_only: bool = False) -> str:
    """``keys`` as a person reads them: ``ctrl+t`` is ``Ctrl+T``, alternatives with `` / ``."""
    return " / ".join(_shown(key, ascii_only) for key in keys.split(","))


def _shown(key: str, ascii_only: bool) -> str:
    *modifiers, last = key.split("+")
    names = {**_NAMES, **_PLAIN_NAMES} if ascii_only else _NAMES
    if last not in names:
        names = {**names, last: last.upper() if modifiers or last[1:].isdigit() else last}
    return "+".join(names.get(part, part) for part in (*modifiers, last))
