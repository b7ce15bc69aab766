"""The keys of the caret in fields that are not the message: one line, or several.

An action has one id, whatever field it is pressed in; which widgets there are is not known here.
"""

from __future__ import annotations

from dataclasses import replace

from canopy_tui.view.keyboard.key import Group, Key
from canopy_tui.view.keyboard.keys import COMPOSER, EDITING, EVERYWHERE

_IN_A_LINE = {
    "edit-left": "cursor_left",
    "edit-right": "cursor_right",
    "edit-word-left": "cursor_left_word",
    "edit-word-right": "cursor_right_word",
    "edit-line-start": "home",
    "edit-line-end": "end",
    "select-left": "cursor_left(True)",
    "select-right": "cursor_right(True)",
    "select-word-left": "cursor_left_word(True)",
    "select-word-right": "cursor_right_word(True)",
    "select-to-start": "home(True)",
    "select-to-end": "end(True)",
    "select-all": "select_all",
    "delete-left": "delete_left",
    "delete-right": "delete_right",
    "delete-word-left": "delete_left_word",
    "delete-word-right": "delete_right_word",
    "delete-to-start": "delete_left_all",
    "delete-to-end": "delete_right_all",
    "cut": "cut",
    "copy": "copy",
    "paste": "app.paste_clipboard",
    "interrupt": "copy",
}
_IN_LINES = {
    "copy": "copy",
    "paste": "app.paste_clipboard",
    "interrupt": "copy",
    "undo": "undo",
    "redo": "redo",
    "history-older": "cursor_up",
    "history-newer": "cursor_down",
    "scroll-up": "cursor_page_up",
    "scroll-down": "cursor_page_down",
}
"""What Textual's ``Input`` and ``TextArea`` call these actions."""


def _renamed(actions: dict[str, str]) -> tuple[Key, ...]:
    keys = (key for group in (EDITING, COMPOSER, EVERYWHERE) for key in group.keys)
    return tuple(
        replace(key, action=actions[key.id], first=False, palette=False)
        for key in keys
        if key.id in actions
    )


CARET = Group(EDITING.title, _renamed(_IN_A_LINE))
"""In one line of text."""
AREA = Group(
    EDITING.title,
    (*(key for key in EDITING.keys if key.id not in _IN_LINES), *_renamed(_IN_LINES)),
)
"""In the lines of a form."""
