"""Screens over the main one: each closes once, and only itself."""

from __future__ import annotations

import pytest

from canopy_tui.model import events as e
from canopy_tui.model.intents import CancelTurn, SendPrompt
from canopy_tui.model.login import LoginNeed
from canopy_tui.view.controls.control_screen import ControlScreen
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.screens.help import HelpScreen
from canopy_tui.view.screens.login_screen import LoginScreen
from tui_app.playing import Play, playing
from tui_app.stage import ROOT


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


async def test_what_a_question_to_stop_says_stays_true_while_it_is_open() -> None:
    async with playing() as play:
        stage = play.stage
        stage.act(SendPrompt(ROOT, "go"))
        stage.spawn("a", "explore")
        key = stage.begin_task("b1", "npm test")
        stage.acted.clear()
        await play.press("f9")
        await play.shows("in the background: 1 agent and 1 task?")
        stage.begin_task("b2", "build", stops=False)
        stage.begin_task("b3", "watch")
        await play.shows("in the background: 1 agent and 2 tasks?")
        stage.end_child("a")
        await play.shows("in the background: 2 tasks?")
        await play.press("n", "ctrl+t", "b", "x")
        await play.shows("Stop npm test?")
        stage.end_task("b1")
        await play.shows("It does not run any more.")
        await play.press("y")
        assert play.app.shows_main
        assert stage.acted == [], "an end is not stopped"
        await play.press("f9")
        stage.end_task("b3")
        await play.shows("Nothing is left to stop.")
        await play.press("y")
        await play.shows("It does not run any more.")
        assert stage.acted == []
        assert not stage.state.tasks[key].stopping


async def test_an_agent_that_ends_while_its_stop_is_asked_about() -> None:
    async with playing() as play:
        stage = play.stage
        stage.spawn("a", "explore")
        stage.spawn("b", "review")
        await play.settle()
        play.app.ask_stop("a")
        await play.shows("Stop explore only?")
        stage.end_child("a")
        await play.shows("It does not run any more.")
        await play.press("y")
        assert stage.acted == []
        play.app.ask_stop("b")
        await play.press("y")
        assert stage.acted == [CancelTurn("b")]
