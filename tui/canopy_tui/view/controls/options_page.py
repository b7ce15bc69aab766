"""The page with everything of a session that can be set: values, descriptions, refused changes.

It shows the options of the main agent, also while one of its own is in view; it sends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import set_cell_size
from textual.content import Content

from canopy_tui.model.glyphs import ASCII
from canopy_tui.model.options import adjustables
from canopy_tui.model.sanitize import clipped
from canopy_tui.view.controls.control_list import EMPTY, Item
from canopy_tui.view.drawing.strips import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from canopy_tui.model.intents import Intent
    from canopy_tui.model.options import Adjustable, Choice
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.view.keyboard.keys import Key

_NAME = 18
_FOLD = {True: ("▾ ", "- "), False: ("▸ ", "+ ")}


class OptionsPage:
    """``root`` is the session. One option at a time is unfolded."""

    title = "Options"
    hints: tuple[Key, ...] = ()
    choice = "change"

    def __init__(self, state: ClientState, root: str, glyphs: str, *, read_only: bool) -> None:
        self._state = state
        self._root = root
        self._ascii = glyphs == ASCII
        self._read_only = read_only
        self._unfolded = ""

    @property
    def _view(self) -> SessionView | None:
        return self._state.sessions.get(self._root)

    # --- lines --------------------------------------------------------------------------------

    def items(self, width: int) -> Sequence[Item]:
        """One line for each option with what is said of it, and the choices of the unfolded one."""
        view = self._view
        found = adjustables(view) if view is not None else ()
        if not found:
            words = "The agent offers nothing that can be set."
            if self._state.link.status != "ready" and not self._read_only:
                words = "The agent is not there, so nothing can be set."
            return [Item(Content.styled(words, "$text-muted"))]
        items: list[Item] = []
        if self._read_only:
            words = "This is the past: nothing can be set."
            items += [Item(Content.styled(words, "$text-muted")), Item(EMPTY)]
        for place, one in enumerate(found):
            items += [self._option(one), *self._choices(one)]
            if place < len(found) - 1:
                items.append(Item(EMPTY))
        return items

    def _option(self, one: Adjustable) -> Item:
        unfolded = self._is_unfolded(one)
        fold = "  " if one.is_switch else _FOLD[unfolded][self._ascii]
        name = set_cell_size(fitted(one.name, _NAME), _NAME)
        head = Content.assemble(fold, (name, "bold"), "  ", (one.shown, "$primary"))
        more = [Content.styled(one.description, "$text-muted")] if one.description else []
        change = one.change
        if change is not None and not change.refused:
            head = Content.assemble(head, (f"  to be: {one.name_of(change.value)} …", "$warning"))
        elif change is not None:
            wanted = one.name_of(change.value)
            words = f"! not changed to {wanted}: {clipped(change.refused, 600)}"
            more.append(Content.styled(words, "bold $error"))
        return Item(head, tuple(more), f"option {one.id}", indent=2)

    def _choices(self, one: Adjustable) -> list[Item]:
        if not self._is_unfolded(one):
            return []
        return [self._choice(one, place, choice) for place, choice in enumerate(one.choices)]

    def _choice(self, one: Adjustable, place: int, choice: Choice) -> Item:
        dot = "*" if self._ascii else "•"
        box = f"({dot})" if choice.value == one.value else "( )"
        parts: list[Content] = [Content(f"{box} "), Content(choice.name)]
        if choice.recommended:
            parts.append(Content.styled("  recommended", "$text-muted"))
        more = (Content.styled(choice.description, "$text-muted"),) if choice.description else ()
        return Item(EMPTY.join(parts), more, f"choice {place} {one.id}", indent=4, depth=4)

    def _is_unfolded(self, one: Adjustable) -> bool:
        return one.id == self._unfolded and not one.is_switch

    # --- what the person does -----------------------------------------------------------------

    def chosen(self, key: str) -> tuple[Intent | None, str]:
        """Take a line: what is to be carried out, and where the cursor goes ("": it stays)."""
        view = self._view
        found = {one.id: one for one in adjustables(view)} if view is not None else {}
        kind, _, rest = key.partition(" ")
        if kind == "choice":
            number, _, option = rest.partition(" ")
            return self._picked(found.get(option), int(number))
        one = found.get(rest)
        if one is None:
            return None, ""
        if one.is_switch:
            return self._set(one, not one.value), ""
        self._unfolded = "" if one.id == self._unfolded else one.id
        if not self._unfolded or not one.choices:
            return None, ""
        values = [choice.value for choice in one.choices]
        place = values.index(one.value) if one.value in values else 0
        return None, f"choice {place} {one.id}"

    def _picked(self, one: Adjustable | None, place: int) -> tuple[Intent | None, str]:
        if one is None or place >= len(one.choices):
            return None, ""
        self._unfolded = ""
        value = one.choices[place].value
        same = value == one.value and one.change is None
        return None if same else self._set(one, value), f"option {one.id}"

    def _set(self, one: Adjustable, value: str | bool) -> Intent | None:
        return None if self._read_only else one.setting(self._root, value)

    def acted(self, action: str, key: str) -> Intent | None:
        """There are no keys of this page alone."""
        return None

    def opened(self) -> Intent | None:
        """Options are told by the agent without being asked for."""
        return None

    def tick(self) -> Intent | None:
        """Nothing changes with time."""
        return None

    def back(self) -> str | None:
        """Fold what is unfolded: where the cursor goes, None when nothing was."""
        folded, self._unfolded = self._unfolded, ""
        return f"option {folded}" if folded else None
