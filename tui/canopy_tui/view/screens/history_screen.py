"""Search in what was sent before: the newest first, one line each, and the whole text below.

It lists what it is given; what is done with the message that is picked is the composer's business.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped, visible
from canopy_tui.view.dialogs.dialog import Dialog
from canopy_tui.view.drawing.late_clicks import forgive
from canopy_tui.view.keyboard.caret_keys import CARET
from canopy_tui.view.keyboard.keymap import filled, take_keys
from canopy_tui.view.keyboard.keys import HISTORY

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

SHOWN = 200
_PREVIEW = 4000
_BEFORE = 20
"""Characters that a line shows before what was looked for, where that is far from its start."""


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


def _at(word: str, text: str) -> int:
    found = re.search(re.escape(word), text, re.IGNORECASE)
    return found.start() if found else -1


def marked(line: Content, query: str) -> Content:
    """``line`` with every word of ``query`` set off."""
    for word in query.split():
        for found in re.finditer(re.escape(word), line.plain, re.IGNORECASE):
            line = line.stylize("bold underline", *found.span())
    return line


def day_or_hour(at: float, now: float) -> str:
    """``14:03`` of today, ``2 Dec`` of another day, ``2024`` of another year."""
    try:
        then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    except (ValueError, OverflowError, OSError):
        return ""
    if then.date() == today.date():
        return f"{then:%H:%M}"
    return f"{then.day} {then:%b}" if then.year == today.year else str(then.year)


class HistoryScreen(Dialog[str]):
    """Dismisses with the message that was picked, None when nothing was.

    ``older`` gives the messages of all directories, when it is asked for them; ``times`` are those
    at which they were sent last, as far as they are known, in epoch seconds.
    """

    BINDINGS: ClassVar[list[BindingType]] = HISTORY.bindings(first=True)

    def __init__(
        self,
        messages: Sequence[str],
        older: Callable[[], Sequence[str]],
        times: Mapping[str, float] | None = None,
    ) -> None:
        super().__init__()
        self._times = times or {}
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
        forgive()
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
        words = self.query_one(Input).value
        self.query_one("#history-text", Static).update(marked(Content(shown), words))

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

    def _line(self, text: str) -> Content:
        """When it was sent, and its first line or the one with what was looked for."""
        words = self.query_one(Input).value
        found = min((at for word in words.split() if (at := _at(word, text)) >= 0), default=0)
        start = found - _BEFORE if found > _BEFORE * 2 else 0
        line = Content(("…" if start else "") + clipped(text[start:], 300))
        sent = self._times.get(text)
        when = f"{day_or_hour(sent, time.time()) if sent is not None else '':>6}  "
        return Content.assemble((when if self._times else "", "dim"), marked(line, words))

    def _search(self) -> None:
        self._found = fitting(self._messages, self.query_one(Input).value)
        rows = self.query_one("#history-list", OptionList)
        rows.clear_options()
        rows.add_options([Option(self._line(text)) for text in self._found])
        if self._found:
            rows.highlighted = 0
        else:
            self.query_one("#history-text", Static).update("Nothing fits.")
        other = "this directory" if self._everywhere else "everywhere"
        keys = filled(f"{{history-take}} takes · {{history-widen}} {other} · {{history-close}}")
        self.query_one("#history-frame").border_subtitle = Content(keys)
