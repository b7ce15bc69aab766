"""The line to search with, and the list of what was found, below the transcript.

It asks for a search and shows its hits; it searches nothing and opens nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.keymap import filled, name, take_keys
from canopy_tui.view.keyboard.keys import FIND

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from textual.binding import BindingType

    from canopy_tui.view.transcript.finding import Hit

_NAME, _AROUND = 28, 6
"""Cells of the longest name of an agent, and those of the frame around a line."""
_LISTED = 300
"""Hits in the list; the keys walk all of them."""


class FindPanel(Vertical):
    """Hidden until it is opened. ``everywhere`` says whether all agents are searched."""

    DEFAULT_CSS = """
    FindPanel { height: auto; display: none; background: $surface; border-top: solid $line; }
    FindPanel #find-hits {
        height: auto; max-height: 8; border: none; padding: 0 1; background: $surface;
        text-wrap: nowrap; text-overflow: ellipsis; scrollbar-size-vertical: 1;
    }
    FindPanel OptionList > .option-list--option { padding: 0 1; }
    FindPanel OptionList > .option-list--option-highlighted { text-style: bold; }
    FindPanel Horizontal { height: 1; padding: 0 1; }
    FindPanel #find-word { width: 6; color: $primary; text-style: bold; }
    FindPanel Input { width: 1fr; border: none; height: 1; padding: 0; background: $background; }
    FindPanel #find-count { width: auto; margin-left: 1; color: $text-muted; }
    """

    BINDINGS: ClassVar[list[BindingType]] = FIND.bindings(first=True)

    @dataclass
    class Wanted(Message):
        """The person wants this searched, in all agents or only in the one in view."""

        query: str
        everywhere: bool

    @dataclass
    class Aimed(Message):
        """The person wants to see a hit."""

        hit: Hit

    class Left(Message):
        """The person is done."""

    def __init__(self) -> None:
        super().__init__(id="find")
        self.everywhere = False
        self.hits: list[Hit] = []
        self.at: int | None = None
        self._names: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._ended = True
        self._column = 0

    async def _furnish(self) -> None:
        """Hits above the line, so that the line does not move; keys stay in the line."""
        from canopy_tui.view.drawing.late_clicks import forgive
        from canopy_tui.view.keyboard.caret_keys import CARET

        forgive()
        hits = OptionList(id="find-hits", markup=False, compact=True)
        hits.can_focus = False
        field = Input(id="find-input", placeholder="text of this transcript", compact=True)
        take_keys(field, CARET)
        line = Horizontal(
            Static(Content("Find"), id="find-word"),
            field,
            Static("", id="find-count", markup=False),
        )
        await self.mount(hits, line)
        self._say()

    @property
    def query_text(self) -> str:
        """What is searched for."""
        return self.query_one(Input).value if self.children else ""

    async def open(self) -> None:
        """Come into view with the last query, which the first key replaces. What stands in the
        panel is made when it is opened first.
        """
        if not self.children:
            await self._furnish()
        self.display = True
        line = self.query_one(Input)
        line.focus()
        line.action_select_all()
        if line.value:
            self.search_anew()

    def show(self, hits: Sequence[Hit], names: dict[str, str], *, ended: bool) -> None:
        """Show what was found so far; ``names`` are those of the sessions."""
        new = list(hits[len(self.hits) :]) if hits[: len(self.hits)] == self.hits else list(hits)
        if len(new) == len(hits):
            self.query_one(OptionList).clear_options()
            self.at = None
        self.hits, self._names, self._ended = list(hits), names, ended
        listed = {names.get(hit.session, "") for hit in self.hits[:_LISTED]}
        self._column = min(_NAME, max(map(cell_len, listed), default=0))
        room = _LISTED - self.query_one(OptionList).option_count
        self.query_one(OptionList).add_options([self._option(hit) for hit in new[: max(0, room)]])
        self.query_one(OptionList).display = bool(hits)
        self._say()

    def _option(self, hit: Hit) -> Option:
        line = Text(no_wrap=True, overflow="ellipsis")
        room = max(0, self.size.width - _AROUND)
        if self.everywhere:
            column = min(self._column, room // 3)
            name = fitted(self._names.get(hit.session, ""), column)
            line.append(name + " " * (column + 2 - cell_len(name)), "dim")
            room -= column + 2
        said = Text(hit.excerpt(room))
        if self._pattern is not None:
            said.highlight_regex(self._pattern, "bold underline")
        return Option(line.append_text(said))

    def mark(self, pattern: re.Pattern[str] | None) -> None:
        """Underline the found text in the list, and have it in the middle."""
        self._pattern = pattern
        options = self.query_one(OptionList)
        for index, hit in enumerate(self.hits[: options.option_count]):
            options.replace_option_prompt_at_index(index, self._option(hit).prompt)

    def _say(self) -> None:
        from canopy_tui.view.transcript.finding import MOST_HITS

        total = f"{len(self.hits):,}" + ("+" if len(self.hits) >= MOST_HITS else "")
        if self.at is not None:
            total = f"{self.at + 1:,} of {total}"
        if not self.hits:
            total = "nothing found" if self._ended and self.query_text.strip() else ""
        where = "all agents" if self.everywhere else "this agent"
        width = self.size.width
        words = [part for part in (total, f"{where} ({name('search-everywhere')})") if part]
        if width >= _ROOMY:
            words.append(filled("{search-next} next · {search-close} closes"))
        self.query_one("#find-count", Static).update(Content(" · ".join(words)))

    def on_resize(self) -> None:
        """The line to write in comes before the words beside it."""
        if self.children:
            self._say()
            self.mark(self._pattern)

    def step(self, by: int, start: int = 0) -> None:
        """Aim at the next hit, the one before, or when none was aimed at yet, at ``start`` or the
        one before that.
        """
        if not self.hits:
            return
        at = self.at + by if self.at is not None else start if by > 0 else start + by
        self.aim(at % len(self.hits))

    def aim(self, at: int) -> None:
        """Aim at the hit with that index."""
        self.at = at
        options = self.query_one(OptionList)
        if at < options.option_count:
            options.highlighted = at
        self._say()
        self.post_message(self.Aimed(self.hits[at]))

    # --- the person -------------------------------------------------------------------------------

    def search_anew(self) -> None:
        """Ask for the search once more."""
        self.post_message(self.Wanted(self.query_text, self.everywhere))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search as one types."""
        event.stop()
        self.search_anew()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click aims."""
        event.stop()
        self.aim(event.option_index)

    async def action_step(self, by: int) -> None:
        """The next hit, or the one before."""
        await self.app.action_find_next(by)  # type: ignore[attr-defined]  # knows what is in view

    def action_scope(self) -> None:
        """All agents, or only the one in view."""
        self.everywhere = not self.everywhere
        self.query_one(Input).placeholder = (
            "text of all transcripts" if self.everywhere else "text of this transcript"
        )
        self.search_anew()

    def action_leave(self) -> None:
        """Close; what was found stays in view."""
        self.display = False
        self.post_message(self.Left())


_ROOMY = 76
"""Cells from which on the keys are named."""
