"""The list of slash commands above the composer while a command is being typed.

It offers what the agent announced and says what was picked; it does not know what a command does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped

if TYPE_CHECKING:
    from canopy_shared.updates import Command

_NAME_WIDTH = 24


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


class Completion(OptionList):
    """Never has the focus: the text field hands its keys over while the list is open."""

    can_focus = False

    @dataclass
    class Chosen(Message):
        """``text`` is what the field should hold now."""

        text: str

    def __init__(self) -> None:
        super().__init__(id="completion", markup=False, compact=True)
        self.commands: Sequence[Command] = ()
        self._offered: list[Command] = []
        self._text = ""
        self._dismissed = ""
        self.display = False

    def offer(self, text: str) -> None:
        """Show what fits ``text``."""
        self._text = text
        found = matching(self.commands, text)
        if text == self._dismissed or (len(found) == 1 and text == f"/{found[0].name}"):
            found = []
        self.display = bool(found)
        if found != self._offered:
            self._offered = found
            self.clear_options()
            self.add_options([Option(_line(command)) for command in found])
            self.highlighted = 0 if found else None

    def take_key(self, key: str) -> bool:
        """Use a key of the text field; whether it was used."""
        if not self.display:
            return False
        match key:
            case "up":
                self.action_cursor_up()
            case "down":
                self.action_cursor_down()
            case "tab" | "enter":
                self.action_select()
            case "escape":
                self._dismissed = self._text
                self.display = False
            case _:
                return False
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter, Tab or a click."""
        event.stop()
        command = self._offered[event.option_index]
        self.display = False
        self.post_message(self.Chosen(f"/{command.name} "))


def _line(command: Command) -> Content:
    name = clipped(f"/{command.name}", 60)
    gap = " " * max(2, _NAME_WIDTH - len(name))
    return Content.assemble(name, gap, (clipped(command.description, 300), "dim"))
