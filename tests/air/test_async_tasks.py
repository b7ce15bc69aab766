"""Background tasks for an AIR client: when one is announced, what is told of it, how it is stopped.

Frames in, updates out; numbers in names are those of the scenarios.
"""

from __future__ import annotations

from typing import Any

import pytest

from air.playing import (
    EVERYTHING,
    PLAIN,
    Play,
    declares,
    level,
    lifecycle,
    notification,
    own_result,
    result,
    said,
    state,
    task_progress,
    task_started,
    task_updated,
    tool,
    tool_result,
    traces_of_air,
)
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_shared.ext import air

TASKS = declares(air.ASYNC_TASKS)
TREE = declares(air.ASYNC_TASKS, air.NATIVE_SUBAGENT_SESSIONS, air.BACKGROUND_SUBAGENTS)
FILE = "/tmp/claude/S/tasks/b1.output"
IN_BACKGROUND = f"Command running in background with ID: b1. Output is being written to: {FILE}."


def shell(play: Play, *, ends: bool = True) -> Play:
    """A command in the background, in the order of the CLI 2.1.332."""
    play.prompt().frames(
        tool("t1", "Bash", command="sleep 1", description="Tick", run_in_background=True),
        level("b1"),
        task_started("b1", "t1", is_backgrounded=True),
        tool_result("t1", IN_BACKGROUND, {"stdout": "", "stderr": "", "backgroundTaskId": "b1"}),
        result("p1"),
        state("idle"),
    )
    if ends:
        play.frames(task_updated("b1", status="completed"), notification("b1"), level())
    return play


def test_golden_shell_of_an_air_client() -> None:
    play = shell(Play(TASKS))
    assert play.tasks() == [
        {
            "sessionUpdate": "async_task_spawned",
            "asyncTaskId": "b1",
            "name": "Tick",
            "taskType": "shell",
            "description": "Tick",
            "showInTranscript": False,
            "canStop": True,
            "toolCallId": "t1",
        },
        {"sessionUpdate": "async_task_progress", "asyncTaskId": "b1", "outputFilePath": FILE},
        {"sessionUpdate": "async_task_state_update", "asyncTaskId": "b1", "state": "completed"},
    ]
    (call,) = [u for u in play.updates("tool_call_update") if u.get("status") == "completed"]
    marks = call["_meta"]["jetbrains"]["air"]
    assert marks == {"asyncTasks": {"backgrounded": True}}  # the client has the version already
    spawned, progress = (play.sent.index(("S", one)) for one in play.tasks()[:2])
    assert spawned < progress < play.sent.index(("S", call))


@pytest.mark.parametrize(
    "capabilities",
    [PLAIN, {"subagents": {}}, {"_meta": {"terminal_output": True}}],
    ids=["plain", "rfd", "terminal"],
)
def test_a_plain_client_hears_nothing_of_tasks(capabilities: dict[str, Any]) -> None:
    play = shell(Play(capabilities))
    play.frames(state("running"), said("By myself."), own_result(), state("idle"))
    play.handle(e.TaskStopAsked("k", "b1"))
    assert traces_of_air(play.updates()) == []
    assert play.replies() == {"k": {"stopped": False}}


@pytest.mark.parametrize(("given", "protocol"), [(declares(), 1), (TASKS, 2)])
def test_nothing_without_the_capability_nor_in_version_2(
    given: dict[str, Any], protocol: int
) -> None:
    assert shell(Play(given, protocol)).tasks() == []


# --- announcing -----------------------------------------------------------------------------------


def test_a_command_in_the_foreground_is_not_announced() -> None:
    play = Play(TASKS).prompt()
    play.frames(tool("t1", "Bash"), task_started("b1", "t1", is_backgrounded=False))
    play.frames(task_updated("b1", status="completed"), tool_result("t1"), result("p1"))
    assert play.tasks() == []


def test_a_command_that_moves_to_the_background_is_shown_in_the_transcript() -> None:
    play = Play(TASKS).prompt()
    play.frames(tool("t1", "Bash"), task_started("b1", "t1", is_backgrounded=False))
    play.frames(task_updated("b1", is_backgrounded=True))
    (spawned,) = play.tasks()
    assert spawned["showInTranscript"] is True


@pytest.mark.parametrize(
    ("task_type", "more", "kind"),
    [
        ("local_bash", {"is_backgrounded": True}, "shell"),
        ("local_workflow", {"workflow_name": "spec"}, "workflow"),
        ("local_monitor", {}, "monitor"),
        ("mcp", {}, "monitor"),
        ("dream", {}, "dream"),
    ],
)
def test_kinds_of_tasks(task_type: str, more: dict[str, Any], kind: str) -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "X"))
    play.frames(task_started("b1", "t1", task_type=task_type, **more))
    (spawned,) = play.tasks()
    assert spawned["taskType"] == kind
    assert spawned["name"] == more.get("workflow_name", "Tick")


def test_a_subagent_is_never_an_async_task() -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Agent"))
    row = {"task_id": "a1", "task_type": "local_agent", "description": "x"}
    play.frames(level(row), task_started("a1", "t1", task_type="local_agent"))
    play.frames(level("a1"), notification("a1"), result("p1"))
    assert play.tasks() == []


def test_housekeeping_is_for_the_panel_only() -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Bash"))
    play.frames(task_started("b1", "t1", is_backgrounded=True, ambient=True))
    assert play.tasks()[0]["showInTranscript"] is False


def test_scenario_73_held_until_its_call_is_known() -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Bash"), level("b1"))
    play.frames(task_progress("b1", summary="one"), task_progress("b1", summary="two"))
    assert play.tasks() == []
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    kinds = [(u["sessionUpdate"], u.get("summary")) for u in play.tasks()]
    assert kinds == [
        ("async_task_spawned", None),
        ("async_task_progress", "one"),
        ("async_task_progress", "two"),
    ]
    assert play.tasks()[0]["toolCallId"] == "t1"


def test_scenario_73_released_without_its_call_at_a_result() -> None:
    play = Play(TASKS).prompt().frames(level("b1"))
    assert play.tasks() == []
    play.frames(result("p1"))
    (spawned,) = play.tasks()
    assert "toolCallId" not in spawned
    play.forget().frames(task_progress("b1", tool_use_id="t9", summary="s"))
    assert play.tasks() == [
        {"sessionUpdate": "async_task_progress", "asyncTaskId": "b1", "toolCallId": "t9"},
        {"sessionUpdate": "async_task_progress", "asyncTaskId": "b1", "summary": "s"},
    ]


def test_scenario_73_released_without_its_call_at_its_end() -> None:
    play = Play(TASKS).prompt().frames(level("b1"), level())
    assert [u.get("state") for u in play.tasks()] == [None, "stopped"]


def test_scenario_73_a_lost_end_is_corrected() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    play.frames(level())
    assert play.tasks() == [
        {"sessionUpdate": "async_task_state_update", "asyncTaskId": "b1", "state": "stopped"}
    ]
    play.forget().frames(notification("b1", "completed", summary="exit code 0"))
    (end,) = play.tasks()
    assert (end["state"], end["summary"]) == ("completed", "exit code 0")
    assert play.forget().frames(notification("b1", "failed")).tasks() == []


def test_an_end_is_final() -> None:
    play = shell(Play(TASKS)).forget()
    play.frames(task_updated("b1", status="running"), task_progress("b1", summary="late"))
    play.frames(task_updated("b1", status="failed"), level())
    assert play.tasks() == []


def test_states() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    for status in ("paused", "running", "killed"):
        play.frames(task_updated("b1", status=status))
    assert [u["state"] for u in play.tasks()] == ["paused", "running", "stopped"]


def test_a_failed_task_says_why() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    play.frames(task_updated("b1", status="failed", error="no disk"))
    assert (play.tasks()[0]["state"], play.tasks()[0]["summary"]) == ("failed", "no disk")


def test_progress_says_only_what_is_new() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    usage = {"total_tokens": 7, "tool_uses": 1, "duration_ms": 5}
    for _ in range(2):
        play.frames(task_progress("b1", summary="half", usage=usage))
    assert play.tasks() == [
        {
            "sessionUpdate": "async_task_progress",
            "asyncTaskId": "b1",
            "summary": "half",
            "usage": {"totalTokens": 7, "toolUses": 1, "durationMs": 5},
        }
    ]


def test_a_path_of_another_task_is_not_taken() -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Bash"))
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    other = "see /tmp/tasks/b2.output and relative/tasks/b1.output"
    play.forget().frames(tool_result("t1", other, {"backgroundTaskId": "b1"}))
    assert play.tasks() == []


def test_the_end_of_the_cli_ends_tasks() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    play.handle(e.StreamEnded("exit status 1"))
    assert [u["state"] for u in play.tasks()] == ["failed"]


def test_a_cancel_of_the_root_spares_tasks() -> None:
    play = shell(Play(TASKS), ends=False).prompt("p2").forget()
    play.handle(e.CancelRequested(10_000))
    assert play.tasks() == []


def test_a_task_belongs_to_the_child_that_began_it() -> None:
    play = Play(TREE).prompt()
    play.frames(tool("T1", "Agent", description="Job", prompt="Do", run_in_background=True))
    play.frames(task_started("a1", "T1", task_type="local_agent", is_backgrounded=True))
    play.frames(tool("t1", "Bash", parent="T1", command="x"))
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    play.frames(notification("a1"), task_progress("b1", summary="still"), notification("b1"))
    told = [(where, u["sessionUpdate"]) for where, u in play.sent if u in play.tasks()]
    assert told == [
        ("a1", "async_task_spawned"),
        ("a1", "async_task_progress"),
        ("a1", "async_task_state_update"),
    ]


# --- stopping -------------------------------------------------------------------------------------


def test_scenario_74_stop_twice() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    play.handle(e.TaskStopAsked("k1", "b1"), e.TaskStopAsked("k2", "b1"))
    assert play.of(fx.StopBackground) == [fx.StopBackground("k1", "b1")]
    assert play.replies() == {"k2": {"stopped": False}}
    # the CLI reports the end before it answers the order
    play.frames(task_updated("b1", status="killed"), notification("b1", "stopped"), level())
    play.handle(e.TaskStopDone("k1", "b1"))
    assert play.replies()["k1"] == {"stopped": True}
    assert [u["state"] for u in play.tasks()] == ["stopped"]
    assert play.updates("agent_message_chunk") == [
        {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "**Stopped:** Tick"},
        }
    ]


def test_the_acknowledgement_is_a_notice_where_there_are_notices() -> None:
    given = declares(air.ASYNC_TASKS, session={"notices": {}})
    play = shell(Play(given), ends=False).forget()
    play.handle(e.TaskStopAsked("k1", "b1"), e.TaskStopDone("k1", "b1"))
    assert play.updates("notice", "agent_message_chunk") == [
        {"sessionUpdate": "notice", "severity": "info", "title": "Stopped", "description": "Tick"}
    ]
    assert [u["state"] for u in play.tasks()] == ["stopped"]


def test_a_stop_that_failed_may_be_asked_for_again() -> None:
    play = shell(Play(TASKS), ends=False).forget()
    play.handle(e.TaskStopAsked("k1", "b1"), e.TaskStopDone("k1", "b1", "no such task"))
    assert play.replies() == {"k1": "no such task"}
    assert play.updates() == []
    play.handle(e.TaskStopAsked("k2", "b1"))
    assert len(play.of(fx.StopBackground)) == 2


@pytest.mark.parametrize("id_", ["b1", "unknown"])
def test_what_does_not_run_is_not_stopped(id_: str) -> None:
    play = shell(Play(TASKS)).forget()
    play.handle(e.TaskStopAsked("k", id_))
    assert play.replies() == {"k": {"stopped": False}}


def test_scenario_73_a_monitor_is_not_stopped() -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Monitor", command="tail -f x"), level("b1"))
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    (spawned,) = play.tasks()
    told = (spawned["taskType"], spawned["canStop"], spawned["showInTranscript"])
    assert told == ("monitor", False, False)
    play.handle(e.TaskStopAsked("k", "b1"))
    assert play.replies() == {"k": {"stopped": False}}


@pytest.mark.parametrize(
    ("started", "name", "description"),
    [
        ({"description": "Tick"}, "Tick", "Tick"),
        ({"description": "Two steps", "workflow_name": "review"}, "review", "Two steps"),
        ({"description": "", "workflow_name": "review"}, "review", "review"),
        ({"description": ""}, "b1", ""),
    ],
)
def test_what_a_task_is_called(started: dict[str, Any], name: str, description: str) -> None:
    play = Play(TASKS).prompt().frames(tool("t1", "Workflow"))
    play.frames(
        task_started("b1", "t1", task_type="local_workflow", is_backgrounded=True, **started)
    )
    (spawned,) = play.tasks()
    assert (spawned["name"], spawned.get("description", "")) == (name, description)


def test_a_task_that_only_a_list_names_has_its_words_until_it_says_its_own() -> None:
    play = Play(TASKS).prompt().frames(level("b1"))
    play.frames(task_started("b1", "t1", is_backgrounded=True, description=""))
    (spawned,) = play.tasks()
    assert (spawned["name"], spawned["description"]) == ("Tick", "Tick")


# --- cycles that no prompt asked for --------------------------------------------------------------


def test_golden_cycle_of_an_air_client() -> None:
    play = shell(Play(TASKS))
    play.frames(notification("b1", summary="Background command completed"))
    play.forget().frames(state("running"), said("It is done."), own_result(), state("idle"))
    spawned, end = play.tasks()
    id_ = spawned["asyncTaskId"]
    assert id_.startswith("autonomous-turn-")
    assert spawned == {
        "sessionUpdate": "async_task_spawned",
        "asyncTaskId": id_,
        "name": "Claude is working",
        "taskType": "turn",
        "description": "Background command completed",
        "showInTranscript": False,
        "canStop": True,
    }
    assert end == {
        "sessionUpdate": "async_task_state_update",
        "asyncTaskId": id_,
        "state": "completed",
    }
    order = [u["sessionUpdate"] for u in play.updates()]
    assert order.index("async_task_spawned") < order.index("agent_message_chunk")


def test_two_cycles_are_two_tasks() -> None:
    play = Play(TASKS).prompt().frames(result("p1"), state("idle"))
    for _ in range(2):
        play.frames(state("running"), own_result(), state("idle"))
    ids = [u["asyncTaskId"] for u in play.tasks() if u["sessionUpdate"] == "async_task_spawned"]
    assert len(set(ids)) == 2


def test_b03_three_jobs_that_end_between_turns_leave_the_next_answer_alone() -> None:
    play = shell(Play(TASKS)).forget()
    for number in range(3):
        play.frames(notification(f"b{number}", summary=f"job {number}"), state("running"))
        play.frames(said(f"Report {number}."), own_result(), state("idle"))
    kinds = [u["sessionUpdate"] for u in play.updates()]
    told = [kind for kind in kinds if kind != "usage_update"]
    burst = ["async_task_spawned", "agent_message_chunk", "async_task_state_update"]
    assert told == burst * 3
    assert [u.get("description") for u in play.tasks()[::2]] == ["job 0", "job 1", "job 2"]
    play.forget().prompt("ping").frames(said("pong"), result("ping"))
    assert [u["content"]["text"] for u in play.updates("agent_message_chunk")] == ["pong"]
    assert play.answers["ping"]["usage"]["inputTokens"] == 3
    assert play.tasks() == []


def test_a_prompt_takes_a_cycle_over() -> None:
    play = Play(TASKS).frames(state("running")).forget().prompt("p1")
    assert [u.get("state") for u in play.tasks()] == ["completed"]


def test_no_cycle_while_a_prompt_waits() -> None:
    play = Play(TASKS).prompt().frames(said("Working."), result("p1"), state("idle"))
    assert play.tasks() == []


def test_a_scheduled_wakeup_is_named() -> None:
    play = Play(TASKS).frames(lifecycle("w", "started", wakeup_source="cron"))
    assert play.tasks()[0]["description"] == "A scheduled wakeup"


def test_a_placeholder_result_does_not_end_a_cycle() -> None:
    play = Play(TASKS).frames(state("running")).forget()
    assert play.frames(own_result(num_turns=0)).tasks() == []
    assert len(play.frames(own_result(num_turns=1)).tasks()) == 1


def test_a_cycle_that_failed_says_so() -> None:
    play = Play(TASKS).frames(state("running")).forget()
    play.frames(own_result(is_error=True, num_turns=0))
    assert [u["state"] for u in play.tasks()] == ["failed"]


def test_scenario_74_the_cycle_is_stopped_by_an_interrupt() -> None:
    play = Play(TASKS).frames(state("running"))
    id_ = play.tasks()[0]["asyncTaskId"]
    play.handle(e.TaskStopAsked("k", id_))
    assert play.of(fx.StopBackground) == [fx.StopBackground("k", id_, interrupt=True)]
    play.handle(e.TaskStopDone("k", id_))
    assert play.replies() == {"k": {"stopped": True}}
    assert [u.get("state") for u in play.tasks()] == [None, "stopped"]


def test_scenario_74_the_cycle_is_not_stopped_while_a_prompt_waits() -> None:
    play = Play(TASKS).frames(state("running"))
    id_ = play.tasks()[0]["asyncTaskId"]
    play.handle(e.PromptSubmitted("p1", (), 1), e.TaskStopAsked("k", id_))
    assert play.replies() == {"k": {"stopped": False}}


def test_a_shell_does_not_hold_a_prompt() -> None:
    play = shell(Play(declares(*EVERYTHING)), ends=False)
    assert play.answers["p1"]["stopReason"] == "end_turn"
