"""The answers to a permission request: which key belongs to which option is a table.

Pure: it knows the kinds of ACP, and nothing of how a line is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from canopy_shared.permission import ALLOW_ALWAYS, ALLOW_ONCE, REJECT_ALWAYS, REJECT_ONCE
from canopy_tui.view.dialogs.answers import Answer
from canopy_tui.view.keyboard.keymap import keys_of, name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_shared.permission import PermissionOption

_STYLES: Final = {
    ALLOW_ONCE: "$success",
    ALLOW_ALWAYS: "$warning",
    REJECT_ONCE: "$error",
    REJECT_ALWAYS: "$error",
}
KIND_KEYS: Final = {
    ALLOW_ONCE: "answer-once",
    ALLOW_ALWAYS: "answer-always",
    REJECT_ONCE: "answer-reject",
    REJECT_ALWAYS: "answer-never",
}
"""The id of the key for the first option of a kind."""


def permission_answers(options: Sequence[PermissionOption]) -> tuple[Answer, ...]:
    """Exactly ``options``, in their order.

    The first option of a known kind gets the key of that kind; all others get their number.
    """
    free = dict(KIND_KEYS)
    answers = []
    for number, option in enumerate(options, 1):
        id = free.pop(option.kind, None)
        digit = str(number) if number < 10 else ""
        key, keys = (digit, frozenset({digit} - {""})) if id is None else (name(id), _keys_of(id))
        style = _STYLES.get(option.kind, "")
        answers.append(Answer(key, option.name, option.option_id, style, keys))
    return tuple(answers)


def alike_answer(label: str) -> Answer:
    """The answer that allows all that ask for the same."""
    id = "answer-alike"
    return Answer(name(id), label, id, "$success", _keys_of(id))


def _keys_of(id: str) -> frozenset[str]:
    return frozenset(keys_of(id).split(","))
