"""The text field of the composer: sending, line breaks, and caret moves by visible character.

It knows only its own text; who gets a message, and what lies above the first line, is decided by
the composer around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from canopy_tui.view import graphemes
from canopy_tui.view.keys import COMPOSER
from canopy_tui.view.terminal_keys import NEWLINE_KEYS

if TYPE_CHECKING:
    from textual.document._document import Location

_CONTROLS = {code: None for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"}


class PromptArea(TextArea):
    """A multi-line field. Enter sends; the newline keys and a trailing backslash break the line.

    ``first_chance`` is asked before any key is used here and says whether it took the key.
    ``beyond`` is asked for the text above the first line (True) or below the last (False); None
    means that there is nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *COMPOSER.bindings(),
        # TextArea uses these for itself; the client has other uses for them.
        Binding("f6", "app.nothing", show=False),
        Binding("f7", "app.open_sibling(-1)", show=False),
        Binding("ctrl+f", "app.find", show=False),
        Binding("ctrl+c,super+c", "app.interrupt", show=False),
    ]

    @dataclass
    class Sent(Message):
        """The person wants ``text`` sent. It is still in the field."""

        text: str

    def __init__(self) -> None:
        super().__init__(
            id="prompt",
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            max_checkpoints=200,
        )
        self.cursor_blink = False
        self.first_chance: Callable[[events.Key], bool] = lambda _event: False
        self.beyond: Callable[[bool], str | None] = lambda _older: None

    def begin_with(self, text: str) -> None:
        """Hold ``text``, caret at the end, with nothing to undo."""
        self.load_text(text)
        self.move_cursor(self.document.end)

    def show_text(self, text: str) -> None:
        """Replace the whole text, caret at the end; undo brings the old text back."""
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def _on_key(self, event: events.Key) -> None:  # type: ignore[override]  # sync is allowed
        if self.first_chance(event):
            taken = True
        elif event.key == "enter":
            self._send_or_break()
            taken = True
        elif event.key in NEWLINE_KEYS:
            self._replace_via_keyboard("\n", *self.selection)
            taken = True
        else:
            taken = False
        if taken:
            event.stop()
            event.prevent_default()

    def _send_or_break(self) -> None:
        row, column = self.cursor_location
        if self.selection.is_empty and self.document[row][:column].endswith("\\"):
            self._replace_via_keyboard("\n", (row, column - 1), (row, column))
        else:
            self.post_message(self.Sent(self.text.strip("\n")))

    async def _on_paste(self, event: events.Paste) -> None:
        # Terminals end pasted lines with CR, and a paste may carry codes that move our own caret.
        text = event.text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)
        event.stop()
        event.prevent_default()
        await super()._on_paste(events.Paste(text))

    def action_cursor_up(self, select: bool = False) -> None:
        """Up; from the top line to what lies above."""
        if select or not self.cursor_at_first_line or not self._leave(older=True):
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Down; from the last line to what lies below."""
        if select or not self.cursor_at_last_line or not self._leave(older=False):
            super().action_cursor_down(select)

    def _leave(self, *, older: bool) -> bool:
        text = self.beyond(older)
        if text is None:
            return False
        self.show_text(text)
        return True

    def get_cursor_left_location(self) -> Location:
        """One visible character to the left, over the line's start to the line above."""
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        return row, graphemes.before(self.document[row], column)

    def get_cursor_right_location(self) -> Location:
        """One visible character to the right, over the line's end to the line below."""
        row, column = self.cursor_location
        line = self.document[row]
        if column >= len(line):
            return super().get_cursor_right_location()
        return row, graphemes.after(line, column)
