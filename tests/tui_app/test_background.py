"""Work beside the conversation: its list, output and stop; the goal, the review, what is new."""

from __future__ import annotations

import pytest

from canopy_shared.content import Diff
from canopy_shared.ext.failure import SessionFailure
from canopy_shared.ext.failure import wrap as failure_meta
from canopy_shared.ext.file_report import FileReport
from canopy_shared.ext.file_report import wrap as report_meta
from canopy_shared.ext.goal import Goal
from canopy_shared.ext.goal import wrap as goal_meta
from canopy_tui.model import events as e
from canopy_tui.model.intents import CancelTurn, ClearGoal, SendAgain, SendPrompt, StopTask
from canopy_tui.view.apps import stop_app
from canopy_tui.view.bars.crumbs import Crumbs
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.screens.review_screen import ReviewScreen
from canopy_tui.view.screens.task_screen import TaskScreen
from tui_app.playing import NARROW, Play, playing
from tui_app.stage import ROOT

HOSTILE = "\x1b]52;c;AAAA\x07[red]x[/red]\x1b[31mred\x1b[0m"


async def at_work(play: Play) -> str:
    """Two agents and two tasks work after a turn; the key of the first task."""
    play.stage.act(SendPrompt(ROOT, "go"))
    play.stage.spawn("a", "explore")
    play.stage.spawn("b", "steady", stops=False)
    key = play.stage.begin_task("b1", "npm test")
    play.stage.begin_task("m1", "watch the log", "monitor", stops=False)
    play.stage.end_turn()
    play.stage.acted.clear()
    await play.settle()
    return key


async def test_the_list_of_background_tasks_by_key_and_mouse() -> None:
    async with playing() as play:
        assert not play.app.main.background.display
        key = await at_work(play)
        await play.shows("Background · 2 running")
        await play.shows("main is done · 2 agents and 2 tasks still working")
        play.stage.print_of_task(key, f"first\n{HOSTILE}\n")
        await play.shows("[red]x[/red]red")
        await play.press("ctrl+t", "end", "down", "enter")
        assert isinstance(play.screen, TaskScreen)
        await play.shows("running · ")
        play.stage.print_of_task(key, "first\nsecond line\n")
        await play.shows("second line")
        await play.press("x", "y")
        assert play.stage.acted == [StopTask(key)]
        await play.shows("stopping · ")
        play.stage.end_task("b1", "stopped")
        await play.shows("stopped · ")
        await play.press("c", "escape")
        assert play.app.clipboard == "first\nsecond line\n"
        await play.shows("Background · 1 running")
        await play.press("down", "x")  # a monitor ends by itself
        await play.shows("watch the log ends by itself.")
        row = next(at for at, line in enumerate(play.lines) if "watch the log" in line)
        await play.pilot.click(offset=(8, row))
        await play.until(lambda: isinstance(play.screen, TaskScreen), "the output")


async def test_what_cannot_be_stopped_has_no_key_for_it() -> None:
    async with playing() as play:
        key = await at_work(play)
        await play.press("ctrl+t", "end", "down")
        await play.until(lambda: "stop it" in play.lines[-1], "a task that can be stopped")
        await play.press("down")
        await play.until(lambda: "stop it" not in play.lines[-1], "one that ends by itself")
        await play.press("up", "enter")
        await play.shows("x stop it")
        play.stage.end_task("b1")
        await play.until(lambda: "x stop it" not in play.text, "nothing to stop any more")
        assert play.stage.state.tasks[key].is_over


async def test_what_is_said_goes_as_soon_as_it_is_not_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Never:
        def cancel(self) -> None:
            """No sentence ends by its time here."""

    monkeypatch.setattr(stop_app, "once", lambda *_: Never())
    async with playing() as play:
        stage = play.stage
        await play.write("half a sentence")  # no question opens into it
        await play.press("f4")
        await play.shows("Nothing waits for you.")
        stage.think("Something else happens.")
        await play.settle()
        assert "Nothing waits for you." in play.text
        asked = stage.ask_permission()
        await play.shows_no("Nothing waits for you.")
        stage.withdraw(asked)
        await play.press("f9")
        await play.shows("Nothing in the background can be stopped.")
        stage.act(SendPrompt(ROOT, "go"))
        key = stage.begin_task("b1", "npm test")
        await play.shows_no("Nothing in the background can be stopped.")
        stage.end_turn()
        await play.shows("main is done · 1 task still working")
        stage.begin_task("b2", "build")
        await play.shows_no("still working")
        await play.press("f9", "y")
        await play.shows("Stopping.")
        stage.end_task("b1", "stopped")
        await play.settle()
        assert "Stopping." in play.text
        stage.end_task("b2", "stopped")
        await play.shows_no("Stopping.")
        assert StopTask(key) in stage.acted


async def test_one_key_stops_all_work_in_the_background_and_nothing_else() -> None:
    async with playing(NARROW) as play:
        key = await at_work(play)
        await play.press("f9")
        await play.shows("Stop everything in the background: 1 agent and 1 task?")
        await play.press("enter", "n")
        assert play.stage.acted == []
        await play.press("ctrl+t", "X", "y")
        assert play.stage.acted == [CancelTurn("a"), StopTask(key)]
        play.stage.end_task("b1", "stopped")
        await play.press("f9")
        await play.shows("Nothing in the background can be stopped.")


async def test_what_quitting_would_stop_is_said_as_it_is_now() -> None:
    async with playing() as play:
        await at_work(play)
        await play.press("ctrl+q")
        await play.shows("2 agents and 2 tasks still at work.")
        play.stage.end_child("a")
        play.stage.end_task("m1")
        await play.shows("1 agent and 1 task still at work.")
        play.stage.end_child("b")
        play.stage.end_task("b1")
        await play.shows("Nothing runs any more. Quit?")
        await play.press("n")
        assert not isinstance(play.screen, ConfirmScreen)
        await play.press("ctrl+q")
        assert play.app.return_code == 0


async def test_a_goal_a_failure_and_a_review() -> None:
    async with playing() as play:
        play.stage.tell(goal_meta(Goal("all [b]tests[/b] pass", 2, HOSTILE)))
        await play.shows("Goal: all [b]tests[/b] pass · checked 2 times")
        row = next(at for at, line in enumerate(play.lines) if "[clear]" in line)
        await play.pilot.click(offset=(play.lines[row].index("[clear]") + 1, row))
        await play.shows_no("Goal:")
        assert play.stage.acted == [ClearGoal(ROOT)]
        play.stage.acted.clear()

        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.call("c", "Edit a.py", kind="edit")
        edit = Diff("/home/ada/till/a.py", "new line\n", old_text="old line\n")
        play.stage.call_update("c", status="completed", content=(edit,))
        paths = ("/home/ada/till/a.py", "/home/ada/till/b[red].py")
        play.stage.tell(report_meta(FileReport("1", paths)))
        title = "Service overloaded"
        record = SessionFailure("p:error", "service", title, actions=("retry",))
        play.stage.tell(failure_meta(record))
        ended = e.TurnEnded(session=ROOT, stop_reason="error", at=play.stage.now, failure=record)
        play.stage.apply(ended)
        await play.shows("This is usually over soon.")
        await play.shows("2 files changed in this turn")
        await play.press("tab", "up", "up", "enter")
        assert play.stage.acted[-1] == SendAgain(ROOT)
        await play.press("up", "enter")
        assert isinstance(play.screen, ReviewScreen)
        await play.shows("+ new line")
        await play.press("tab")
        await play.shows("No edit of it is in the transcripts")
        await play.press("c", "escape")
        assert play.app.clipboard == "/home/ada/till/b[red].py"


async def test_one_key_walks_through_everything_new() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        for child in ("a", "b", "c"):
            play.stage.spawn(child, f"agent {child}")
        for number in range(60):
            play.stage.say(f"line {number}\n\n", "b", f"m{number}")
        play.stage.say("hello", "a")
        play.stage.say("short", "c")
        await play.settle()
        await play.press("ctrl+l")
        assert play.app.open_session == "a"
        await play.press("ctrl+l")
        assert play.app.open_session == "b"
        await play.shows("line 0")
        assert play.app.state.sessions["b"].unseen
        for _ in range(20):
            if not play.app.state.sessions["b"].unseen:
                break
            await play.press("ctrl+l")
        await play.shows("line 59")
        await play.press("ctrl+l")
        assert play.app.open_session == "c"
        await play.press("ctrl+l")
        await play.shows("Nothing new: you have seen everything.")
        assert play.draft == ""


async def test_the_main_agent_beside_one_of_its_own() -> None:
    async with playing((150, 30)) as play:
        await play.press("ctrl+backslash")
        await play.shows("There is no agent to show beside the main one.")
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("a", "explore")
        play.stage.spawn("b", "fix-tests")
        play.stage.end_child("a")
        await play.press("ctrl+backslash")
        assert play.app.open_session == "b"
        await play.settle()
        above = str(play.app.main.beside.query_one(Crumbs).render())
        assert "delegating" in above, "at once, not with what comes next"
        play.stage.say("words of the root")
        play.stage.say("words of the child", "b")
        await play.until(
            lambda: (
                any(
                    "words of the root" in line and "words of the child" not in line
                    for line in play.lines
                )
                and "words of the child" in play.text
            ),
            "both transcripts",
        )
        seen = {ROOT, "b"}
        await play.until(lambda: play.app.state.watched == seen, "both are watched")
        assert play.app.state.sessions[ROOT].unseen == 0
        await play.press("f7")
        await play.until(lambda: play.app.open_session == "a", "the other child")
        assert play.app.main.beside.session == ROOT
        await play.pilot.resize_terminal(120, 30)
        await play.until(lambda: not play.app.main.beside.display, "one transcript")
        await play.press("ctrl+backslash")
        await play.shows("Two transcripts need 140 columns.")
        await play.pilot.resize_terminal(150, 30)
        await play.until(lambda: play.app.main.beside.display, "two again")
        await play.press("ctrl+g")
        await play.until(lambda: not play.app.main.beside.display, "the root alone")
