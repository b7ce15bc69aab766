"""Screens over the main one: each closes once, and only itself."""

from __future__ import annotations

import pytest

from canopy_tui.model import events as e
from canopy_tui.model.login import LoginNeed
from canopy_tui.view.confirm import ConfirmScreen
from canopy_tui.view.control_screen import ControlScreen
from canopy_tui.view.help import HelpScreen
from canopy_tui.view.login_screen import LoginScreen
from tui_app.playing import Play, playing


def confirm(play: Play, answers: list[bool | None]) -> ConfirmScreen:
    """A question over whatever is in front."""
    screen = ConfirmScreen("Stop", "Stop it?", "Stop it", "Let it run")
    play.app.push_screen(screen, answers.append)
    return screen


async def help_over(play: Play) -> None:
    """The help lies over whatever is in front."""
    play.app.action_show_keys()
    await play.settle()
    assert isinstance(play.screen, HelpScreen)


@pytest.mark.parametrize("key", ["f1", "f2", "f9", "f10", "ctrl+p", "ctrl+r"])
async def test_a_dialog_that_is_closed_twice_closes_once(key: str) -> None:
    async with playing(history=["one"]) as play:
        play.stage.begin_task("t1", "npm test")
        await play.press(key)
        screen = play.screen
        assert not play.app.shows_main
        screen.dismiss()
        screen.dismiss()
        await play.settle()
        assert play.app.shows_main
        await play.press("f1")
        screen.dismiss()  # it is gone, and the help is another
        await play.settle()
        assert isinstance(play.screen, HelpScreen)


async def test_the_first_answer_counts() -> None:
    async with playing() as play:
        answers: list[bool | None] = []
        screen = confirm(play, answers)
        await play.settle()
        screen.action_answer(False)
        screen.action_answer(True)
        await play.settle()
        assert answers == [False]
        assert play.app.shows_main


async def test_a_dialog_below_another_waits_and_goes_with_its_own_answer() -> None:
    async with playing() as play:
        answers: list[bool | None] = []
        below = confirm(play, answers)
        await help_over(play)
        assert isinstance(play.screen, HelpScreen)
        below.action_answer(False)
        below.action_answer(True)
        await play.settle()
        assert isinstance(play.screen, HelpScreen), "which a person reads"
        assert answers == []
        await play.press("escape")
        assert play.app.shows_main
        assert answers == [False]


async def test_dialogs_below_each_other_go_one_after_the_other() -> None:
    async with playing() as play:
        answers: list[bool | None] = []
        lowest, middle = confirm(play, answers), confirm(play, answers)
        await help_over(play)
        for screen in (lowest, middle):
            screen.action_answer(screen is lowest)
        await play.press("escape")
        assert play.app.shows_main
        assert answers == [False, True]


async def test_going_down_to_a_screen_keeps_the_answers_of_those_above() -> None:
    async with playing() as play:
        answers: list[bool | None] = []
        below = confirm(play, answers)
        await help_over(play)
        below.action_answer(True)
        play.app.main.pop_until_active()
        await play.settle()
        assert play.app.shows_main
        assert answers == [True]


async def test_a_login_that_is_done_below_a_question() -> None:
    async with playing() as play:
        play.stage.apply(e.LoginChanged(LoginNeed("Log in")))
        await play.until(lambda: isinstance(play.screen, LoginScreen), "the login on screen")
        answers: list[bool | None] = []
        confirm(play, answers)
        play.stage.apply(e.LoginChanged(None))
        await play.settle()
        assert isinstance(play.screen, ConfirmScreen)
        await play.press("y")
        assert answers == [True]
        assert play.app.shows_main


async def test_controls_are_turned_to_before_they_are_drawn_and_after_they_are_gone() -> None:
    async with playing() as play:
        play.app.show_controls(0)
        screen = play.screen
        assert isinstance(screen, ControlScreen)
        play.app.show_controls(1)
        await play.settle()
        await play.shows("Context")
        screen.dismiss()
        screen.turn_to(0)
        await play.settle()
        screen.turn_to(0)
        assert play.app.shows_main
