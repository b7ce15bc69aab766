"""Requests on screen: who asks, which key gives which answer, what no key may do (B29, B90)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from canopy_shared.updates import ToolCallUpdate
from canopy_tui.desk.file_window import line_of
from canopy_tui.model.intents import AnswerPermission, RestartAgent, SendPrompt
from canopy_tui.view.apps import request_desk
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.keyboard.key_guard import IDLE, QUIET, QUIET_OVER_DRAFT, SETTLE
from canopy_tui.view.requests import request_screen
from canopy_tui.view.requests.request_screen import RequestScreen
from tui_app.playing import NARROW, WIDE, Play, key_event, playing
from tui_app.stage import ROOT

LONG = "\n".join(f"line {number}" for number in range(100))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_desk, "RETRY", 0.01)
    monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 0.05)


async def asked(play: Play, **facts: object) -> int:
    """A request that came on screen and has been looked at for long enough."""
    key = play.stage.ask_permission(**facts)  # type: ignore[arg-type]  # any facts
    await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
    await play.settle()
    play.clock.pass_by(QUIET + 0.01)
    return key


@pytest.mark.parametrize(("size", "framed"), [(WIDE, True), (NARROW, True), ((60, 14), False)])
async def test_shows_who_asks_what_and_every_answer(size: tuple[int, int], framed: bool) -> None:
    async with playing(size) as play:
        play.stage.spawn("kid", "fix tests")
        await asked(
            play,
            session="kid",
            title="Write prices.py",
            kind="edit",
            rawInput={"file_path": "/till/prices.py", "content": LONG},
            meta={
                "jetbrains": {
                    "air": {
                        "version": 1,
                        "permission": {"version": 1, "title": "Write p", "description": "Because"},
                    }
                }
            },
        )
        await play.shows("main › fix tests")
        if framed:
            await play.shows("more lines")
        for text in (
            "fix tests asks",
            "Write p",
            "Because",
            "/till/prices.py",
            " y   Yes",
            " a   Yes, allow all edits",
            " n   No",
            " t   Reject",
            "Esc later",
        ):
            assert text in play.text, text
        assert isinstance(play.screen.focused, Preview)
        await play.press("end")
        await play.shows("line 99")


async def test_the_lines_of_an_edit_have_the_numbers_of_the_file(tmp_path: Path) -> None:
    """The agent names the old and the new words only: where they stand is looked up."""
    code = tmp_path / "till.py"
    code.write_text("".join(f"price_{number} = {number}\n" for number in range(1, 200)))
    async with playing(WIDE, ready=False) as play:
        play.stage.ready(str(tmp_path))
        edit = {"file_path": str(code), "old_string": "price_40 = 40", "new_string": "price_40 = 4"}
        await asked(play, title="Edit till.py", kind="edit", rawInput=edit)
        await play.shows("40 - price_40 = 40")
        await play.shows("40 + price_40 = 4")
        await play.press("d")
        await play.shows("40 - price_40 = 40 ")


async def test_no_number_is_better_than_a_wrong_one(tmp_path: Path) -> None:
    code = tmp_path / "till.py"
    code.write_text("same\nsame\n")
    assert line_of("till.py", str(tmp_path), "same") == 0
    assert line_of("none.py", str(tmp_path), "same") == 0
    async with playing(WIDE, ready=False) as play:
        play.stage.ready(str(tmp_path))
        edit = {"file_path": str(code), "old_string": "same", "new_string": "other"}
        await asked(play, title="Edit till.py", kind="edit", rawInput=edit)
        await play.shows("│ - same")
        await play.shows("│ + other")


@pytest.mark.parametrize(("key", "option"), [("y", "yes"), ("a", "always"), ("n", "no")])
async def test_the_key_of_an_answer_gives_it(key: str, option: str) -> None:
    async with playing() as play:
        number = await asked(play)
        await play.press(key)
        assert play.stage.acted == [AnswerPermission(number, option)]
        assert play.app.shows_main


async def test_a_click_answers() -> None:
    async with playing() as play:
        number = await asked(play)
        await play.pilot.click("#answers", offset=(6, 2))
        await play.settle()
        assert play.stage.acted == [AnswerPermission(number, "no")]


async def test_no_other_key_answers() -> None:
    async with playing() as play:
        await asked(play)
        await play.press("enter", "space", "tab", "x", "1", "N", "q", "Y")
        assert isinstance(play.screen, RequestScreen)
        await play.press("escape")
        assert play.app.shows_main
        await play.press("f4")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("ctrl+c")
        assert play.app.shows_main
        assert play.stage.acted == []
        assert len(play.stage.state.waiting()) == 1


async def test_options_of_unknown_or_repeated_kinds_get_numbers() -> None:
    options = [
        {"optionId": "clear", "name": "Yes, clear [b]context", "kind": "allow_always"},
        {"optionId": "auto", "name": "Yes, auto", "kind": "allow_always"},
        {"optionId": "odd", "name": "Something", "kind": "perhaps"},
    ]
    async with playing() as play:
        number = await asked(play, options=options)
        await play.shows(" a   Yes, clear [b]context")
        await play.shows(" 2   Yes, auto")
        await play.shows(" 3   Something")
        assert "Reject, and tell" not in play.text
        await play.press("t", "y", "n")
        assert play.stage.acted == []
        await play.press("3")
        assert play.stage.acted == [AnswerPermission(number, "odd")]


async def test_an_agent_that_wants_care_gets_two_presses() -> None:
    meta = {
        "jetbrains": {
            "air": {"version": 1, "permission": {"version": 1, "title": "x", "defaultToNo": True}}
        }
    }
    async with playing() as play:
        number = await asked(play, meta=meta)
        await play.press("y")
        assert play.stage.acted == []
        await play.shows("press y again")
        await play.press("a", "y")
        assert play.stage.acted == []
        await play.press("y")
        assert play.stage.acted == [AnswerPermission(number, "yes")]


# --- typing and requests ------------------------------------------------------------------------


async def test_keys_right_after_it_appeared_do_not_answer_and_are_not_lost() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        play.clock.pass_by(QUIET - 0.05)
        await play.write("yes do it")
        assert play.stage.acted == []
        assert play.draft == "yes do it"
        assert play.app.shows_main
        await play.press("enter")
        assert play.stage.acted == [SendPrompt(ROOT, "yes do it")]


async def test_keys_that_write_nothing_are_ignored_right_after_it_appeared() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        await play.press("enter", "tab", "f4", "ctrl+c")
        assert isinstance(play.screen, RequestScreen)
        await play.press("escape")  # never an answer, so it needs no care
        assert play.app.shows_main
        assert play.stage.acted == []


async def test_a_paste_right_after_it_appeared_goes_to_the_message() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        play.app.post_message(events.Paste("y\nn"))
        await play.settle()
        assert play.draft == "y\nn"
        assert play.stage.acted == []


async def test_it_does_not_open_into_typing() -> None:
    async with playing() as play:
        await play.write("half a sen")
        play.stage.ask_permission()
        await play.settle()
        assert play.app.shows_main
        await play.shows("1 waiting")
        play.clock.pass_by(IDLE - 0.1)
        await play.write("tence")
        play.clock.pass_by(IDLE - 0.1)
        await play.settle()
        assert play.app.shows_main
        play.clock.pass_by(0.2)
        await play.until(lambda: isinstance(play.screen, RequestScreen), "open once idle")
        play.clock.pass_by(QUIET + 0.1)
        await play.write("y")  # over a draft it takes longer until keys count
        assert play.stage.acted == []
        assert play.draft == "half a sentencey"
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: isinstance(play.screen, RequestScreen), "open once more")
        play.clock.pass_by(QUIET_OVER_DRAFT + 0.01)
        await play.press("y")
        assert len(play.stage.acted) == 1
        assert play.draft == "half a sentencey"


async def test_one_press_answers_one_request() -> None:
    async with playing() as play:
        first = await asked(play, call="one")
        second = play.stage.ask_permission(call="two")
        await play.shows("1 of 2")
        await play.press("y", "y", "enter")
        assert play.stage.acted == [AnswerPermission(first, "yes")]
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == second
        play.clock.pass_by(QUIET + 0.01)
        await play.press("n")
        assert play.stage.acted[1:] == [AnswerPermission(second, "no")]
        assert play.app.shows_main


@pytest.mark.parametrize("word", ["any", "nay", "tell it so"])
async def test_a_word_typed_at_what_was_asked_for_answers_nothing(word: str) -> None:
    async with playing() as play:
        number = await asked(play)
        await play.press("escape", "f4")
        play.clock.pass_by(QUIET + 0.01)
        await play.write(word)
        await play.shows("nothing was answered: press one alone")
        play.clock.pass_by(60.0)
        await play.app.lone_keys.look()
        await play.settle()
        assert isinstance(play.screen, RequestScreen)
        assert (play.stage.acted, play.draft) == ([], "")
        play.app.post_message(key_event("y"))
        await play.settle()
        assert play.stage.acted == []
        play.clock.pass_by(SETTLE)  # and nothing but the time of the app itself
        await play.until(lambda: play.stage.acted == [AnswerPermission(number, "yes")], "the yes")
        await play.until(lambda: play.app.shows_main, "the conversation")


async def test_a_word_typed_at_what_came_by_itself_goes_on_in_the_message() -> None:
    async with playing() as play:
        await asked(play)
        play.clock.pass_by(10.0)
        await play.write("any y")
        assert play.app.shows_main
        assert (play.stage.acted, play.draft) == ([], "any y")


@pytest.mark.parametrize("key", ["alt+up", "f8", "ctrl+g"])
async def test_who_goes_through_transcripts_is_not_held_up_by_what_comes_meanwhile(
    key: str,
) -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        play.stage.spawn("other", "docs")
        play.app.go("kid")
        await play.settle()
        play.stage.ask_permission(session="other")  # just before the key, which is on its way
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        await play.press(key)
        assert play.app.shows_main
        assert play.app.open_session == ("other" if key == "f8" else ROOT)
        await play.press(key)  # still going
        await play.shows("1 waiting")
        assert play.app.shows_main
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request after all")
        await play.settle()
        play.clock.pass_by(IDLE + 0.01)
        before = play.app.open_session
        await play.press(key)
        await play.shows("Esc puts this off; then you can go elsewhere.")
        assert play.app.open_session == before
        await play.press("y")
        assert [type(one) for one in play.stage.acted] == [AnswerPermission]


async def test_a_request_does_not_open_between_two_moves() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        await play.press("alt+down")
        play.stage.ask_permission(session="kid")
        await play.shows("1 waiting")
        await play.press("alt+up")
        assert play.app.shows_main
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request")


async def test_a_key_that_was_on_its_way_is_told_to_have_done_nothing() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        await play.press("enter")
        await play.shows("This came just now: what you pressed before it did nothing here.")
        assert play.stage.acted == []


async def test_what_takes_a_letter_back() -> None:
    async with playing() as play:
        first = await asked(play)
        second = play.stage.ask_permission(call="two")
        for other in ("backspace", "f4"):
            await play.write("y")
            play.app.post_message(key_event(other))
            await play.settle()
            play.clock.pass_by(60.0)
            await play.app.lone_keys.look()
            await play.settle()
            assert play.stage.acted == []
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == second
        await play.write("y")
        play.app.post_message(events.Paste("es"))
        await play.settle()
        play.clock.pass_by(60.0)
        await play.press("n")
        assert play.stage.acted == [AnswerPermission(second, "no")]
        play.stage.withdraw(first)


async def test_a_word_answers_no_question_of_the_client_either() -> None:
    async with playing() as play:
        play.app.ask_restart()
        await play.until(lambda: isinstance(play.screen, ConfirmScreen), "the question")
        await play.write("yes, go on")
        await play.shows("No answer yet: press one key alone.")
        assert isinstance(play.screen, ConfirmScreen)
        await play.press("y")
        assert play.app.shows_main
        assert play.stage.acted == [RestartAgent(although_there=True)]


# --- later, next, withdrawn -----------------------------------------------------------------------


async def test_put_off_it_keeps_waiting_and_stays_away() -> None:
    async with playing() as play:
        number = await asked(play)
        await play.press("escape")
        assert play.app.shows_main
        await play.shows("1 waiting")
        play.clock.pass_by(60)
        play.stage.say("more")
        await play.settle()
        assert play.app.shows_main
        await play.press("f4")
        assert isinstance(play.screen, RequestScreen)
        await play.press("y")  # F4 is no surprise, but its keys count only after a moment too
        assert play.stage.acted == []
        play.clock.pass_by(QUIET + 0.01)
        await play.press("y")
        assert play.stage.acted == [AnswerPermission(number, "yes")]


async def test_a_new_request_comes_although_others_are_put_off() -> None:
    async with playing() as play:
        first = await asked(play, call="one")
        await play.press("escape")
        second = play.stage.ask_permission(call="two")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the new one on screen")
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == second
        play.clock.pass_by(QUIET + 0.01)
        await play.press("y")
        await play.until(lambda: play.app.shows_main, "what was put off stays away")
        assert play.stage.acted == [AnswerPermission(second, "yes")]
        await play.press("f4")
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == first


async def test_walking_through_what_waits() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        first = await asked(play, call="one")
        second = play.stage.ask_permission(call="two", session="kid")
        third = play.stage.ask_permission(call="three")
        screen = play.screen
        assert isinstance(screen, RequestScreen)
        seen = []
        for key in ("tab", "f4", "tab", "shift+tab", "shift+f4"):
            play.clock.pass_by(QUIET + 0.01)
            await play.press(key)
            seen.append(screen.key)
        assert seen == [second, third, first, third, second]
        assert play.screen is screen
        assert "fix tests asks" in play.text
        assert len(play.app.screen_stack) == 2
        assert play.stage.acted == []


async def test_f4_takes_the_pane_in_view_first() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        await asked(play, call="one")
        await play.press("escape")
        own = await asked(play, call="two", session="kid")
        await play.press("escape")
        play.app.go("kid")
        await play.press("f4")
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == own


async def test_nothing_to_go_to() -> None:
    async with playing() as play:
        await play.press("f4")
        await play.shows("Nothing waits for you.")


async def test_withdrawn_gives_way_to_the_next() -> None:
    async with playing() as play:
        first = await asked(play, call="one")
        second = play.stage.ask_permission(call="two")
        play.stage.withdraw(first)
        await play.until(
            lambda: isinstance(play.screen, RequestScreen) and play.screen.key == second,
            "the second one on screen",
        )


async def test_withdrawn_under_the_help() -> None:
    async with playing() as play:
        number = await asked(play)
        await play.press("f1")
        play.stage.withdraw(number)
        await play.settle()
        await play.press("escape")
        await play.until(lambda: play.app.shows_main, "the main screen")


# --- more than an answer --------------------------------------------------------------------------


async def test_reject_and_tell_puts_the_reason_into_the_message() -> None:
    async with playing() as play:
        number = await asked(play)
        await play.press("t")
        await play.write("use ints, y?")
        assert play.stage.acted == []
        await play.press("escape")  # back to the answers
        assert isinstance(play.screen, RequestScreen)
        await play.press("t", "enter")
        assert play.stage.acted == [AnswerPermission(number, "no", "use ints, y?")]
        await play.until(lambda: play.app.shows_main, "the main screen")
        assert play.draft == "use ints, y?"
        play.stage.ask_permission("call-2")
        await play.press("f4")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request on screen")
        await play.settle()
        play.clock.pass_by(QUIET_OVER_DRAFT + 0.01)
        await play.press("t")
        await play.write("and cents")
        await play.press("enter")
        await play.until(lambda: play.app.shows_main, "the main screen")
        assert play.draft == "use ints, y?\nand cents"  # never run together
        assert len(play.stage.acted) == 2


async def test_an_agent_that_takes_reasons_hears_why() -> None:
    async with playing() as play:
        play.stage.ready(meta={"canopy": {"version": 1, "rejectReasons": True}})
        play.stage.spawn("kid", "fix tests")
        number = await asked(play, session="kid")
        await play.press("t")
        await play.write("use ints")
        await play.press("enter")
        await play.shows("told fix tests what you wrote")
        assert play.stage.acted == [AnswerPermission(number, "no", "use ints")]
        assert play.draft == ""
        play.stage.update(ToolCallUpdate("call-1", status="failed"), "kid")
        play.app.go("kid")
        await play.shows("rejected")


async def test_open_the_asker() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        await asked(play, session="kid")
        await play.press("o")
        assert play.app.shows_main
        assert play.app.open_session == "kid"
        assert len(play.stage.state.waiting()) == 1


async def test_raw_and_copy() -> None:
    async with playing() as play:
        await asked(play, title="rm", kind="execute", rawInput={"command": "ls -l", "why": "look"})
        await play.shows("$ ls -l")
        await play.press("c")
        assert play.app.clipboard.startswith("ls -l")
        assert "why: look" in play.app.clipboard
        await play.press("r")
        await play.shows("toolCallId: call-1")
        await play.press("r")
        await play.shows("$ ls -l")


async def test_a_request_of_no_session() -> None:
    async with playing() as play:
        await asked(play, session="nobody announced this one")
        await play.press("y")
        assert len(play.stage.acted) == 1


async def test_one_who_comes_back_to_the_terminal_writes_where_they_wrote() -> None:
    """Whatever opened while another window was in front."""
    async with playing() as play:
        await play.write("half ")
        play.app.post_message(events.AppBlur())
        await play.settle()
        play.clock.pass_by(IDLE + 0.01)
        await asked(play)
        play.clock.pass_by(QUIET_OVER_DRAFT)
        play.app.post_message(events.AppFocus())
        await play.press("y")
        await play.until(lambda: play.app.shows_main, "the conversation")
        await play.write("written")
        assert play.draft == "half written"
        play.app.post_message(events.AppBlur())
        await play.settle()
        play.app.action_show_sessions()
        await play.until(lambda: play.screen.query("#find"), "the list")
        play.app.post_message(events.AppFocus())
        await play.settle()
        await play.write("till")
        assert play.screen.query_one("#find", Input).value == "till"
