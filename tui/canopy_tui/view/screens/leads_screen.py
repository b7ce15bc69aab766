"""A list of what an entry leads to, of which one is picked; it opens nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.late_clicks import forgive
from canopy_tui.view.keyboard.keymap import filled, take_keys
from canopy_tui.view.keyboard.keys import LEADS, LEADS_LIST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType


class LeadsScreen(Dialog[int]):
    """Dismisses with the index of what was picked; -1 for nothing. Digits pick too."""

    DEFAULT_CSS = """
    LeadsScreen > Vertical {
        width: 80%; max-width: 110; height: auto; max-height: 80%; padding: 0 1;
        background: $surface; border: round $primary; border-title-style: bold;
    }
    LeadsScreen OptionList { height: auto; max-height: 24; border: none; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = LEADS.bindings()

    def __init__(self, title: str, labels: Sequence[str]) -> None:
        super().__init__()
        self._title = title
        self._labels = labels

    def compose(self) -> ComposeResult:
        """The list, numbered as far as there are digits."""
        rows = [
            Option(Text(f"{number if number < 10 else ' '}  {clipped(label, 300)}"))
            for number, label in enumerate(self._labels, 1)
        ]
        forgive()
        options = OptionList(*rows, markup=False, compact=True)
        take_keys(options, LEADS_LIST)
        frame = Vertical(options)
        frame.border_title = Content(self._title)
        frame.border_subtitle = Content(
            filled("{leads-open} or a digit picks · {leads-close} closes")
        )
        yield frame

    def on_key(self, event: events.Key) -> None:
        """A digit picks."""
        if event.character and event.character in "123456789":
            event.stop()
            if int(event.character) <= len(self._labels):
                self.dismiss(int(event.character) - 1)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Enter or a click picks."""
        event.stop()
        self.dismiss(event.option_index)

    def action_pick(self, index: int) -> None:
        """Pick by a key."""
        self.dismiss(index)
