"""Questions of the agent: every kind of field, faults beside them, previews, and pages to open."""

from __future__ import annotations

from typing import Any

import pytest
from rich.table import Table
from textual.widgets import Button, Input

from canopy_tui.model.intents import AnswerElicitation
from canopy_tui.view.apps import request_desk
from canopy_tui.view.dialogs.choice_list import MOST_SHOWN, ChoiceList
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.drawing.strips import UNICODE
from canopy_tui.view.keyboard.key_guard import QUIET
from canopy_tui.view.requests.elicitation import FormPane
from canopy_tui.view.requests.request_screen import RequestScreen
from tui_app.playing import NARROW, WIDE, Play, playing


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_desk, "RETRY", 0.01)


QUESTION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question_0": {
            "type": "string",
            "title": "Storage",
            "description": "Which database?",
            "oneOf": [
                {"const": "Postgres", "title": "Postgres", "description": "relational"},
                {
                    "const": "SQLite",
                    "title": "SQLite",
                    "_meta": {"_claude/askUserQuestionOption": {"preview": "one [b]file"}},
                },
            ],
        },
        "question_0_custom": {"type": "string", "title": "Other", "description": "Your own answer"},
        "question_1": {
            "type": "array",
            "title": "Extras",
            "items": {"anyOf": [{"const": "Cache", "title": "Cache"}, {"const": "Queue"}]},
        },
    },
}

VALUES: dict[str, Any] = {
    "type": "object",
    "required": ["mail", "count"],
    "properties": {
        "mail": {"type": "string", "title": "Mail", "format": "email"},
        "count": {"type": "integer", "title": "Count", "minimum": 1, "maximum": 9},
        "rate": {"type": "number", "title": "Rate", "default": 2.5},
        "sure": {"type": "boolean", "title": "Sure", "default": True},
        "notes": {"type": "string", "title": "Notes", "maxLength": 500},
    },
}


async def asked(play: Play, schema: dict[str, Any], message: str = "Some questions") -> int:
    """A form that came on screen and has been looked at for long enough."""
    key = play.stage.ask_form(schema, message)
    await play.until(lambda: isinstance(play.screen, RequestScreen), "the form on screen")
    await play.settle()
    play.clock.pass_by(QUIET + 0.01)
    return key


def answer(key: int, **content: Any) -> AnswerElicitation:
    """What an accepted form sends."""
    return AnswerElicitation(key, "accept", content)


async def test_a_question_by_keys() -> None:
    async with playing() as play:
        key = await asked(play, QUESTION)
        for text in ("main asks", "Some questions", "Storage", "Which database?", "( ) Postgres"):
            assert text in play.text, text
        await play.press("down", "space")
        await play.shows("(•) SQLite")
        await play.shows("one [b]file")  # the preview of what is highlighted
        preview = play.screen.query_one(Preview)
        await play.press("up")
        await play.until(lambda: preview.text == "Postgres\n\nrelational", "all of it instead")
        await play.press("enter")  # picks and goes on, past the free text
        await play.shows("(•) Postgres")
        await play.until(lambda: not preview.display, "no box where nothing has a preview")
        await play.press("2", "enter")
        await play.shows("[x] Queue")
        assert isinstance(play.screen.focused, Button)
        assert play.stage.acted == []
        await play.press("enter")
        assert play.stage.acted == [answer(key, question_0="Postgres", question_1=("Queue",))]
        assert play.app.shows_main


async def test_what_is_asked_is_in_view_with_its_answers_on_small_screens() -> None:
    many = [{"const": f"option {number}", "description": "what it means"} for number in range(9)]
    question = {"type": "string", "title": "Which of them", "oneOf": many}
    long = {"type": "object", "properties": {**QUESTION["properties"], "last": question}}
    long["properties"]["question_0_custom"]["description"] = "Your own answer " * 20
    async with playing((60, 14)) as play:
        await asked(play, long)
        await play.shows("Storage")
        await play.shows("( ) Postgres")
        [line] = play.screen.query(Input)
        assert line.region.right <= 60  # what is typed is never outside the dialog
        await play.until(lambda: line.placeholder.endswith("…"), "the hint cut to its room")
        await play.press("enter", "1", "enter")
        await play.shows("option 0")
        for number in range(1, 9):  # taller than the form: the highlight stays in view
            await play.press("down")
            await play.shows(f"( ) option {number}")
        await play.press("shift+tab")
        await play.shows("Extras")


async def test_b52_a_free_answer_goes_with_the_pick() -> None:
    async with playing(NARROW) as play:
        key = await asked(play, QUESTION)
        await play.press("1", "tab")
        await play.write("and d: logs")
        assert play.stage.acted == []  # d is a letter here
        await play.press("ctrl+enter")
        assert play.stage.acted == [
            answer(key, question_0="Postgres", question_0_custom="and d: logs")
        ]


async def test_values_are_checked_where_they_are_written() -> None:
    async with playing(WIDE) as play:
        key = await asked(play, VALUES)
        await play.write("nobody")
        await play.press("alt+enter")
        await play.shows("Mail must be an e-mail address")
        await play.shows("Count needs an answer")
        assert play.stage.acted == []
        assert play.screen.focused is not None
        assert play.screen.focused.id == "control-0"
        await play.write("@example.org")
        await play.press("tab")
        await play.write("12")
        await play.press("ctrl+enter")
        await play.shows("must be at most 9")
        await play.shows_no("Mail must be")
        await play.press("backspace", "tab", "tab", "space", "tab")
        await play.write("two")
        await play.press("enter")
        await play.write("lines")
        await play.press("ctrl+enter")
        assert play.stage.acted == [
            answer(
                key, mail="nobody@example.org", count=1, rate=2.5, sure=False, notes="two\nlines"
            )
        ]


async def test_put_off_keeps_what_was_filled_in() -> None:
    async with playing() as play:
        key = await asked(play, VALUES)
        await play.write("a@b")
        await play.press("escape")
        assert play.app.shows_main
        assert play.stage.acted == []
        await play.press("f4")
        play.clock.pass_by(QUIET + 0.01)
        await play.shows("a@b")
        await play.press("tab")
        await play.write("3")
        await play.press("ctrl+enter")
        assert play.stage.acted == [answer(key, mail="a@b", count=3, rate=2.5, sure=True)]


async def test_decline_and_cancel() -> None:
    async with playing() as play:
        first = await asked(play, QUESTION)
        assert isinstance(play.screen, RequestScreen)
        body = play.screen.query_one("#request-body")
        await body.remove_children()
        put_together = body.mount(FormPane(play.app.state.waiting()[0], {}, UNICODE))
        play.screen.fit()  # as a resize does that comes just then
        await put_together
        await play.press("d")
        assert play.stage.acted == [AnswerElicitation(first, "decline")]
        second = await asked(play, VALUES)
        await play.press("d")  # a text field has the focus
        assert len(play.stage.acted) == 1
        await play.pilot.click("#form-cancel")
        await play.settle()
        assert play.stage.acted[1:] == [AnswerElicitation(second, "cancel")]


async def test_a_form_right_after_it_appeared_takes_no_key() -> None:
    async with playing() as play:
        play.stage.ask_form(QUESTION)
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the form on screen")
        await play.settle()
        await play.press("enter", "enter", "enter")
        assert isinstance(play.screen, RequestScreen)
        await play.write("1 d")
        assert play.draft == "1 d"
        assert play.stage.acted == []


async def test_from_a_form_to_a_permission_and_back() -> None:
    async with playing() as play:
        form = await asked(play, VALUES)
        permission = play.stage.ask_permission()
        await play.shows("Question 1 of 2")
        await play.write("kept")
        await play.press("f4")
        screen = play.screen
        assert isinstance(screen, RequestScreen)
        assert screen.key == permission
        await play.shows("Permission 2 of 2")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("f4")
        assert screen.key == form
        await play.shows("kept")


async def test_an_empty_form_can_be_sent() -> None:
    async with playing() as play:
        key = await asked(play, {"type": "object", "properties": {}}, "Shall I go on?")
        await play.shows("Shall I go on?")
        await play.press("enter")
        assert play.stage.acted == [answer(key)]


async def test_a_long_form_scrolls_and_keeps_its_buttons_in_sight() -> None:
    properties = {f"f{n}": {"type": "string", "title": f"Field {n}"} for n in range(40)}
    async with playing(NARROW) as play:
        await asked(play, {"type": "object", "properties": properties})
        assert "Send" in play.text
        for _ in range(39):
            await play.press("enter")
        await play.shows("Field 39")
        assert "Send" in play.text


async def test_a_page_is_shown_and_opened_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as play:
        opened: list[str] = []
        monkeypatch.setattr(play.app, "open_url", opened.append)
        key = play.stage.ask_page("https://login.example.org/device?code=1")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the page on screen")
        await play.settle()
        play.clock.pass_by(QUIET + 0.01)
        await play.shows("login.example.org")
        await play.shows("https://login.example.org/device?code=1")
        await play.press("c")
        assert play.app.clipboard == "https://login.example.org/device?code=1"
        assert opened == []
        await play.press("o")
        assert opened == ["https://login.example.org/device?code=1"]
        await play.pilot.click("#link-done")
        await play.settle()
        assert play.stage.acted == [AnswerElicitation(key, "accept")]


async def test_only_web_pages_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as play:
        opened: list[str] = []
        monkeypatch.setattr(play.app, "open_url", opened.append)
        play.stage.ask_page("file:///etc/passwd")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the page on screen")
        play.clock.pass_by(QUIET + 0.01)
        await play.shows("file:///etc/passwd")
        await play.press("o")
        assert opened == []
        assert not play.screen.query("#link-open")
        await play.press("d")
        assert len(play.stage.acted) == 1


def test_a_list_starts_with_what_is_picked() -> None:
    from canopy_shared.elicitation_fields import FieldOption

    options = [FieldOption("a", "A"), FieldOption("b", "B")]
    assert ChoiceList(options, ["b", "gone"], several=True).picked == ["b"]


@pytest.mark.parametrize(
    ("keys", "content"),
    [
        ("", {}),
        ("1", {"question_0": "Postgres"}),
        ('\t a, "b" ', {"question_0_custom": 'a, "b"'}),
        ("\t   ", {}),
        ("\r\r", {"question_0": "Postgres"}),  # of several, Enter picks none
        ("\t\t12", {"question_1": ("Cache", "Queue")}),
        (
            "2\tnote\t1",
            {"question_0": "SQLite", "question_0_custom": "note", "question_1": ("Cache",)},
        ),
    ],
)
async def test_b52_every_part_of_an_answer_is_sent(keys: str, content: dict[str, Any]) -> None:
    async with playing(NARROW) as play:
        key = await asked(play, QUESTION)
        for character in keys:
            await play.press({"\t": "tab", " ": "space", "\r": "enter"}.get(character, character))
        await play.press("ctrl+enter")
        assert play.stage.acted == [answer(key, **content)]


SIZES = [f"size {number}" for number in range(9)]
KINDS: dict[str, Any] = {
    "type": "object",
    "required": ["page", "size", "tags", "whole"],
    "properties": {
        "page": {"type": "string", "title": "Page", "format": "uri"},
        "day": {"type": "string", "title": "Day", "format": "date", "default": "2026-02-30"},
        "code": {"type": "string", "title": "Code", "minLength": 3, "maxLength": 4},
        "odd": {"type": "string", "title": "Odd", "format": "hologram", "default": "as it is"},
        "rate": {"type": "number", "title": "Rate", "minimum": 0.5},
        "whole": {"type": "integer", "title": "Whole"},
        "size": {"type": "string", "title": "Size", "enum": SIZES, "default": "no such size"},
        "named": {
            "type": "string",
            "title": "Named",
            "enum": ["s", "l"],
            "enumNames": ["Small", "Large"],
            "default": "l",
        },
        "tags": {
            "type": "array",
            "title": "Tags",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "string", "enum": ["a", "b", "c"]},
        },
        "sure": {"type": "boolean", "title": "Sure"},
        "unknown": {"type": "hologram", "title": "Unknown"},
        "null": None,
    },
}


async def test_every_kind_of_field_with_its_faults() -> None:
    async with playing((120, 60)) as play:
        key = await asked(play, KINDS)
        await play.until(lambda: play.text.count("required") == 4, "four fields that are required")
        await play.write("a page")
        await play.press("tab", "tab")
        await play.write("xy")
        await play.press("tab", "tab")
        await play.write("0.25")
        await play.press("tab")
        await play.write("1.5")
        await play.press("tab", "tab", "tab", "1", "ctrl+enter")
        for words in (
            "Page must be an address",
            "Day must be a date",
            "Code needs at least 3 characters",
            "Rate must be at least 0.5",
            "Whole must be a whole number",
            "Size needs an answer",
            "Tags needs",
        ):
            await play.shows(words)
        assert play.stage.acted == []
        await play.press("ctrl+u")
        await play.write("https://example.org/a")
        await play.press("tab", "ctrl+u", "tab")
        await play.write("z")
        await play.press("tab", "tab", "ctrl+u", "tab", "ctrl+u")
        await play.write("15")
        await play.press("tab", "9", "tab", "tab", "2", "ctrl+enter")
        assert play.stage.acted == [
            answer(
                key,
                page="https://example.org/a",
                code="xyz",
                odd="as it is",
                whole=15,
                size="size 8",
                named="l",
                tags=("a", "b"),
                sure=False,
            )
        ]


@pytest.mark.parametrize("size", [WIDE, NARROW, (40, 10)])
async def test_faults_leave_the_buttons_in_view(size: tuple[int, int]) -> None:
    names = [f"Field {number}" for number in range(20)]
    fields = {name: {"type": "string", "title": name} for name in names}
    async with playing(size) as play:
        await asked(play, {"type": "object", "required": names, "properties": fields})
        await play.shows("Send")
        await play.press("ctrl+enter")
        await play.shows("Field 0 needs an answer")
        await play.settle()
        assert "Send" in play.text
        assert "later" in play.text
        assert ", and 1" in play.text  # so many more


async def test_a_list_of_thousands_is_laid_out_in_lines() -> None:
    many = [f"zone {number}" for number in range(MOST_SHOWN + 1000)]
    one = {"type": "string", "title": "Zone", "enum": many, "default": many[-1]}
    several = {"type": "array", "title": "More", "items": {"enum": many}}
    async with playing() as play:
        key = await asked(play, {"type": "object", "properties": {"one": one, "several": several}})
        await play.shows("( ) zone 0")
        for choices in play.screen.query(ChoiceList):
            assert not any(isinstance(option.prompt, Table) for option in choices.options)
            assert choices.option_count == MOST_SHOWN
        assert len(play.screen.query(".field-help")) == 2
        await play.press("down", "space")
        await play.shows("(•) zone 1")
        await play.press("enter", "3", "1", "1")
        assert play.screen.query(ChoiceList).last().picked == ["zone 2"]
        await play.press("enter", "enter")
        await play.until(lambda: play.stage.acted, "the answer")
        assert play.stage.acted == [answer(key, one="zone 1", several=("zone 2",))]
