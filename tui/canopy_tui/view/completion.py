"""The list above the composer while a command or a file is being typed.

It shows what it is given and says what was picked; where that comes from, and what it does, is not
known here.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_shared.updates import Command

_WIDEST_LABEL = 44
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


def matching(commands: Sequence[Command], text: str) -> list[Command]:
    """Commands whose name fits ``text``: those that begin with it first, then those that hold it.

    Empty when ``text`` is not a command in the making.
    """
    if not text.startswith("/") or any(character.isspace() for character in text):
        return []
    typed = text[1:].casefold()
    names = [(command, command.name.casefold()) for command in commands]
    begins = [command for command, name in names if name.startswith(typed)]
    holds = [command for command, name in names if typed in name and not name.startswith(typed)]
    return begins + holds


def hint_of(command: Command) -> str:
    """What the agent says may follow the name of ``command``."""
    given = command.input
    hint = given.get("hint") if isinstance(given, Mapping) else None
    return clipped(hint, 120) if isinstance(hint, str) else ""


class Completion(OptionList):
    """Never has the focus: the text field hands its keys over while the list is open."""

    can_focus = False

    @dataclass
    class Chosen(Message):
        """``offer`` was picked."""

        offer: Offer

    def __init__(self) -> None:
        super().__init__(id="completion", markup=False, compact=True)
        self._offers: tuple[Offer, ...] = ()
        self._note = ""
        self._key: Hashable = None
        self._dismissed: Hashable = None
        self._typed = ""
        self._width = 0
        self.display = False

    def show_offers(
        self, key: Hashable, typed: str, offers: Sequence[Offer], note: str = ""
    ) -> None:
        """Show ``offers`` for what is ``typed``, and a ``note`` below them.

        ``key`` stays the same while the same thing is being typed: Esc closes the list for it.
        """
        self._key, self._typed = key, typed
        if key != self._dismissed:
            self._dismissed = None
        facts = (tuple(offers), note)
        self.display = bool(offers or note) and key != self._dismissed
        if facts == (self._offers, self._note) and self._width == self._room:
            return
        self._offers, self._note = facts
        self._draw()

    def close(self) -> None:
        """Nothing is being typed that could be completed."""
        self._key = self._dismissed = None
        self.display = False

    @property
    def _room(self) -> int:
        screen = self.screen.size.width if self.is_mounted else 80
        return max(20, screen - 6)

    def _draw(self) -> None:
        self._width = self._room
        labels = [cell_len(offer.text) + cell_len(offer.hint) + 3 for offer in self._offers]
        column = min(max(labels, default=0), _WIDEST_LABEL, self._width // 2)
        rows = [Option(_line(offer, self._width, column)) for offer in self._offers]
        if self._note:
            rows.append(Option(Content.styled(self._note, "dim"), disabled=True))
        self.clear_options()
        self.add_options(rows)
        self.highlighted = 0 if self._offers else None

    def take_key(self, key: str) -> bool:
        """Use a key of the text field; whether it was used."""
        if not self.display:
            return False
        if key == "escape":
            self._dismissed = self._key
            self.display = False
            return True
        if not self._offers:
            return False
        match key:
            case "up":
                self.action_cursor_up()
            case "down":
                self.action_cursor_down()
            case "tab":
                self.action_select()
            case "enter" if not self._is_whole:
                self.action_select()
            case _:
                return False
        return True

    @property
    def _is_whole(self) -> bool:
        """Whether what is typed is what is picked: Enter has its own meaning then."""
        place = self.highlighted
        return place is not None and self._offers[place].text == self._typed

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, Tab or a click."""
        event.stop()
        self.display = False
        self.post_message(self.Chosen(self._offers[event.option_index]))


def _line(offer: Offer, width: int, column: int) -> Content:
    if offer.is_path:
        head, slash, tail = clipped(offer.text, 1000).rstrip("/").rpartition("/")
        tail += "/" if offer.text.endswith("/") else ""
        head += slash
        room = max(0, width - cell_len(tail))
        while cell_len(head) > room:
            head = _CUT + head.removeprefix(_CUT)[1:] if len(head) > 1 else ""
        return Content.assemble((head, "dim"), tail)
    name = clipped(offer.text, 60)
    label = Content.assemble(name, (f" {offer.hint}" if offer.hint else "", "italic dim"))
    if offer.about:
        label = label.truncate(max(column - 2, cell_len(name)), ellipsis=True)
    gap = " " * max(2, column - label.cell_length)
    line = Content.assemble(label, gap, (clipped(offer.about, 300), "dim"))
    return line.truncate(width, ellipsis=True)
