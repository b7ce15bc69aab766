"""Small terminals: what matters most is in view, and everything else can be reached from there."""

from __future__ import annotations

import pytest

from canopy_shared.updates import UsageUpdate
from canopy_tui.model.intents import AnswerPermission
from canopy_tui.view.keyboard.key_guard import QUIET
from canopy_tui.view.requests.elicitation_fields import hint_in
from canopy_tui.view.requests.request_screen import RequestScreen
from tui_app.playing import Play, playing

SMALLEST = (40, 10)
SMALL = (60, 16)


@pytest.mark.parametrize("size", [SMALLEST, SMALL, (80, 24)])
async def test_the_tree_begins_with_who_asks_else_with_who_works(size: tuple[int, int]) -> None:
    async with playing(size) as play:
        for number in range(40):
            play.stage.spawn(f"k{number}", f"agent {number}")
            if number < 30 and number != 4:
                play.stage.end_child(f"k{number}")
        play.stage.spawn("k4-1", "inner", "k4")
        await play.press("ctrl+t")
        await play.shows("├─▶ agent 4 ")
        await play.press("escape")
        play.stage.ask_permission(session="k35")
        await play.settle()
        await play.press("escape", "ctrl+t")
        await play.shows("├─! agent 35 ")
        await play.press("enter")
        assert play.app.open_session == "k35"


async def test_the_tree_opens_at_the_agent_in_view_and_scrolls_only_as_far_as_needed() -> None:
    async with playing(SMALLEST) as play:
        for number in range(40):
            play.stage.spawn(f"k{number}", f"agent {number}")
        play.app.go("k33")
        await play.press("ctrl+t")
        await play.shows("▌ ├─▶ agent 33")
        before = play.lines[1:6]
        await play.press("down", "up")
        assert play.lines[1:6] == before
        await play.press("home")
        await play.shows("0 ◌ main")


@pytest.mark.parametrize("place", ["message", "tree", "transcript", "child"])
async def test_the_last_line_of_the_smallest_screen_names_the_page_of_keys(place: str) -> None:
    async with playing(SMALLEST) as play:
        play.stage.spawn("kid", "fix tests")
        play.stage.usage(2000)
        match place:
            case "tree":
                await play.press("ctrl+t")
            case "transcript":
                play.app.main.transcript.focus()
            case "child":
                play.app.go("kid")
        await play.settle()
        assert "F1 " in play.lines[-1]
        assert "%" not in play.lines[-1]
        play.stage.ask_permission()
        await play.settle()
        await play.press("escape")
        await play.shows("F4 1 waiting")
        assert "F1 " in play.lines[-1]
        play.stage.update(UsageUpdate(190_000, 200_000), play.app.open_session or "")
        await play.shows("95% context")


MANY = [
    {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
    {
        "optionId": "project",
        "name": "Always allow npm run test in this project and all below it",
        "kind": "allow_always",
    },
    {"optionId": "session", "name": "Allow for this session only", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    {"optionId": "never", "name": "Reject always", "kind": "reject_always"},
]
COMMAND = {"command": "npm run test -- --watch=false && rm -rf build"}


async def asked(play: Play, **facts: object) -> int:
    """A permission that has been on screen for long enough to be answered."""
    key = play.stage.ask_permission(kind="execute", rawInput=COMMAND, **facts)  # type: ignore[arg-type]  # any facts
    await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
    await play.settle()
    play.clock.pass_by(QUIET + 0.01)
    return key


async def test_a_permission_on_the_smallest_screen_shows_all_that_an_answer_needs() -> None:
    async with playing(SMALLEST) as play:
        play.stage.spawn("kid", "fix tests")
        await asked(play, session="kid")
        for text in (
            "fix tests asks",
            "Edit prices.py",
            "--watch=false",
            "rm -rf build",
            " y   Yes ",
            " a   Yes, allow all edits in this",
            " n   No",
            "Esc later",
        ):
            assert text in play.text, text


@pytest.mark.parametrize("size", [SMALLEST, SMALL, (44, 12)])
async def test_every_answer_of_many_can_be_seen_and_later_always_is(size: tuple[int, int]) -> None:
    async with playing(size) as play:
        play.stage.spawn("kid", "fix tests")
        first = await asked(play, session="kid", options=MANY)
        second = play.stage.ask_permission(
            call="two", session="kid", kind="execute", rawInput=COMMAND, options=MANY
        )
        await play.settle()
        seen = play.text
        for text in (
            "-rf build",
            "fix tests asks",
            " y   Allow once",
            " n   Reject",
            "Esc later",
            "Tab next",
        ):
            assert text in seen, text
        await play.press("end")
        seen += play.text
        for text in (
            " a   Always",
            " 3   Allow for",
            " N   Reject always",
            " A   Allow once, this",
        ):
            assert text in seen, text
        await play.press("home")
        await play.shows(" y   Allow once")
        await play.press("A")
        await play.shows("press A again")
        assert "Esc later" in play.text
        await play.press("A")
        assert play.stage.acted == [AnswerPermission(key, "once") for key in (first, second)]


async def test_a_long_answer_is_written_in_full_where_there_is_room() -> None:
    async with playing(SMALL) as play:
        await asked(play, options=MANY)
        await play.shows("Always allow npm run test in this project and all")
        await play.shows("      below it ")
        await play.pilot.resize_terminal(40, 10)
        await play.shows("…")
        await play.pilot.resize_terminal(120, 40)
        await play.shows("Always allow npm run test in this project and all below it")


@pytest.mark.parametrize("size", [SMALLEST, SMALL])
async def test_a_reason_is_asked_for_in_words_that_fit(size: tuple[int, int]) -> None:
    async with playing(size) as play:
        await asked(play)
        await play.press("t")
        await play.shows("What should it do instead?")
        await play.shows("Enter rejects · Esc goes back")
        await play.press("escape")
        await play.shows("Esc later")


async def test_a_preview_without_a_frame_tells_how_much_of_it_is_below() -> None:
    long = "\n".join(f"line {number}" for number in range(100))
    async with playing(SMALLEST) as play:
        play.stage.ask_permission(
            kind="edit", rawInput={"file_path": "/till/prices.py", "content": long}
        )
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        await play.shows("+99 ▼")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("end")
        await play.shows("line 99")
        assert "▼" not in play.text


@pytest.mark.parametrize("size", [SMALLEST, SMALL])
async def test_the_frame_of_the_message_takes_no_more_rows_in_the_pane_of_an_agent(
    size: tuple[int, int],
) -> None:
    async with playing(size) as play:
        play.stage.spawn("kid", "fix tests")
        await play.settle()
        height = play.app.main.composer.size.height
        play.app.go("kid")
        await play.shows("goes to main")
        assert play.app.main.composer.size.height == height


@pytest.mark.parametrize("size", [SMALL, (80, 24)])
async def test_a_form_says_what_its_buttons_mean(
    size: tuple[int, int],
) -> None:
    properties = {"pick": {"type": "string", "title": "Database", "enum": ["SQLite", "Postgres"]}}
    async with playing(size) as play:
        play.stage.ask_form({"type": "object", "properties": properties})
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the form")
        await play.shows("Decline says no")


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (90, "Type it here. It is used in place of the options."),
        (20, "Type it here"),
        (12, "Type it here"),
        (8, "Your ow…"),
    ],
)
def test_a_hint_that_does_not_fit_is_said_in_other_words(room: int, shown: str) -> None:
    assert hint_in("Type it here. It is used in place of the options.", room) == shown
    assert hint_in("Write as much as you like of it here", 20) == "Your own words"
    assert hint_in("", room) == ""
