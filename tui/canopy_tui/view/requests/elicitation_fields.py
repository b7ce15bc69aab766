"""One row per field of an elicitation form: label, control, and the fault of its answer beside it.

A row turns its control into a value; whether that value may be sent is decided by
``canopy_shared.elicitation``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static, Switch, TextArea

from canopy_shared.elicitation import problem_with
from canopy_shared.elicitation_fields import (
    BooleanField,
    ChoiceField,
    FormField,
    MultiChoiceField,
    NumberField,
    TextField,
    Value,
)
from canopy_shared.formats import EXAMPLES
from canopy_tui.model.sanitize import visible
from canopy_tui.view.dialogs.choice_list import MOST_SHOWN, ChoiceList
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.drawing.strips import fitted
from canopy_tui.view.keyboard.caret_keys import AREA, CARET
from canopy_tui.view.keyboard.keymap import take_keys
from canopy_tui.view.keyboard.keys import LINE, SWITCH

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

_OWN_WORDS = "Your own words"
MULTILINE_FROM = 200
"""A text field that takes more characters than this gets several lines."""


def is_multiline(field: FormField) -> bool:
    """Whether the answer may well be longer than a line."""
    if not isinstance(field, TextField) or field.format:
        return False
    return (field.max_length or 0) > MULTILINE_FROM


def start_value(field: FormField) -> Value | None:
    """The default of a field, None when it has none."""
    return field.default or None if isinstance(field, MultiChoiceField) else field.default


def written(value: Value | None) -> str:
    """A value as a person types it."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def read_number(text: str) -> Value | None:
    """The number that ``text`` spells, None when it is blank; text that is no number stays text."""
    text = text.strip()
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def hint_in(words: str, room: int) -> str:
    """``words`` where they fit; else their first sentence, or what any such line is for."""
    words = visible(words, multiline=False)
    first = words.partition(". ")[0]
    choices = (words, first, _OWN_WORDS if words else "")
    return next((one for one in choices if cell_len(one) <= room), fitted(_OWN_WORDS, max(1, room)))


class FieldRow(Vertical):
    """A field with its control. ``start`` is the value to begin with: a kept draft or the default.

    ``number`` counts the fields from 0 and only serves widget ids. ``followed``: free text that
    adds to this field comes right after it. ``dot`` marks what is picked of one.
    """

    def __init__(
        self,
        field: FormField,
        start: Value | None,
        number: int,
        *,
        followed: bool = False,
        dot: str = "•",
    ) -> None:
        super().__init__(id=f"field-{number}", classes="field")
        self.field = field
        self._start = start
        self._untouched = ""
        self._dot = dot
        self._control_id = f"control-{number}"
        self.set_class(field.custom_answer_to is not None, "-custom")
        self.set_class(followed, "-followed")

    def compose(self) -> ComposeResult:
        """Label, description, control, fault."""
        if self.field.custom_answer_to is None:
            yield Static(self._label(), classes="field-label")
            if self.field.description:
                yield Static(foreign(self.field.description), classes="field-help")
        yield from self._controls()
        yield Static("", classes="field-fault", markup=False)

    def _label(self) -> Content:
        word = Content.styled("  required", "$warning") if self.field.required else Content("")
        return Content.assemble(foreign(self.field.title or self.field.key, "bold"), word)

    def _controls(self) -> ComposeResult:
        field, start, control_id = self.field, self._start, self._control_id
        match field:
            case ChoiceField():
                picked = [start] if isinstance(start, str) else []
                yield ChoiceList(field.options, picked, several=False, dot=self._dot, id=control_id)
                yield from _left_out(field)
            case MultiChoiceField():
                several = start if isinstance(start, tuple) else ()
                yield ChoiceList(field.options, several, several=True, id=control_id)
                yield from _left_out(field)
            case BooleanField():
                with Horizontal(classes="field-switch"):
                    switch = Switch(bool(start), animate=False, id=control_id)
                    take_keys(switch, SWITCH)
                    yield switch
                    yield Static(_on_off(bool(start)), classes="field-word", markup=False)
            case TextField() if is_multiline(field):
                area = TextArea(self._begins_with(multiline=True), compact=True, id=control_id)
                take_keys(area, AREA)
                yield area
            case _ if field.custom_answer_to is not None:
                with Horizontal(classes="field-line"):
                    yield Static(foreign(field.title or "Other"), classes="field-word")
                    yield self._line()
            case _:
                yield self._line()

    def _begins_with(self, *, multiline: bool) -> str:
        """What stands in the field, so long as nobody writes something else."""
        self._untouched = visible(written(self._start), multiline=multiline)
        return self._untouched

    def _line(self) -> Input:
        line = Input(
            self._begins_with(multiline=False),
            placeholder=visible(self._hint(), multiline=False),
            select_on_focus=False,
            id=self._control_id,
        )
        take_keys(line, LINE, CARET)
        return line

    def _hint(self) -> str:
        if self.field.custom_answer_to is not None:
            return self.field.description or self.field.title
        return EXAMPLES.get(getattr(self.field, "format", None) or "", "")

    def on_resize(self) -> None:
        """What is hinted at fits the line, or is said in other words."""
        self.call_after_refresh(self._fit_hint)

    def _fit_hint(self) -> None:
        for line in self.query(Input):
            line.placeholder = hint_in(self._hint(), line.content_size.width - 1)

    @property
    def control(self) -> Widget:
        """The widget that takes the focus."""
        return self.query_one(f"#{self._control_id}")

    @property
    def value(self) -> Value | None:
        """What the control holds; None when it is blank."""
        match self.control:
            case ChoiceList() as choices if choices.several:
                return tuple(choices.picked) or None
            case ChoiceList() as choices:
                return choices.picked[0] if choices.picked else None
            case Switch() as switch:
                return switch.value
            case Input() as line if isinstance(self.field, NumberField):
                return read_number(line.value)
            case Input() as line:
                return self._typed(line.value).strip() or None
            case TextArea() as area:
                return self._typed(area.text).strip("\n") or None
        raise AssertionError("a control of no known kind")

    def _typed(self, text: str) -> str:
        """What was typed; where that is nothing, the value to begin with as it came."""
        return written(self._start) if text == self._untouched else text

    def check(self) -> str:
        """Show why the answer cannot be sent, and return it; empty when it can be."""
        problem = problem_with(self.field, self.value) or ""
        self.query_one(".field-fault", Static).update(Content(problem))
        self.set_class(bool(problem), "-faulty")
        return problem

    def on_switch_changed(self, event: Switch.Changed) -> None:
        """The word beside the switch says what its place means."""
        self.query_one(".field-word", Static).update(_on_off(event.value))


def _left_out(field: ChoiceField | MultiChoiceField) -> ComposeResult:
    if (more := len(field.options) - MOST_SHOWN) > 0:
        yield Static(f"{more:,} more are not shown", classes="field-help", markup=False)


def _on_off(value: bool) -> Content:
    return Content("on" if value else "off")
