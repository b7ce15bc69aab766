"""The list above the composer while a command or a file is being typed.

It shows what it is given and says what was picked; where that comes from, and what it does, is not
known here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.keyboard.keymap import is_key

_WIDEST_LABEL = 44
_WIDEST_HINT = 26
"""Cells of a hint beside a remark; that of the command that is typed whole is shown whole."""
_EDGE = 5
"""Columns of the screen that the list does not write on: margins, padding, scrollbar."""
_LONGEST_NAME = 60
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Offer:
    """One line. ``text`` is what it stands for, ``hint`` what may follow it, ``about`` a remark.

    ``is_path``: it is cut at its beginning when there is no room, and its last part is set off.
    ``goes_on``: more is to be picked after it.
    """

    text: str
    hint: str = ""
    about: str = ""
    is_path: bool = False
    goes_on: bool = False


class Completion(OptionList):
    """Never has the focus: the text field hands its keys over while the list is open.

    ``taken`` is called with what is picked: what is typed next must find it in its place already.
    """

    can_focus = False

    def __init__(self) -> None:
        self.taken: Callable[[Offer], None] = lambda _offer: None
        super().__init__(id="completion", markup=False, compact=True)
        self._offers: tuple[Offer, ...] = ()
        self._note = ""
        self._sure = True
        self._facts: Hashable = None
        self._key: Hashable = None
        self._dismissed: Hashable = None
        self._typed = ""
        self._width = 0
        self.display = False

    def show_offers(
        self,
        key: Hashable,
        typed: str,
        offers: Sequence[Offer],
        note: str = "",
        *,
        sure: bool = True,
    ) -> None:
        """Show ``offers`` for what is ``typed``, and a ``note`` above them, which is always seen.

        ``key`` stays the same while the same thing is being typed: Esc closes the list for it.
        ``sure``: Enter takes the first; if not, only a key that goes there, or Tab, does.
        """
        self._key, self._typed = key, typed
        if key != self._dismissed:
            self._dismissed = None
        whole = any(offer.text == typed.rstrip() for offer in offers)
        facts = (tuple(offers), note, sure, whole)
        self.display = bool(offers or note) and key != self._dismissed
        if facts == self._facts and self._width == self._room:
            return
        self._facts = facts
        self._offers, self._note, self._sure, _ = facts
        self._draw()

    def close(self) -> None:
        """Nothing is being typed that could be completed."""
        self._key = self._dismissed = self._facts = None
        self.display = False

    @property
    def _room(self) -> int:
        screen = self.screen.size.width if self.is_mounted else 80
        return max(20, screen - _EDGE)

    def _draw(self) -> None:
        self._width = self._room
        labels = [
            cell_len(offer.text) + min(cell_len(offer.hint), _WIDEST_HINT) + 3
            for offer in self._offers
        ]
        column = min(max(labels, default=0), _WIDEST_LABEL, self._width // 2)
        whole = self._typed.rstrip()
        rows = [
            Option(
                _whole(offer, self._width)
                if offer.text == whole and not offer.is_path
                else _line(offer, self._width, column)
            )
            for offer in self._offers
        ]
        if self._note:
            rows.insert(0, Option(Content.styled(self._note, "dim"), disabled=True))
        self.clear_options()
        self.add_options(rows)
        self.highlighted = self._first if self._offers and self._sure else None
        if self.highlighted is not None and self._note:
            self.scroll_to(y=0, animate=False, immediate=True)

    def on_resize(self) -> None:
        """Cut the rows anew for the room that there is now."""
        if self.display and self._width != self._room:
            picked = self.highlighted
            self._draw()
            self.highlighted = picked

    @property
    def _first(self) -> int:
        """The row of the first offer."""
        return 1 if self._note else 0

    def take_key(self, key: str) -> bool:
        """Use a key of the text field; whether it was used."""
        if not self.display:
            return False
        if is_key("list-close", key):
            self._dismissed = self._key
            self.display = False
            return True
        if not self._offers:
            return False
        if self._is_whole and len(self._offers) == 1 and self._is_move(key):
            return False
        if is_key("list-up", key):
            self.action_cursor_up()
        elif is_key("list-down", key):
            self.action_cursor_down()
        elif is_key("list-take", key):
            self._take(self.highlighted or self._first)
        elif (
            is_key("list-take-or-send", key) and self.highlighted is not None and not self._is_whole
        ):
            self._take(self.highlighted)
        else:
            return False
        return True

    @staticmethod
    def _is_move(key: str) -> bool:
        return is_key("list-up", key) or is_key("list-down", key)

    @property
    def _is_whole(self) -> bool:
        """Whether what is typed is what is picked: Enter has its own meaning then."""
        place = self.highlighted
        if place is None:
            return False
        return self._offers[place - self._first].text == self._typed.rstrip()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        event.stop()
        self._take(event.option_index)

    def _take(self, row: int) -> None:
        self.display = False
        self.taken(self._offers[row - self._first])


def _line(offer: Offer, width: int, column: int) -> Content:
    if offer.is_path:
        head, slash, tail = clipped(offer.text, 1000).rstrip("/").rpartition("/")
        tail += "/" if offer.text.endswith("/") else ""
        head += slash
        room = max(0, width - cell_len(tail))
        while cell_len(head) > room:
            head = _CUT + head.removeprefix(_CUT)[1:] if len(head) > 1 else ""
        return Content.assemble((head, "dim"), tail)
    label = _label(offer)
    if offer.about:
        named = cell_len(clipped(offer.text, _LONGEST_NAME))
        room = max(column - 2, min(named, width * 2 // 3))
        label = label.truncate(room, ellipsis=True)
    gap = " " * max(2, column - label.cell_length)
    line = Content.assemble(label, gap, (clipped(offer.about, 300), "dim"))
    return line.truncate(width, ellipsis=True)


def _whole(offer: Offer, width: int) -> Content:
    """A command that is typed whole: all that may follow it, and what it does, below if need be."""
    label, about = _label(offer), clipped(offer.about, 300)
    if label.cell_length + cell_len(about) + 2 <= width:
        return Content.assemble(label, "  " if about else "", (about, "dim"))
    remark = Content.styled(about, "dim").truncate(2 * width - 6, ellipsis=True)
    return Content.assemble(label, "\n" if about else "", remark)


def _label(offer: Offer) -> Content:
    hint = f" {offer.hint}" if offer.hint else ""
    return Content.assemble(clipped(offer.text, _LONGEST_NAME), (hint, "italic dim"))
