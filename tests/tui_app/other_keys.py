"""A key for every action, none of them usual, and how to see that a screen names no usual one.

It must not know what the actions do.
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from canopy_tui.view.keyboard import keys

if TYPE_CHECKING:
    from tui_app.playing import Play

IDS = [key.id for group in keys.ALL for key in group.keys if not key.fixed]
_UNUSUAL = [
    "+".join((*modifiers, f"f{number}"))
    for count in (2, 3, 4)
    for modifiers in combinations(("alt", "ctrl", "shift", "super"), count)
    for number in range(1, 25)
]
_UNUSUAL += [f"{modifier}+f{number}" for modifier in ("super", "alt") for number in range(1, 25)]
OTHER = dict(zip(IDS, _UNUSUAL, strict=False))
USUAL_NAMES = re.compile(
    r"(?<![+\w])(?:F\d+|Esc|Enter|Tab|Space|PgUp|PgDn|Home|End|Up|Down|Left|Right)(?!\w)"
    r"|\^[A-Z\\]|(?:Ctrl|Alt|Shift)\+(?!(?:Ctrl|Alt|Shift|Super|F\d))\S|[↑↓←→]"
    r"|(?<!\S)[b-hj-zB-HJ-Z](?!\S)"
)
"""A key by its usual name: none of the others is called so."""


def unnamed(play: Play) -> None:
    """No usual key is named on the screen in front."""
    found = [
        (found[0], line.strip()[:120])
        for line in play.lines
        for found in USUAL_NAMES.finditer(line)
    ]
    assert not found, f"{found}\n{play.text}"
