"""The answers to a permission request: which key belongs to which option is a table.

Pure: it knows the kinds of ACP, and nothing of how a line is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from canopy_shared.permission import ALLOW_ALWAYS, ALLOW_ONCE, REJECT_ALWAYS, REJECT_ONCE
from canopy_tui.view.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_shared.permission import PermissionOption

_STYLES: Final = {
    ALLOW_ONCE: "$success",
    ALLOW_ALWAYS: "$warning",
    REJECT_ONCE: "$error",
    REJECT_ALWAYS: "$error",
}
KIND_KEYS: Final = {ALLOW_ONCE: "y", ALLOW_ALWAYS: "a", REJECT_ONCE: "n", REJECT_ALWAYS: "N"}


def permission_answers(options: Sequence[PermissionOption]) -> tuple[Answer, ...]:
    """Exactly ``options``, in their order.

    The first option of a known kind gets the key of that kind; all others get their number.
    """
    free = dict(KIND_KEYS)
    answers = []
    for number, option in enumerate(options, 1):
        key = free.pop(option.kind, str(number) if number < 10 else "")
        style = _STYLES.get(option.kind, "")
        answers.append(Answer(key, option.name, option.option_id, style))
    return tuple(answers)
