"""Requests are reached from every screen, take no key of somebody who types, and are answered
together only when they ask for exactly the same.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from textual.widget import Widget

from canopy_shared.content import TextContent, ToolContent
from canopy_tui.model import events as e
from canopy_tui.model.intents import AnswerPermission
from canopy_tui.view.apps import request_desk
from canopy_tui.view.bars.waiting_line import WaitingLine
from canopy_tui.view.dialogs.answers import Answers
from canopy_tui.view.dialogs.preview import Preview
from canopy_tui.view.keyboard.key_guard import IDLE, QUIET
from canopy_tui.view.requests import request_screen
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.leads_screen import LeadsScreen
from tui_app.playing import playing
from tui_app.stage import OPTIONS, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tui_app.playing import Play


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_desk, "RETRY", 0.01)
    monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 0.05)


def on_request(play: Play) -> bool:
    """Whether a request is in front."""
    return isinstance(play.screen, RequestScreen)


def leave_withdrawn(play: Play) -> None:
    """As if the time was over in which a request says that it is withdrawn."""
    assert isinstance(play.screen, RequestScreen)
    play.app.call_later(play.screen._leave_withdrawn)


async def open_screens(play: Play) -> None:
    """Things that open screens: a tool call, a task, a file."""
    play.stage.call(
        "c1",
        "Read prices.py",
        kind="read",
        status="completed",
        content=(ToolContent(TextContent("see https://example.org")),),
    )
    play.stage.begin_task("t1", "npm test")
    play.stage.say("done, see https://example.org/a and https://example.org/b")
    await play.settle()


def screens(play: Play) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a person can have open, and the keys to it from the message."""
    yield "the help", ("f1",)
    yield "the palette", ("ctrl+p",)
    yield "the sessions", ("f2",)
    yield "the history", ("ctrl+r",)
    yield "a question of our own", ("f9",)
    yield "the tree", ("ctrl+t",)
    yield "a background task", ("ctrl+t", "b", "enter")
    yield "the search", ("ctrl+f", "d", "o")


async def test_f4_opens_what_waits_from_every_screen() -> None:
    async with playing((150, 24), history=["one", "two"]) as play:
        await open_screens(play)
        number = play.stage.ask_permission()
        await play.until(lambda: on_request(play), "the request on screen")
        await play.press("escape")
        play.stage.spawn("kid", "fix tests")
        play.app.go("kid")
        await play.press("f12", "f4")
        assert on_request(play), "beside another transcript"
        await play.press("escape", "ctrl+g")
        for what, keys in screens(play):
            await play.press(*keys)
            below = play.screen
            if not play.app.shows_main:
                await play.until(lambda: bool(play.screen.query(WaitingLine)), f"the line: {what}")
                await play.shows("F4 1 waiting")
            await play.press("f4")
            assert on_request(play), what
            await play.press("escape")
            assert play.screen is below, what
            await play.press("escape", "escape")
            assert play.app.shows_main, what
        play.app.push_screen(LeadsScreen("Open", ["a"]))
        await play.settle()
        await play.press("shift+f4")
        assert on_request(play)
        await play.press("escape", "escape")
        assert play.stage.acted == []
        assert [one.key for one in play.stage.state.waiting()] == [number]


async def test_what_opened_from_another_screen_can_be_answered_and_is_no_more_counted() -> None:
    async with playing() as play:
        await play.press("f1")
        number = play.stage.ask_permission()
        await play.shows("F4 1 waiting")
        assert not on_request(play)  # it does not push itself over what one reads
        await play.press("f4")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("y")
        assert play.stage.acted == [AnswerPermission(number, "yes")]
        await play.until(lambda: not on_request(play), "the help again")
        await play.shows_no("1 waiting")
        assert not play.app.shows_main


async def test_f4_finds_the_request_below_the_help() -> None:
    async with playing() as play:
        first = play.stage.ask_permission(call="one")
        await play.until(lambda: on_request(play), "the request on screen")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("f1", "f4")
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == first
        assert len(play.app.screen_stack) == 2


async def test_the_transcript_of_the_asker_comes_into_view_whatever_lay_over_it() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        await play.press("f2")
        play.stage.ask_permission(session="kid")
        await play.press("f4")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("o")
        assert play.app.shows_main
        assert play.app.open_session == "kid"


async def test_one_queue_over_all_sessions() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests")
        keys = [play.stage.ask_permission(call="a", session="kid")]
        play.stage.apply(e.SessionOpened(session="root-2", at=2.0, cwd="/other"))
        keys.append(play.stage.ask_permission(call="b", session="root-2"))
        keys.append(play.stage.ask_form({"type": "object", "properties": {}}, session=ROOT))
        await play.until(lambda: on_request(play), "a request on screen")
        seen = []
        for _ in keys:
            assert isinstance(play.screen, RequestScreen)
            seen.append(play.screen.key)
            play.clock.pass_by(QUIET + 0.01)
            await play.press("f4")
        assert sorted(seen) == keys


# --- keys on their way ------------------------------------------------------------------------


async def test_it_does_not_open_into_the_line_of_the_search() -> None:
    async with playing() as play:
        await play.press("ctrl+f")
        await play.write("y")
        play.stage.ask_permission()
        await play.settle()
        await play.write("n")
        assert play.app.shows_main
        assert play.app.find_panel.query_text == "yn"
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: on_request(play), "the request, after a pause")
        await play.write("a")  # the pause was one between two words
        assert play.app.find_panel.query_text == "yna"
        assert play.draft == ""
        assert play.stage.acted == []


async def test_a_key_for_what_lies_below_goes_there_and_the_request_waits_for_a_pause() -> None:
    async with playing() as play:
        await play.press("ctrl+t")
        play.stage.spawn("kid", "fix tests")
        play.stage.ask_permission()
        await play.until(lambda: on_request(play), "the request on screen")
        await play.press("j")
        assert play.app.shows_main
        assert play.app.main.agents.has_focus
        marked = play.app.main.agents.marked
        assert marked is not None
        assert (marked.id, play.draft) == ("kid", "")
        await play.settle()
        assert play.app.shows_main
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: on_request(play), "the request, after a pause")
        assert play.stage.acted == []


async def test_a_request_that_goes_while_a_reason_is_written_gives_no_key_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 600.0)  # the key comes before that
    async with playing() as play:
        first = play.stage.ask_permission(call="one")
        await play.until(lambda: on_request(play), "the request on screen")
        second = play.stage.ask_permission(call="two")
        play.clock.pass_by(QUIET + 0.01)
        await play.press("t")
        await play.write("use y")
        play.stage.withdraw(first)
        await play.shows("withdrawn")
        await play.press("enter")  # too late for the one, and not meant for the other
        leave_withdrawn(play)
        await play.until(lambda: play.app.shows_main, "the main screen")
        await play.write("y and n")
        assert play.draft == "use yy and n"
        assert play.stage.acted == []
        play.clock.pass_by(IDLE + 0.01)
        await play.until(lambda: on_request(play), "the other one, after a pause")
        assert [one.key for one in play.stage.state.waiting()] == [second]


# --- the ends of a request --------------------------------------------------------------------


async def test_withdrawn_is_said_and_left_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 600.0)
    async with playing() as play:
        number = play.stage.ask_permission()
        await play.until(lambda: on_request(play), "the request on screen")
        play.clock.pass_by(QUIET + 0.01)
        play.stage.withdraw(number)
        await play.shows("withdrawn")
        await play.press("y", "escape")
        monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 0.05)
        number = play.stage.ask_permission(call="two")
        await play.until(lambda: on_request(play), "the other one on screen")
        play.stage.withdraw(number)
        await play.until(lambda: play.app.shows_main, "the main screen")
        assert play.stage.acted == []


async def test_what_was_answered_elsewhere_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_screen, "WITHDRAWN_SECONDS", 600.0)
    async with playing() as play:
        first = play.stage.ask_permission(call="one")
        await play.until(lambda: on_request(play), "the request on screen")
        play.stage.call_update("one", status="completed")
        second = play.stage.ask_permission(call="two")
        await play.shows("This call is over already")
        play.stage.withdraw(first)
        await play.shows("answered elsewhere")
        leave_withdrawn(play)
        await play.until(
            lambda: isinstance(play.screen, RequestScreen) and play.screen.key == second,
            "the other one",
        )
        await play.shows_no("This call is over already")


@pytest.mark.parametrize("part", [Preview, Answers])
async def test_a_permission_that_is_half_there_is_laid_out(part: type[Widget]) -> None:
    async with playing() as play:
        play.stage.ask_permission(call="one")
        await play.until(lambda: on_request(play), "the request on screen")
        screen = play.screen
        assert isinstance(screen, RequestScreen)
        await screen.query_one(part).remove()
        screen.fit()
        await play.settle()
        assert play.app.is_running


# --- all that ask for the same ------------------------------------------------------------------


def ask_for(play: Play, call: str, command: str, **facts: object) -> int:
    """A request to run a command."""
    given = {"title": command, "kind": "execute", "rawInput": {"command": command}, **facts}
    return play.stage.ask_permission(call=call, **given)  # type: ignore[arg-type]  # any facts


async def test_identical_requests_are_allowed_together_by_two_presses() -> None:
    async with playing() as play:
        for kid in ("one", "two", "three"):
            play.stage.spawn(kid, kid)
        first = ask_for(play, "a", "make test", session="one")
        await play.until(lambda: on_request(play), "the request on screen")
        assert "exactly the same" not in play.text
        play.clock.pass_by(QUIET + 0.01)
        await play.press("A")
        assert play.stage.acted == []
        other = ask_for(play, "b", "make tests", session="two")
        no_once = [one for one in OPTIONS if one["kind"] != "allow_once"]
        ask_for(play, "c", "make test", session="two", options=no_once)
        third = ask_for(play, "d", "make test", session="three")
        await play.shows(" A   Allow once, this and 1 more that ask for exactly the same")
        await play.press("A")
        await play.shows("press A again")
        fourth = ask_for(play, "e", "make test")
        await play.shows("this and 2 more")
        await play.press("A")  # it is another question now
        assert play.stage.acted == []
        await play.press("A")
        assert play.stage.acted == [AnswerPermission(k, "yes") for k in (first, third, fourth)]
        assert len(play.stage.state.waiting()) == 2
        assert isinstance(play.screen, RequestScreen)
        assert play.screen.key == other


async def test_a_request_that_goes_while_it_is_put_together_harms_nothing() -> None:
    form = {"type": "object", "properties": {"n": {"type": "string"}}}
    async with playing() as play:
        ways = [
            lambda: play.stage.ask_permission(),
            lambda: play.stage.ask_form(form),
            lambda: play.stage.ask_page("https://example.org"),
        ]
        for turns in range(24):
            key = ways[turns % 3]()
            await play.until(lambda: isinstance(play.app.screen, RequestScreen), "it comes")
            for _ in range(turns // 2):
                await asyncio.sleep(0)
            assert isinstance(play.app.screen, RequestScreen)
            play.app.screen.dismiss(False)
            play.stage.withdraw(key)
            await play.until(lambda: play.app.shows_main, "it is gone")
        assert play.stage.acted == []


async def test_keys_for_the_whole_program_count_as_soon_as_a_request_appeared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with playing() as play:
        suspended: list[bool] = []
        monkeypatch.setattr(play.app, "action_suspend_process", lambda: suspended.append(True))
        play.stage.spawn("kid", "fix tests")  # so that to quit is asked about
        number = play.stage.ask_permission(session="kid")
        await play.until(lambda: on_request(play), "the request on screen")
        request = play.screen
        await play.press("ctrl+z")
        assert suspended
        for key in ("f1", "ctrl+q"):
            await play.press(key)
            assert play.screen is not request, key
            await play.press("escape")
            assert play.screen is request, key
        assert play.stage.acted == []
        assert [one.key for one in play.stage.state.waiting()] == [number]


async def test_a_change_of_size_while_a_request_is_put_together_or_taken_away() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: on_request(play), "the request on screen")
        screen = play.screen
        assert isinstance(screen, RequestScreen)
        await play.until(lambda: screen.pane is not None, "its body")
        assert screen.pane is not None
        await screen.pane.remove_children()
        screen.on_resize()
        await screen.refresh_request()
        body = screen.query_one("#request-body")
        await body.remove_children()
        [request] = play.stage.state.waiting()
        mounting = body.mount(screen._pane_of(request))
        screen.on_resize()
        await screen.refresh_request()
        await mounting
        await play.until(lambda: screen.pane is not None, "its body again")
