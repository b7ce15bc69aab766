"""A list of options with descriptions, of which one or several can be picked.

It shows what the form gives it as plain text, and knows neither the form nor what an option means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.table import Table
from rich.text import Text
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from canopy_tui.model.sanitize import clipped
from canopy_tui.view.keyboard.keys import CHOICES

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType

    from canopy_shared.elicitation_fields import FieldOption

MOST_SHOWN = 2000
"""Options of one list that are shown; laying them out takes time, and nobody walks through more."""
_BOX_WIDTH = 3
_LONG_LIST = 40
"""Options from which each has a line instead of a table, which takes far longer to lay out."""


class ChoiceList(OptionList, inherit_bindings=False):
    """Space or a digit picks; Enter goes on, with what is highlighted where only one can be picked.

    ``several`` lets more than one be picked: there Enter picks nothing.
    """

    BINDINGS: ClassVar[list[BindingType]] = CHOICES.bindings()

    @dataclass
    class GoOn(Message):
        """The person is done with this list."""

        choice_list: ChoiceList

    def __init__(
        self,
        options: Sequence[FieldOption],
        picked: Sequence[str],
        *,
        several: bool,
        dot: str = "•",
        id: str | None = None,
    ) -> None:
        self.field_options = tuple(options[:MOST_SHOWN])
        self.several = several
        self._boxes = ("[ ]", "[x]") if several else ("( )", f"({dot})")
        known = {option.value for option in options}
        self.picked = [value for value in picked if value in known]
        super().__init__(
            *(Option(self._prompt(option)) for option in self.field_options),
            id=id,
            markup=False,
            compact=True,
        )

    def on_mount(self) -> None:
        """Put the highlight on what is picked already, else on the first option."""
        values = [option.value for option in self.field_options]
        shown = [value for value in self.picked if value in values]
        self.highlighted = values.index(shown[0]) if shown else 0

    @property
    def current(self) -> FieldOption | None:
        """The highlighted option."""
        return None if self.highlighted is None else self.field_options[self.highlighted]

    @property
    def highlighted_lines(self) -> Region:
        """Where the highlighted option is drawn, in this list."""
        at = self.highlighted or 0
        first, height = self._index_to_line.get(at, 0), self._heights.get(at, 1)
        return Region(0, first, self.size.width, height)

    def pick(self, index: int) -> None:
        """Pick the option at ``index``; with ``several`` a second time takes it out again."""
        value = self.field_options[index].value
        before = set(self.picked)
        if not self.several:
            self.picked = [value]
        elif value in self.picked:
            self.picked.remove(value)
        else:
            self.picked.append(value)
        changed = before.symmetric_difference(self.picked)
        for position, option in enumerate(self.field_options):
            if option.value in changed:
                self.replace_option_prompt_at_index(position, self._prompt(option))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click picks."""
        event.stop()
        self.pick(event.option_index)

    def on_key(self, event: events.Key) -> None:
        """Digits pick by position."""
        if event.character and event.character in "123456789":
            index = int(event.character) - 1
            if index < len(self.field_options):
                event.stop()
                self.highlighted = index
                self.pick(index)

    def action_pick(self) -> None:
        """Pick what is highlighted."""
        if self.highlighted is not None:
            self.pick(self.highlighted)

    def action_pick_and_go_on(self) -> None:
        """Go on, with what is highlighted; in a list of several only what was picked before."""
        if self.highlighted is not None and not self.several:
            self.pick(self.highlighted)
        self.post_message(self.GoOn(self))

    def _prompt(self, option: FieldOption) -> Table | Content:
        box = self._boxes[option.value in self.picked]
        if len(self.field_options) >= _LONG_LIST:
            words = Content.styled(f"  {clipped(option.description, 60)}", "dim")
            return Content.assemble(
                (box, "bold"), f" {clipped(option.label, 300)}", words if option.description else ""
            )
        rows = Table.grid(padding=(0, 1, 0, 0), expand=True)
        rows.add_column(width=_BOX_WIDTH)
        rows.add_column(ratio=1)
        rows.add_row(Text(box, "bold"), Text(clipped(option.label, 300)))
        if option.description:
            rows.add_row(Text(""), Text(clipped(option.description, 500), "dim"))
        return rows
