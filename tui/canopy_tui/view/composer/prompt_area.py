"""The text field of the composer: sending, line breaks, and caret moves by what a person sees.

It knows only its own text; who gets a message, what lies above the first line, and what a mark in
the text stands for is decided by the composer around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import set_cell_size
from textual import events
from textual.content import Content
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from canopy_tui.model.sanitize import visible
from canopy_tui.view.drawing import graphemes
from canopy_tui.view.keyboard import keymap
from canopy_tui.view.keyboard.keys import COMPOSER, EDITING, MAIN
from canopy_tui.view.terminal.keys import NEWLINE_KEYS

if TYPE_CHECKING:
    from rich.text import Text
    from textual.binding import BindingType
    from textual.document._document import Location
    from textual.document._edit import Edit

    from canopy_tui.view.keyboard.key import Key

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")

_JOINERS = re.compile("[\u200c\u200d\ufe0e\ufe0f\U000e0020-\U000e007f]")
"""Parts of emoji and of real scripts that Textual does not count as typed text."""

_HEARD = (*MAIN, COMPOSER, EDITING)
"""What is heard while one writes."""

Spans = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Ghost:
    """Text shown behind the caret. ``takes``: a key puts it into the message."""

    text: str = ""
    takes: bool = False


_NO_GHOST = Ghost()


def _keys_of(key: Key) -> list[str]:
    return keymap.keys_of(key.id).split(",")


def plain(text: str) -> str:
    """``text`` with one kind of line break, and without codes that would move our own caret."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


class PromptArea(TextArea, inherit_bindings=False):
    """A multi-line field. Enter sends; the newline keys and a trailing backslash break the line.

    ``first_chance`` is asked before any key is used here and says whether it took the key.
    ``sends`` gets what the person wants sent, which is still in the field: it is called, no message
    is posted, because what is typed next is here before a message is anywhere.
    ``beyond`` is asked for the text above the first line (True) or below the last (False); None
    means that there is nothing. ``takes_paste`` says whether it took what was pasted. ``fits``
    gives a text as short as can be edited here. ``marks``
    gives the parts of a line that are one character to the person, ``links`` parts to colour,
    ``ghost`` what to show behind a text.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--mark", "prompt--link"}
    BINDINGS: ClassVar[list[BindingType]] = [
        *COMPOSER.bindings(),
        *EDITING.bindings(),
        *keymap.everywhere("interrupt"),  # before the screen, which would only copy
    ]

    def __init__(self) -> None:
        self._send_keys = frozenset(keymap.keys_of("send").split(","))
        breaks = frozenset(keymap.keys_of("newline").split(","))
        if keymap.keys_of("newline") == keymap.USUAL["newline"]:
            breaks |= NEWLINE_KEYS
        # Enter has to do something: where nothing is on it it breaks the line
        used = {key for group in _HEARD for one in group.keys for key in _keys_of(one)}
        self._breaks = (breaks | ({"enter"} - used)) - self._send_keys
        # Before the rest: the field asks for marks while it is made.
        self.first_chance: Callable[[events.Key], bool] = lambda _event: False
        self.sends: Callable[[str], None] = lambda _text: None
        self.beyond: Callable[[bool], str | None] = lambda _older: None
        self.takes_paste: Callable[[str], bool] = lambda _text: False
        self.fits: Callable[[str], str] = lambda text: text
        self.marks: Spans = lambda _line: []
        self.links: Spans = lambda _line: []
        self.ghost: Callable[[str], Ghost] = lambda _text: _NO_GHOST
        self._ghost = _NO_GHOST
        self._invitation: Callable[[int], str] = lambda _room: ""
        super().__init__(
            id="prompt",
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            max_checkpoints=200,
        )
        self.cursor_blink = False

    def invite(self, words: Callable[[int], str]) -> None:
        """Say in the empty field what can be done: what ``words`` gives for so many cells."""
        self._invitation = words
        self.on_resize()

    def on_resize(self) -> None:
        """Another width holds more, or less."""
        room = self.size.width - 1  # the caret's cell
        words = Content(self._invitation(room if room > 0 else self.app.size.width))
        if self.placeholder != words:
            self.placeholder = words

    def begin_with(self, text: str) -> None:
        """Hold ``text``, caret at the end, with nothing to undo."""
        self.load_text(self.fits(plain(text)))
        self.move_cursor(self.document.end)

    def show_text(self, text: str) -> None:
        """Replace the whole text, caret at the end; undo brings the old text back."""
        self.replace(self.fits(plain(text)), (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    def put(self, text: str) -> None:
        """Put ``text`` at the caret, in place of what is selected; one step to undo."""
        result = self.replace(plain(text), *self.selection)
        self.move_cursor(result.end_location)
        self.history.checkpoint()

    # --- keys and paste -----------------------------------------------------------------------

    def _on_key(self, event: events.Key) -> None:  # type: ignore[override]  # sync is allowed
        if self.first_chance(event):
            taken = True
        elif event.key in self._send_keys:
            self._send_or_break()
            taken = True
        elif event.key in self._breaks:
            self._replace_via_keyboard("\n", *self.selection)
            taken = True
        elif event.character and _JOINERS.fullmatch(event.character):
            self._replace_via_keyboard(event.character, *self.selection)
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
            self.sends(self.text.strip("\n"))

    async def _on_paste(self, event: events.Paste) -> None:
        text = plain(event.text)
        event.stop()
        event.prevent_default()
        if not self.takes_paste(text):
            await super()._on_paste(events.Paste(text))

    def _undo_batch(self, edits: Sequence[Edit]) -> None:
        self._before_batch()
        super()._undo_batch(edits)

    def _redo_batch(self, edits: Sequence[Edit]) -> None:
        self._before_batch()
        super()._redo_batch(edits)

    def _before_batch(self) -> None:
        """Textual 8.2.8 looks for the caret before it has moved it, in a text that may have become
        shorter, and fails; every edit puts the caret back where it was.
        """
        self.selection = Selection.cursor((0, 0))

    # --- what is shown behind the caret --------------------------------------------------------

    def update_suggestion(self) -> None:
        """Ask anew what to show behind the caret, which is only shown at the end of the text."""
        at_end = self.selection.is_empty and self.cursor_location == self.document.end
        self._ghost = self.ghost(self.text) if at_end else _NO_GHOST
        line = visible(self._ghost.text.split("\n", 1)[0], multiline=False)
        room = max(0, self.wrap_width - self.cursor_location[1] - 1)
        self.suggestion = set_cell_size(line, room).rstrip() if line else ""

    def take_ghost(self) -> bool:
        """Put what is shown behind the caret into the message; whether there was something."""
        if not self._ghost.takes or not self._ghost.text:
            return False
        self.put(plain(self._ghost.text))
        return True

    # --- the caret ----------------------------------------------------------------------------

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

    def action_cursor_right(self, select: bool = False) -> None:
        """Right; at the end of the text what is shown there becomes part of it."""
        if not select and self.selection.is_empty and self.take_ghost():
            return
        if not self._ghost.text:
            super().action_cursor_right(select)

    def get_cursor_left_location(self) -> Location:
        """One visible character to the left, over the line's start to the line above."""
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        line = self.document[row]
        return row, self._outside(line, graphemes.before(line, column), after=False)

    def get_cursor_right_location(self) -> Location:
        """One visible character to the right, over the line's end to the line below."""
        row, column = self.cursor_location
        line = self.document[row]
        if column >= len(line):
            return super().get_cursor_right_location()
        return row, self._outside(line, graphemes.after(line, column), after=True)

    def get_cursor_word_left_location(self) -> Location:
        """One word to the left; a mark is one word."""
        row, column = super().get_cursor_word_left_location()
        return row, self._outside(self.document[row], column, after=False)

    def get_cursor_word_right_location(self) -> Location:
        """One word to the right; a mark is one word."""
        row, column = super().get_cursor_word_right_location()
        return row, self._outside(self.document[row], column, after=True)

    def action_delete_word_right(self) -> None:
        """Delete a word; a mark is one word."""
        row, column = self.cursor_location
        for start, end in self.marks(self.document[row]):
            if start == column and self.selection.is_empty:
                self._delete_via_keyboard((row, start), (row, end))
                return
        super().action_delete_word_right()

    def _validate_selection(self, selection: Selection) -> Selection:
        """Nothing begins or ends inside a mark: typing there would break it."""
        start, end = super()._validate_selection(selection)
        return Selection(self._beside(start), self._beside(end))

    def _beside(self, location: Location) -> Location:
        row, column = location
        line = self.document[row]
        for start, end in self.marks(line):
            if start < column < end:
                return row, start if column - start < end - column else end
        return location

    def _outside(self, line: str, column: int, *, after: bool) -> int:
        for start, end in self.marks(line):
            if start < column < end:
                return end if after else start
        return column

    def _watch_selection(self, previous_selection: Selection, selection: Selection) -> None:
        super()._watch_selection(previous_selection, selection)
        if self.is_mounted:
            self.update_suggestion()

    def get_line(self, line_index: int) -> Text:
        """A line with its marks and links set off."""
        line = super().get_line(line_index)
        for name, spans in (("prompt--mark", self.marks), ("prompt--link", self.links)):
            for start, end in spans(line.plain):
                line.stylize(self.get_component_rich_style(name, partial=True), start, end)
        return line
