"""Search in what was sent before: the newest first, one line each, and the whole text below.

It lists what it is given; what is done with the message that is picked is the composer's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.view.caret_keys import CARET
from canopy_tui.view.dialog import Dialog
from canopy_tui.view.keymap import filled, take_keys
from canopy_tui.view.keys import HISTORY

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

SHOWN = 200
_PREVIEW = 4000


def fitting(messages: Sequence[str], query: str, limit: int = SHOWN) -> list[str]:
    """Messages that hold every word of ``query``, newest first; ``messages`` are oldest first."""
    words = query.casefold().split()
    found = []
    for message in reversed(messages):
        folded = message.casefold()
        if all(word in folded for word in words):
            found.append(message)
            if len(found) >= limit:
                break
    return found


class HistoryScreen(Dialog[str]):
    """Dismisses with the message that was picked, None when nothing was.

    ``older`` gives the messages of all directories, when it is asked for them.
    """

    BINDINGS: ClassVar[list[BindingType]] = HISTORY.bindings(first=True)

    def __init__(self, messages: Sequence[str], older: Callable[[], Sequence[str]]) -> None:
        super().__init__()
        self._own = messages
        self._older = older
        self._messages = messages
        self._everywhere = False
        self._found: list[str] = []

    def compose(self) -> ComposeResult:
        """What to look for, what fits, and the whole of it."""
        with Vertical(id="history-frame") as frame:
            frame.border_title = Content("What you sent before")
            line = Input(placeholder="Words it holds", id="history-words", compact=True)
            take_keys(line, CARET)
            yield line
            yield OptionList(id="history-list", markup=False, compact=True)
            with VerticalScroll(id="history-whole", can_focus=False):
                yield Static(id="history-text", markup=False)

    def on_mount(self) -> None:
        """Everything, the newest picked."""
        self.query_one("#history-list", OptionList).can_focus = False
        self._search()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Other words."""
        event.stop()
        self._search()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the whole of it."""
        event.stop()
        text = self._found[event.option_index] if self._found else ""
        shown = visible(text[:_PREVIEW], multiline=True)
        self.query_one("#history-text", Static).update(Content(shown))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click."""
        event.stop()
        self.dismiss(self._found[event.option_index])

    def action_move(self, step: int) -> None:
        """Another line."""
        rows = self.query_one("#history-list", OptionList)
        if step > 0:
            rows.action_cursor_down()
        else:
            rows.action_cursor_up()

    def action_take(self) -> None:
        """Take what is picked."""
        place = self.query_one("#history-list", OptionList).highlighted
        self.dismiss(self._found[place] if self._found and place is not None else None)

    def action_widen(self) -> None:
        """What was sent in this directory, or everywhere."""
        self._everywhere = not self._everywhere
        self._messages = self._older() if self._everywhere else self._own
        self._search()

    def _search(self) -> None:
        self._found = fitting(self._messages, self.query_one(Input).value)
        rows = self.query_one("#history-list", OptionList)
        rows.clear_options()
        rows.add_options([Option(Content(clipped(text, 300))) for text in self._found])
        if self._found:
            rows.highlighted = 0
        else:
            self.query_one("#history-text", Static).update("Nothing fits.")
        other = "this directory" if self._everywhere else "everywhere"
        keys = filled(f"{{history-take}} takes · {{history-widen}} {other} · {{history-close}}")
        self.query_one("#history-frame").border_subtitle = Content(keys)
