"""Background tasks, work that no prompt asked for, goals, failures, reports of changed files."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.content import Diff
from canopy_shared.errors import AcpError
from canopy_shared.ext.failure import SessionFailure
from canopy_shared.ext.failure import wrap as failure_meta
from canopy_shared.ext.file_report import FileReport
from canopy_shared.ext.file_report import wrap as report_meta
from canopy_shared.ext.goal import Goal
from canopy_shared.ext.goal import wrap as goal_meta
from canopy_shared.updates import AsyncTaskSpawned, SessionInfoUpdate, ToolCallUpdate
from canopy_tui.host.background_work import BackgroundWork
from canopy_tui.host.task_tails import TAIL, TaskTails, read_tail
from canopy_tui.model import events as e
from canopy_tui.model import tasks, tree
from canopy_tui.model.background import TURN, running, shown
from canopy_tui.model.changes import reviewed, shortened
from canopy_tui.model.entries import ChangesEntry, NoticeEntry
from canopy_tui.model.failures import next_step
from canopy_tui.model.intents import StopTask
from canopy_tui.model.queue import last_prompt
from canopy_tui.model.state import Phase
from canopy_tui.view.blocks.tool import state_of
from fakes.agent import said, spawned, tool, tool_update
from tui_model.reducing import Story, kinds

if TYPE_CHECKING:
    from pathlib import Path


def began(task: str = "b1", kind: str = "shell", **fields: Any) -> dict[str, Any]:
    return {
        "sessionUpdate": "async_task_spawned",
        "asyncTaskId": task,
        "name": "npm test",
        "taskType": kind,
        "canStop": kind != "monitor",
        **fields,
    }


def progressed(task: str = "b1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "async_task_progress", "asyncTaskId": task, **fields}


def moved(state: str, task: str = "b1", **fields: Any) -> dict[str, Any]:
    kind = "async_task_state_update"
    return {"sessionUpdate": kind, "asyncTaskId": task, "state": state, **fields}


def told(meta: dict[str, Any]) -> SessionInfoUpdate:
    return SessionInfoUpdate(meta=meta)


def test_a_task_from_its_start_to_its_end_with_its_call() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("call-1", "npm test", kind="execute"))
    story.update("S", began(toolCallId="call-1"))
    story.update("S", tool_update("call-1", status="completed"))
    (task,) = running(story.state)
    assert (task.name, task.session, task.stops) == ("npm test", "S", True)
    assert state_of(story.tool("call-1")) == "background"
    assert tree.totals(story.state).tasks == 1
    story.turn_ends()
    story.happens(e.Seen("S"))
    story.update("S", progressed(outputFilePath="/o", usage={"totalTokens": 7}))
    story.happens(e.TaskOutput(task.key, "1 passed\n"))
    assert (task.output_file, task.tokens, task.tail) == ("/o", 7, "1 passed\n")
    assert story.tool("call-1").output == "1 passed\n"
    assert story.view().unseen == 0  # output is no news
    story.update("S", moved("completed", summary="all passed"))
    assert (task.state, task.summary, task.stops) == ("completed", "all passed", False)
    assert story.view().unseen == 1  # the end is
    assert state_of(story.tool("call-1")) == "done"
    story.update("S", moved("running"))
    assert task.is_over
    assert tree.totals(story.state).tasks == 0


def test_nothing_runs_in_the_background_without_an_agent() -> None:
    story = Story()
    story.update("S", began())
    story.update("S", began("m1", "monitor"))
    story.happens(e.LinkChanged(status="lost", at=story.now))
    assert [task.state for task in shown(story.state)] == ["stopped", "stopped"]
    story.happens(e.SessionClosed(session="S"))
    assert story.state.tasks == {}


def test_work_that_no_prompt_asked_for_makes_the_root_run_and_names_its_cause() -> None:
    story = Story()
    story.prompt()
    story.turn_ends()
    cause = 'Background command "npm test" completed'
    story.update("S", began("t1", TURN, description=cause))
    assert story.view().phase is Phase.RUNNING
    assert running(story.state) == []  # it is the root's own work, and no task of the list
    story.update("S", said("The tests pass.", "m2"))
    (rule,) = [entry for entry in story.entries() if getattr(entry, "kind", "") == "after_turn"]
    assert getattr(rule, "detail", "") == cause
    story.update("S", moved("completed", "t1"))
    assert story.view().phase is Phase.IDLE
    story.update("S", began("t2", TURN, description="A scheduled wakeup"))
    story.update("S", said("Good morning.", "m3"))
    assert story.rules()[-1] == ("after_turn", "scheduled", 0)


def test_work_that_no_prompt_asked_for_has_a_time_of_its_own() -> None:
    story = Story()
    story.prompt()
    story.now += 100
    story.turn_ends()
    took = tree.elapsed(story.view(), story.now)
    assert took >= 100
    story.now += 500
    assert tree.elapsed(story.view(), story.now) == took
    story.update("S", began("t1", TURN))
    woke = story.now - 1
    story.now += 30
    story.update("S", said("The tests pass.", "m2"))
    assert tree.elapsed(story.view(), woke + 40) == 40
    story.update("S", moved("completed", "t1"))
    assert tree.elapsed(story.view(), story.now) == took
    story.update("S", began("t2", TURN))
    assert tree.elapsed(story.view(), story.now) == 1  # not since the one before
    story.prompt()
    assert tree.elapsed(story.view(), story.now + 8) == 9
    story.turn_ends()
    story.now += 20
    assert tree.elapsed(story.view(), story.now) == 21  # the work goes on after the turn


def test_work_that_ends_with_its_agent_takes_no_more_time() -> None:
    story = Story()
    story.prompt()
    story.turn_ends()
    story.update("S", began("t1", TURN))
    story.happens(e.LinkChanged(status="lost", at=story.now))
    before = tree.elapsed(story.view(), story.now)
    assert tree.elapsed(story.view(), story.now + 100) == before


def test_stopping_is_shown_until_the_agent_did_or_did_not() -> None:
    story = Story()
    story.update("S", began())
    (task,) = running(story.state)
    story.happens(e.TaskStopping(task.key))
    assert task.stopping
    assert not task.stops
    story.happens(e.TaskStopping(task.key, on=False))
    assert task.stops
    story.happens(e.TaskStopping(task.key))
    story.update("S", moved("stopped"))
    assert not task.stopping


STEPS = st.lists(
    st.sampled_from(
        [
            began("a"),
            began("b", toolCallId="c"),
            began("t", TURN),
            progressed("a", summary="x"),
            moved("paused", "a"),
            *(moved(state, task) for state in ("completed", "failed", "stopped") for task in "abt"),
            moved("nonsense", "a"),
            tool("c"),
            tool_update("c", status="completed"),
            said("hello"),
        ]
    ),
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_in_any_order_a_task_ends_once_and_the_root_runs_just_while_it_works(
    steps: list[dict[str, Any]],
) -> None:
    story = Story()
    over: set[str] = set()
    for step in steps:
        story.update("S", step)
        now = {task.key for task in story.state.tasks.values() if task.is_over}
        assert over <= now
        over = now
        cycle = story.state.tasks.get("S/t")
        works = cycle is not None and not cycle.is_over
        assert (story.view().phase is Phase.RUNNING) == works
        assert tree.totals(story.state).tasks == len(running(story.state))


def test_ended_tasks_are_forgotten_in_the_end() -> None:
    story = Story()
    for number in range(tasks.KEPT + 10):
        story.update("S", began(f"b{number}"))
        story.update("S", moved("completed", f"b{number}"))
    assert len(story.state.tasks) == tasks.KEPT


# --- the goal, failures, changed files ------------------------------------------------------------


def test_a_goal_is_shown_until_it_is_cleared() -> None:
    story = Story()
    goal = Goal("all tests pass", 2, "one test fails")
    story.update("S", told(goal_meta(goal)))
    assert story.view().goal == goal
    story.update("S", SessionInfoUpdate(title="A title"))
    assert story.view().goal == goal
    story.update("S", told(goal_meta(None)))
    assert story.view().goal is None


def warning(attempt: int) -> SessionFailure:
    title = f"Claude is overloaded. Trying again, attempt {attempt} of 3."
    return SessionFailure("p:error", "service", title, attempt, "warning")


def test_a_warning_is_one_notice_that_recovers_when_work_goes_on() -> None:
    story = Story()
    story.prompt()
    for attempt in (1, 2):
        story.update("S", told(failure_meta(warning(attempt))))
    story.update("S", told(failure_meta(warning(1))))
    notice = story.entries()[-1]
    assert kinds(story.entries()) == ["message", "notice"]
    assert isinstance(notice, NoticeEntry)
    assert (notice.title[-7:], notice.recovered, notice.action) == ("2 of 3.", False, None)
    story.says("here I am")
    assert notice.recovered


def test_the_error_of_a_turn_takes_the_place_of_its_warnings_and_says_what_to_do() -> None:
    story = Story()
    story.prompt("go")
    story.update("S", told(failure_meta(warning(1))))
    record = SessionFailure("p:error", "service", "Overloaded", 2, "error", ("retry",))
    story.happens(e.TurnEnded(session="S", stop_reason="error", at=story.now, failure=record))
    assert kinds(story.entries()) == ["message", "notice", "rule"]
    notice = story.entries()[1]
    assert isinstance(notice, NoticeEntry)
    assert (notice.severity, notice.action, notice.recovered) == ("error", "send_again", False)
    assert notice.hint
    assert last_prompt(story.view()) == ("go", ())


@pytest.mark.parametrize("category", ["access", "connection", "limit", "request", "service"])
@pytest.mark.parametrize("actions", [(), ("retry",), ("new_session",), ("retry", "new_session")])
def test_every_failure_has_a_next_step(category: str, actions: tuple[str, ...]) -> None:
    assert next_step(SessionFailure("1", category, "x", actions=actions)).endswith((".", "limits."))
    assert next_step(SessionFailure("1", category, "x", severity="warning")) == ""


def test_a_review_has_the_edits_of_all_agents_in_that_turn() -> None:
    story = Story()
    story.update("S", tool("old", kind="edit", status="completed"))
    story.happens(e.SessionOpened(session="S", at=story.now, cwd="/till"))
    story.prompt()
    story.update("S", spawned("a1"))
    for session, path in (("S", "/till/a.py"), ("a1", "/till/b.py")):
        story.update(session, tool(f"c-{session}", kind="edit"))
        edit = Diff(path, "new\n", old_text="old\n")
        story.update(session, ToolCallUpdate(f"c-{session}", status="completed", content=(edit,)))
    paths = ("/till/a.py", "/real/till/b.py", "/till/c.py")
    story.update("S", told(report_meta(FileReport("r1", paths))))
    story.update("S", told(report_meta(FileReport("r2", reason="timeout"))))
    (entry,) = [one for one in story.entries() if isinstance(one, ChangesEntry)]
    files = reviewed(story.state, story.view(), entry)
    assert [(file.path, file.edits) for file in files] == [
        ("/till/a.py", [("S", ("/till/a.py", "old\n", "new\n", 1))]),
        ("/real/till/b.py", [("a1", ("/till/b.py", "old\n", "new\n", 1))]),
        ("/till/c.py", []),
    ]
    assert shortened("/till/a.py", "/till/") == "a.py"
    assert shortened("/tills/a.py", "/till") == "/tills/a.py"


# --- output of tasks ------------------------------------------------------------------------------


def test_only_the_end_of_an_ordinary_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "1.output"
    assert read_tail(str(file)) is None
    file.write_bytes(b"one\ntwo \xff")
    assert read_tail(str(file)) == ("one\ntwo \N{REPLACEMENT CHARACTER}", False)
    file.write_text("first line\n" + "x" * 99 + "\n" + "y" * (TAIL - 50))
    text, cut = read_tail(str(file)) or ("", False)
    assert cut
    assert set(text) == {"y"}
    assert read_tail(str(tmp_path)) is None
    assert read_tail("/dev/zero") is None
    assert read_tail("a\0b") is None
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert read_tail(str(tmp_path / "pipe")) is None


async def test_output_is_followed_and_read_once_more_at_the_end(tmp_path: Path) -> None:
    story, file = Story(), tmp_path / "b1.output"
    file.write_text("tick 1\n")
    story.update("S", began())
    (task,) = running(story.state)
    seen: list[str] = []

    async def later(_seconds: float) -> None:
        if len(seen) == 1:
            file.write_text("tick 1\ntick 2\n")
        elif len(seen) == 2:
            file.write_text("tick 1\ntick 2\ndone\n")
            story.update("S", moved("completed"))

    def heard(event: e.TaskOutput) -> None:
        seen.append(event.text)
        story.happens(event)

    tails = TaskTails(lambda: story.state, heard, wait=later)
    assert not tails.has_work
    story.update("S", progressed(outputFilePath=str(file)))
    assert tails.has_work
    await tails.run()
    assert seen == ["tick 1\n", "tick 1\ntick 2\n", "tick 1\ntick 2\ndone\n"]
    assert task.tail == seen[-1]
    assert not tails.has_work


async def test_what_was_not_stopped_is_told_in_one_line_however_many_there_are() -> None:
    class Refuses:
        async def stop_task(self, _session: str, task: str) -> bool:
            await asyncio.sleep(0)
            if task != "b3":
                raise AcpError(-32000, f"no {task}")
            return True

    story = Story()
    for task in ("b1", "b2", "b3", "b4"):
        spawned = AsyncTaskSpawned(task, f"build {task}", "shell", can_stop=True)
        story.happens(e.UpdateArrived("S", spawned, story.now))
    client: Any = Refuses()
    works: list[asyncio.Task[None]] = []
    work = BackgroundWork(
        lambda: story.state,
        lambda: client,
        story.happens,
        lambda one: works.append(asyncio.ensure_future(one)),
        lambda: 1.0,
    )

    async def stop(*tasks: str) -> list[NoticeEntry]:
        before = len(story.entries())
        for task in tasks:
            work.act(StopTask(f"S/{task}"))
        await asyncio.gather(*works)
        return [one for one in story.entries()[before:] if isinstance(one, NoticeEntry)]

    [told] = await stop("b1", "b2", "b3")
    assert told.title == "2 tasks were not stopped"
    assert told.detail == "build b1: no b1\nbuild b2: no b2"
    assert [task.stopping for task in story.state.tasks.values()] == [False, False, True, False]
    [told] = await stop("b4")
    assert told.title == "build b4 was not stopped: no b4"
