"""Work as ACP v2 tells it: prompts taken in, states, lists of what goes on in the background.

Frames in, frames out; every frame is judged by the schema.
"""

from __future__ import annotations

from typing import Any

import pytest

from air.playing import (
    level,
    lifecycle,
    notification,
    own_result,
    result,
    said,
    state,
    task_started,
    task_updated,
    tool,
    tool_result,
)
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from v2.playing import V2Play

SHELL = {"type": "terminal", "terminalId": "t1"}
KID = {"type": "subagent", "sessionId": "a1"}
PAIRED = {"prompt": "Look.", "description": "Look", "subagent_type": "scout"}


def shell(play: V2Play) -> V2Play:
    """A command goes to the background, and the turn ends."""
    return play.prompt().frames(
        tool("t1", "Bash", command="sleep 1", run_in_background=True),
        level("b1"),
        task_started("b1", "t1", is_backgrounded=True),
        tool_result("t1", "in background", {"stdout": "", "backgroundTaskId": "b1"}),
        result("p1"),
        state("idle"),
    )


def kid(play: V2Play, *, parent: str | None = None, call: str = "A", agent: str = "a1") -> V2Play:
    """A subagent goes to the background."""
    return play.frames(
        tool(call, "Agent", parent, run_in_background=True, **PAIRED),
        level(agent),
        task_started(
            agent,
            call,
            task_type="local_agent",
            subagent_type="scout",
            is_backgrounded=True,
            prompt="Look.",
        ),
    )


def ask(play: V2Play, key: str, call: str, agent: str | None = None) -> V2Play:
    """The CLI asks for permission."""
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": call, "input": {}}
    named = {} if agent is None else {"agent_id": agent}
    return play.frames(
        {"type": "control_request", "request_id": key, "request": {**request, **named}}
    )


# --- the foreground -------------------------------------------------------------------------------


def test_a_prompt_is_taken_in_before_the_work_begins_and_ends_with_its_reason() -> None:
    play = V2Play().prompt().frames(said("Hi."), result("p1"), state("idle"))
    kinds = [u["sessionUpdate"] for u in play.updates() if u["sessionUpdate"] != "usage_update"]
    assert kinds == ["taken", "state_update", "agent_message_chunk", "state_update"]
    assert play.states() == ["running", "idle end_turn"]
    idle = play.updates("state_update")[-1]
    assert (idle["usage"]["outputTokens"], idle["background"]) == (2, [])
    assert "quota" in idle["_meta"]


def test_a_local_command_without_an_echo_has_the_same_life() -> None:
    play = V2Play()
    play.handle(e.PromptSubmitted("p1", (), 1, "/context"))
    play.frames(result("p1", result="Nothing."), state("idle"))
    assert [u["sessionUpdate"] for u in play.updates("taken")] == ["taken"]
    assert play.states() == ["running", "idle end_turn"]


def test_a_failed_turn_says_what_failed() -> None:
    play = V2Play().prompt().frames(result("p1", is_error=True, result="Overloaded"))
    assert play.states() == ["running", "idle error"]
    error = play.updates("state_update")[-1]["error"]
    assert (error["code"], "Overloaded" in error["message"]) == (-32603, True)


def test_a_prompt_that_is_cancelled_in_the_queue_was_never_taken_in() -> None:
    play = V2Play().prompt()
    play.handle(e.PromptSubmitted("p2", (), 50), e.CancelRequested(60))
    assert [u["prompt"] for u in play.updates("taken")] == ["p1"]
    assert play.answers["p2"]["stopReason"] == "cancelled"
    assert play.states() == ["running"]  # the end of the work is still to come
    play.frames(result("p1", subtype="error_during_execution", terminal_reason="aborted_tools"))
    assert play.states() == ["running", "idle cancelled"]


def test_a_question_of_the_foreground_is_waited_for() -> None:
    play = ask(V2Play().prompt().frames(tool("t1", "Bash", command="x")), "k", "t1")
    assert play.states() == ["running", "requires_action"]
    places = [type(one) for one in play.effects]
    shown = max(i for i, kind in enumerate(places) if kind is fx.Show)
    assert shown < places.index(fx.AskPermission)
    play.handle(e.RequestClosed("k", allowed=True))
    assert play.states()[-1] == "running"


def test_a_cancel_that_withdraws_the_last_question_does_not_run_again() -> None:
    play = ask(V2Play().prompt().frames(tool("t1", "Bash", command="x")), "k", "t1")
    play.handle(e.CancelRequested(99), e.RequestClosed("k", withdrawn=True))
    play.frames(result("p1", subtype="error_during_execution", terminal_reason="aborted_tools"))
    assert play.states() == ["running", "requires_action", "idle cancelled"]


def test_work_that_nobody_asked_for_is_told_with_its_end() -> None:
    play = V2Play().prompt().frames(result("p1"), state("idle")).forget()
    play.frames(state("running"), said("By myself."), own_result(), state("idle"))
    assert play.states() == ["running", "idle end_turn"]
    assert play.updates("state_update")[-1]["usage"]["outputTokens"] == 2
    kinds = [u["sessionUpdate"] for u in play.updates()]
    assert kinds.index("state_update") < kinds.index("agent_message_chunk")


def test_a_cli_that_ends_ends_the_work() -> None:
    play = kid(V2Play().prompt())
    play.handle(e.StreamEnded("exit status 1"))
    assert play.states()[-1] == "idle error"
    assert play.states("a1") == ["running", "idle"]
    assert play.background() == []


# --- the background -------------------------------------------------------------------------------


def test_a_command_in_the_background_is_listed_until_its_terminal_ended() -> None:
    play = shell(V2Play())
    assert play.background() == [SHELL]
    assert play.states()[-1] == "idle end_turn"
    offers = [u for u in play.updates("terminal_update") if "capabilities" in u]
    assert [one["terminalId"] for one in offers] == ["t1"]
    play.forget().frames(task_updated("b1", status="completed"), notification("b1"), level())
    assert play.updates("state_update") == []  # what it printed last is read first
    play.handle(e.OutputRead("b1", "the rest", 8, last=True))
    kinds = [u["sessionUpdate"] for u in play.updates()]
    assert kinds == ["terminal_update", "terminal_update", "state_update"]
    assert "exitStatus" in play.updates()[1]
    assert play.background() == []
    assert play.states() == ["idle"]


def test_what_is_listed_can_be_stopped_and_nothing_else() -> None:
    play = shell(V2Play())
    for key, session, call, in_terminal in (
        ("ok", "S", "t1", True),
        ("call", "S", "t1", False),
        ("where", "a9", "t1", True),
        ("what", "S", "t9", True),
    ):
        play.handle(e.WorkStopAsked(key, session, call, in_terminal))
    assert {one.key for one in play.of(fx.ReplyError)} == {"call", "where", "what"}
    assert all(one.invalid for one in play.of(fx.ReplyError))
    assert [(one.key, one.task) for one in play.of(fx.StopBackground)] == [("ok", "b1")]
    play.handle(e.TaskStopDone("ok", "b1"))
    assert [(one.key, one.result) for one in play.of(fx.Reply)] == [("ok", {})]


def test_an_order_that_does_not_go_through_is_an_error() -> None:
    play = shell(V2Play())
    play.handle(e.WorkStopAsked("k", "S", "t1", True), e.TaskStopDone("k", "b1", "it is gone"))
    assert [(one.key, one.message, one.invalid) for one in play.of(fx.ReplyError)] == [
        ("k", "it is gone", False)
    ]


def test_a_monitor_goes_on_under_its_call() -> None:
    play = V2Play().prompt()
    play.frames(
        tool("m1", "Monitor", command="tail -f x"),
        level("w1"),
        task_started("w1", "m1", task_type="local_monitor", is_backgrounded=True),
        tool_result("m1", "watching"),
        result("p1"),
    )
    assert play.background() == [{"type": "tool_call", "toolCallId": "m1"}]
    assert play.statuses("m1") == ["pending", "in_progress"]
    offers = [u for u in play.updates("tool_call_update") if "capabilities" in u]
    assert [(one["toolCallId"], one["capabilities"]) for one in offers] == [("m1", {"cancel": {}})]
    play.frames(task_updated("w1", status="paused"), task_updated("w1", status="running"))
    play.frames(task_updated("w1", status="killed"), notification("w1", "stopped"), level())
    assert play.statuses("m1")[2:] == ["paused", "in_progress", "cancelled"]
    assert play.background() == []


def test_a_task_whose_call_is_unknown_is_listed_by_its_words() -> None:
    play = V2Play().prompt().frames(task_started("x1", is_backgrounded=True), result("p1"))
    assert play.background() == [{"type": "_claude/task", "taskId": "x1", "description": "Tick"}]


@pytest.mark.parametrize("more", [{"ambient": True}, {"is_backgrounded": False}])
def test_ambient_and_foreground_tasks_are_not_listed(more: dict[str, Any]) -> None:
    play = V2Play().prompt().frames(tool("t1", "Bash", command="x"))
    play.frames(task_started("b1", "t1", **{"is_backgrounded": True, **more}))
    assert play.background() == []


def test_a_subagent_is_listed_on_its_parent_while_it_works() -> None:
    play = kid(V2Play().prompt())
    assert play.background() == [KID]
    assert play.states("a1") == ["running"]
    play.frames(result("p1"), state("idle"))
    assert play.states()[-1] == "idle end_turn"  # nothing of the hold is seen
    play.frames(notification("a1", tool_use_id="A"), level())
    assert play.background() == []
    assert play.states("a1") == ["running", "idle end_turn"]
    ends = play.updates("subagent_update")[-1]
    assert ends["state"] == {"state": "idle", "stopReason": "end_turn", "background": []}


def test_an_idle_subagent_is_listed_while_something_runs_under_it() -> None:
    play = kid(V2Play().prompt())
    play.frames(
        tool("t1", "Bash", "A", command="sleep 9"),
        level("a1", "b1"),
        task_started("b1", "t1", is_backgrounded=True),
        tool_result("t1", "bg", {"stdout": "", "backgroundTaskId": "b1"}, parent="A"),
    )
    assert play.background("a1") == [SHELL]
    assert play.background() == [KID]
    mirrors = [u for u in play.updates("subagent_update") if "state" in u]
    assert mirrors[-1]["state"] == {"state": "running", "background": [SHELL]}
    play.frames(notification("a1", tool_use_id="A"), level("b1"))
    assert play.background() == [KID]
    assert play.states("a1")[-1] == "idle end_turn"
    play.handle(e.WorkStopAsked("k", "a1", "t1", True))
    assert [one.task for one in play.of(fx.StopBackground)] == ["b1"]
    play.frames(notification("b1", "stopped"), level())
    play.handle(e.OutputRead("b1", "", 0, last=True))
    assert (play.background("a1"), play.background()) == ([], [])
    assert play.states("a1")[-1] == "idle"  # no second end


def test_a_question_of_a_background_subagent_is_its_own() -> None:
    play = kid(V2Play().prompt()).frames(result("p1"), state("idle")).forget()
    ask(play, "k", "t1", "a1")
    assert play.states("a1") == ["requires_action"]
    assert play.states() == []
    play.handle(e.RequestClosed("k", allowed=True))
    assert play.states("a1") == ["requires_action", "running"]


def test_a_client_that_declines_the_stop_of_single_tasks_has_no_lists() -> None:
    options = {"perTaskStopAffordance": False}
    play = shell(V2Play(meta={"claudeCode": {"options": options}}))
    kid(play.prompt("p2"))
    play.frames(
        tool("m1", "Monitor", command="tail -f x"),
        level("b1", "a1", "w1"),
        task_started("w1", "m1", task_type="local_monitor", is_backgrounded=True),
        tool_result("m1", "watching"),
        result("p2"),
    )
    assert "background" not in str([one for _, one in play.sent if "state" in one])
    assert "capabilities" not in str(play.updates("terminal_update", "tool_call_update"))
    assert play.statuses("m1")[-1] == "completed"  # its call is over with its result
    play.handle(e.WorkStopAsked("k", "S", "t1", True))
    assert [one.invalid for one in play.of(fx.ReplyError)] == [True]
    # the interrupt stops what runs in the background, and nothing keeps it
    assert not play.state.policy.spares_background
    play.forget().frames(task_updated("b1", status="completed"), notification("b1"))
    play.handle(e.OutputRead("b1", "the rest", 8, last=True))
    assert "exitStatus" in str(play.updates("terminal_update"))


# --- calls ----------------------------------------------------------------------------------------


def test_a_call_that_a_cancel_stopped_was_cancelled() -> None:
    play = V2Play().prompt().frames(tool("t1", "Read"), tool("t2", "Grep", pattern="x"))
    play.handle(e.CancelRequested(99))
    failed = tool_result("t1", "[Request interrupted by user]")
    failed["message"]["content"][0]["is_error"] = True
    play.frames(failed)
    play.frames(result("p1", subtype="error_during_execution", terminal_reason="aborted_tools"))
    assert play.statuses("t1") == ["pending", "cancelled"]
    assert play.statuses("t2") == ["pending", "cancelled"]


def test_an_error_without_a_cancel_stays_a_failure() -> None:
    failed = tool_result("t1", "no such file")
    failed["message"]["content"][0]["is_error"] = True
    play = V2Play().prompt().frames(tool("t1", "Read"), failed)
    assert play.statuses("t1") == ["pending", "failed"]


def test_metadata_is_a_patch_and_the_tools_name_a_field() -> None:
    play = kid(V2Play().prompt())
    play.frames(tool("t1", "Read", "A", file_path="/x"), tool_result("t1", "text", parent="A"))
    updates = [u for u in play.updates("tool_call_update") if u["toolCallId"] == "t1"]
    assert [one.get("_meta") for one in updates] == [{"claudeCode": {"parentToolUseId": "A"}}, None]
    assert [one.get("name") for one in updates] == ["Read", None]
    assert "toolName" not in str(updates)


def test_a_prompt_that_the_cli_refuses_never_ran() -> None:
    play = V2Play()
    play.handle(e.PromptSubmitted("p1", (), 1))
    play.frames(lifecycle("p1", "refused"))
    assert play.updates("taken", "state_update") == []
    assert "error" in play.answers["p1"]
