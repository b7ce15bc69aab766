"""The keys as the person has them: what each action is on, and how screens and messages name it.

A process has one keyboard, so there is one map in force. What an action does is not known here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from canopy_tui.view.keyboard.key import NO_KEY
from canopy_tui.view.keyboard.key_names import shown
from canopy_tui.view.keyboard.keys import ALL, EVERYWHERE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.binding import BindingType
    from textual.widget import Widget

    from canopy_tui.view.keyboard.key import Group

USUAL: dict[str, str] = {key.id: key.keys for group in ALL for key in group.keys}
NAMELESS = "(no key)"
"""The name of a key that the person took away."""
_NAMED = re.compile(r"\{([a-z]+(?:[.-][a-z_]+)*)\}")


class InForce:
    """``use`` sets what the person changed; everything else asks."""

    def __init__(self) -> None:
        self._changed: dict[str, str] = {}
        self._ascii = False

    def use(self, changed: Mapping[str, str], *, ascii_only: bool = False) -> None:
        """From now on these keys hold, by id; all others are as usual."""
        self._changed, self._ascii = dict(changed), ascii_only

    def keys_of(self, id: str) -> str:
        """All keys of an action, in Textual's spelling, separated by commas."""
        return self._changed.get(id, USUAL[id])

    def first(self, id: str) -> str:
        """The first of them."""
        return self.keys_of(id).partition(",")[0]

    def is_key(self, id: str, key: str) -> bool:
        """Whether ``key`` is one of them."""
        return key in self.keys_of(id).split(",")

    def name(self, id: str) -> str:
        """The first as a person reads it: ``Ctrl+T``."""
        return (
            NAMELESS if self.first(id) == NO_KEY else shown(self.first(id), ascii_only=self._ascii)
        )

    def brief(self, id: str) -> str:
        """The same where room is short: ``^T``."""
        name = self.name(id)
        return f"^{name[5:]}" if name.startswith("Ctrl+") and len(name) == 6 else name

    def filled(self, text: str) -> str:
        """``text`` with the names of keys in the places of their ids in braces."""
        return _NAMED.sub(
            lambda found: self.name(found[1]) if found[1] in USUAL else found[0], text
        )


IN_FORCE = InForce()
keys_of, name, brief, is_key, filled, first = (
    IN_FORCE.keys_of,
    IN_FORCE.name,
    IN_FORCE.brief,
    IN_FORCE.is_key,
    IN_FORCE.filled,
    IN_FORCE.first,
)


def everywhere(*ids: str) -> list[BindingType]:
    """Bindings of a screen for keys that work everywhere."""
    from textual.binding import Binding

    return [
        Binding(key.keys, f"app.{key.action}", key.label, show=False, id=key.id)
        for key in EVERYWHERE.keys
        if key.id in ids
    ]


def take_keys(widget: Widget, *groups: Group) -> None:
    """Have ``widget`` hear these keys, as the person has them, and none that it brings along.

    Where two groups have a key it is the first one's. The keys have no ids: what Textual 8.2.8 does
    with a key map takes a key from every action that is on it, not only from the one that moves.
    """
    from textual.binding import Binding, BindingsMap

    heard: dict[str, list[Binding]] = {}
    for group in groups:
        own = [
            Binding(keys_of(key.id), key.action, key.label, show=False, priority=key.first)
            for key in group.keys
            if key.action
        ]
        heard = {**BindingsMap(own).key_to_bindings, **heard}
    widget._bindings = BindingsMap.from_keys(heard)
