"""The bodies of questions: a form with its fields, or a page to open.

They post the answer as an intent; which question is shown is decided by the screen around them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from textual import on
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static, TextArea

from canopy_shared.elicitation import ACCEPT, CANCEL, DECLINE
from canopy_tui.model.intents import AnswerElicitation
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import RequestState
from canopy_tui.view.dialogs.bounded import bound, height_of
from canopy_tui.view.dialogs.choice_list import ChoiceList
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.drawing.labels import foreign
from canopy_tui.view.drawing.markdown import literal_rows
from canopy_tui.view.drawing.strips import BLANK
from canopy_tui.view.keyboard.keymap import filled, is_key, take_keys
from canopy_tui.view.keyboard.keys import BUTTON, FORM, LINK
from canopy_tui.view.posting import Posted
from canopy_tui.view.requests.elicitation_fields import FieldRow, start_value
from canopy_tui.view.requests.form_fields import FormFields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget
    from textual.widgets import OptionList

    from canopy_shared.elicitation import FormElicitation, UrlElicitation
    from canopy_shared.elicitation_fields import FieldOption, FormField
    from canopy_tui.model.state import PendingRequest
    from canopy_tui.view.dialogs.preview import Draw
    from canopy_tui.view.drawing.strips import Marks, Paper, Row


def _button(words: str, id: str) -> Button:
    button = Button(Content(filled(words)), id=id, compact=True)
    take_keys(button, BUTTON)
    return button


class FormPane(Vertical):
    """One form. ``kept`` are values from an earlier look at it."""

    BINDINGS: ClassVar[list[BindingType]] = FORM.bindings()

    def __init__(self, request: PendingRequest, kept: Mapping[str, Any], marks: Marks) -> None:
        super().__init__(classes="request-pane")
        self._request = request
        self._form: FormElicitation = request.payload
        self._kept = kept
        self._marks = marks
        self._room = 0
        self._has_previews = any(
            option.preview
            for field in self._form.fields
            for option in getattr(field, "options", ())
        )

    def compose(self) -> ComposeResult:
        """Message, faults, fields beside the preview, buttons."""
        yield Static(foreign(self._form.message), id="form-message")
        yield Static("", id="form-faults", markup=False)
        with Horizontal(id="form-middle"):
            with FormFields(id="form-fields"):
                custom = {field.custom_answer_to for field in self._form.fields}
                for number, field in enumerate(self._form.fields):
                    followed = field.key in custom
                    dot = self._marks.bullets[0]
                    yield FieldRow(field, self._start(field), number, followed=followed, dot=dot)
            if self._has_previews:
                yield Preview(self._marks, id="form-preview")
        with Horizontal(id="form-buttons"):
            yield _button("Send", "form-send")
            yield _button("Decline", "form-decline")
            yield _button("Cancel", "form-cancel")

    def _start(self, field: FormField) -> Any:
        return self._kept[field.key] if field.key in self._kept else start_value(field)

    def on_mount(self) -> None:
        """Begin at the first field, if the request was not withdrawn meanwhile."""
        first = next(iter(self.query("#control-0, #form-send")), None)
        if first is not None:
            first.focus(scroll_visible=False)  # before all is laid out that would hide its title

    def fit(self, room: int) -> None:
        """The fields give way when room is short."""
        self._room = room
        for middle in self.query("#form-middle"):
            bound(middle, room - height_of(one for one in self.children if one is not middle))

    def answers_to(self, key: str) -> bool:
        """One letter declines; digits only pick."""
        return is_key("form-decline", key)

    def values(self) -> dict[str, Any]:
        """What is filled in, by field."""
        return {row.field.key: row.value for row in self.query(FieldRow)}

    def action_send(self) -> None:
        """Send the answer, or show what is wrong with it and go there."""
        faulty = [(row, problem) for row in self.query(FieldRow) if (problem := row.check())]
        lines = [f"{row.field.title or row.field.key} {problem}" for row, problem in faulty]
        most = max(1, self._room // 5)  # each stands beside its field too
        if len(lines) > most:
            lines[most - 1 :] = [f"{lines[most - 1]}, and {len(lines) - most} more"]
        faults = self.query_one("#form-faults", Static)
        faults.update(Content("\n".join(lines)))
        faults.display = bool(lines)
        self.call_after_refresh(lambda: self.fit(self._room))
        if faulty:
            faulty[0][0].control.focus()
            return
        content = {key: value for key, value in self.values().items() if value is not None}
        self._answer(ACCEPT, content)

    def action_decline(self) -> None:
        """Decline to answer."""
        self._answer(DECLINE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """``d`` is a letter where text is written."""
        if action == "decline":
            return not isinstance(self.screen.focused, (Input, TextArea))
        return True

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "form-send":
                self.action_send()
            case "form-decline":
                self._answer(DECLINE)
            case _:
                self._answer(CANCEL)

    def _answer(self, action: str, content: Mapping[str, Any] | None = None) -> None:
        if self._request.state is RequestState.WAITING:
            self.post_message(Posted(AnswerElicitation(self._request.key, action, content)))

    @on(ChoiceList.GoOn)
    @on(Input.Submitted)
    def _go_on(self, event: ChoiceList.GoOn | Input.Submitted) -> None:
        """Enter goes to the next field, over free text beside a question, at last to Send."""
        event.stop()
        rows = list(self.query(FieldRow))
        here = next((at for at, row in enumerate(rows) if row.has_focus_within), len(rows))
        after = [row for row in rows[here + 1 :] if row.field.custom_answer_to is None]
        (after[0].control if after else self.query_one("#form-send")).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the preview of the option under the highlight."""
        event.stop()
        self._show_preview(event.option_list)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The preview is that of the question in use."""
        self._show_preview(event.widget)

    def _show_preview(self, of: Widget) -> None:
        if not (self._has_previews and isinstance(of, ChoiceList) and of.has_focus):
            return
        pane = self.query_one("#form-preview", Preview)
        pane.display = any(option.preview for option in of.field_options)
        pane.draw(preview_rows(of.current))


def preview_rows(option: FieldOption | None) -> Draw:
    """The preview of an option; of one without any, beside others that have one, its name and all
    of its description.
    """

    def draw(paper: Paper) -> list[Row]:
        if option is None:
            return []
        if option.preview:
            return literal_rows(option.preview, paper)
        rows = literal_rows(clipped(option.label, 300), paper, paper.ink.strong)
        if option.description:
            rows += [BLANK, *literal_rows(option.description, paper)]
        return rows

    return draw


class LinkPane(Vertical):
    """A page that the agent asks the person to open. It is never opened by itself."""

    BINDINGS: ClassVar[list[BindingType]] = LINK.bindings()

    def __init__(self, request: PendingRequest) -> None:
        super().__init__(classes="request-pane")
        self._request = request
        self._link: UrlElicitation = request.payload

    def compose(self) -> ComposeResult:
        """Message, host, address, buttons."""
        yield Static(foreign(self._link.message), id="form-message")
        yield Static(foreign(self._host(), "bold"), id="link-host")
        yield Static(foreign(self._link.url), id="link-url")
        with Horizontal(id="form-buttons"):
            if self._link.is_web_page:
                yield _button("Open ({link-open})", "link-open")
            yield _button("Copy ({link-copy})", "link-copy")
            yield _button("I have done it", "link-done")
            yield _button("Decline ({link-decline})", "link-decline")

    def on_mount(self) -> None:
        """Begin where Enter does no harm."""
        self.query("#link-copy").focus()

    def fit(self, room: int) -> None:
        """The address gives way when room is short."""
        for url in self.query("#link-url"):
            bound(url, room - height_of(one for one in self.children if one is not url))

    def answers_to(self, key: str) -> bool:
        """One letter declines, and one opens the page."""
        return is_key("link-decline", key) or is_key("link-open", key)

    def _host(self) -> str:
        try:
            return urlsplit(self._link.url).hostname or "no host"
        except ValueError:
            return "not an address"

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        match event.button.id:
            case "link-open":
                self.action_open_page()
            case "link-copy":
                self.action_copy()
            case "link-done":
                self._answer(ACCEPT)
            case _:
                self.action_decline()

    def action_open_page(self) -> None:
        """Open the page in the browser, when it is one."""
        if self._link.is_web_page:
            self.app.open_outside(self._link.url)  # type: ignore[attr-defined]  # ours

    def action_copy(self) -> None:
        """Copy the address."""
        self.app.copy(self._link.url)  # type: ignore[attr-defined]  # ours

    def action_decline(self) -> None:
        """Decline."""
        self._answer(DECLINE)

    def _answer(self, action: str) -> None:
        if self._request.state is RequestState.WAITING:
            self.post_message(Posted(AnswerElicitation(self._request.key, action)))
