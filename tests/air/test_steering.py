"""Steering: where a message goes, and which result answers the turn that it went into.

Frames in, effects out; numbers in names are those of the scenarios.
"""

from __future__ import annotations

from typing import Any

import pytest

from air.playing import (
    PLAIN,
    Play,
    declares,
    echo,
    lifecycle,
    own_result,
    result,
    said,
    state,
    task_started,
    tool,
    tool_result,
)
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_shared.ext import air

BACKGROUND = declares(air.NATIVE_SUBAGENT_SESSIONS, air.BACKGROUND_SUBAGENTS)
BLOCKS = ({"type": "text", "text": "rather this"},)


def steer(play: Play, id_: str = "s1", *, only_running: bool = False, text: str = "") -> Play:
    return play.handle(e.SteerSubmitted("k", id_, BLOCKS, 5, text, only_running))


def sent(play: Play) -> list[tuple[str, str | None]]:
    return [(one.prompt, one.priority) for one in play.of(fx.SendPrompt)]


def interrupted(*prompts: str) -> dict[str, Any]:
    """The result of a cycle that a steering message cut short."""
    return result(*prompts, stop_reason=None, terminal_reason="aborted_streaming")


@pytest.mark.parametrize("capabilities", [PLAIN, BACKGROUND], ids=["plain", "air"])
def test_scenario_48_a_steer_in_a_turn(capabilities: dict[str, Any]) -> None:
    play = steer(Play(capabilities).prompt().frames(said("One two")))
    assert sent(play) == [("p1", None), ("s1", "now")]
    assert play.replies() == {"k": {"outcome": "injected"}}
    play.frames(lifecycle("s1", "queued"), interrupted("p1"), lifecycle("p1", "cancelled"))
    assert play.answers == {}
    play.frames(lifecycle("s1", "started"), echo("s1"), said("Steered."), result("s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"
    assert play.answers["p1"]["usage"]["inputTokens"] == 6  # both cycles are the turn's
    assert play.updates("user_message_chunk") == []
    play.frames(lifecycle("s1", "completed"), state("idle"))
    assert len(play.of(fx.Settle)) == 1


def test_scenario_48_a_steer_waits_while_a_question_is_open() -> None:
    play = Play().prompt()
    play.handle(e.PermissionAsked("q", "t1", "Bash", {}, None, {}))
    steer(play)
    assert sent(play)[-1] == ("s1", "later")
    play.handle(e.RequestClosed("q"))
    play.frames(result("p1"))
    assert play.answers == {}
    play.frames(lifecycle("s1", "started"), echo("s1"), result("s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_scenario_49_idle_with_a_prompt_required() -> None:
    play = steer(Play(), only_running=True)
    assert play.replies() == {"k": {"outcome": "promptRequired", "reason": "noRunningTurn"}}
    assert sent(play) == []


def test_scenario_49_idle_begins_a_turn() -> None:
    play = steer(Play())
    assert play.replies() == {"k": {"outcome": "startedNewTurn"}}
    assert sent(play) == [("s1", None)]
    play.frames(state("running"), echo("s1"), said("Done."), result("s1"))
    assert play.answers["s1"]["stopReason"] == "end_turn"


def test_scenario_56_only_a_subagent_runs() -> None:
    def at_work(capabilities: dict[str, Any]) -> Play:
        play = Play(capabilities).prompt()
        play.frames(tool("T1", "Agent", prompt="Do", run_in_background=True))
        play.frames(task_started("a1", "T1", task_type="local_agent", is_backgrounded=True))
        return play.frames(tool_result("T1", "launched"), result("p1"))

    apart = at_work(BACKGROUND)
    assert apart.answers["p1"]["stopReason"] == "end_turn"
    assert steer(apart, only_running=True).replies()["k"]["reason"] == "noRunningTurn"

    held = at_work(declares(air.NATIVE_SUBAGENT_SESSIONS))
    assert held.answers == {}
    assert steer(held, only_running=True).replies()["k"] == {"outcome": "injected"}
    held.frames(echo("s1"), said("Steered."), result("s1"))
    assert held.answers == {}  # the subagent still works: the answer is held as before
    held.frames(
        {
            "type": "system",
            "subtype": "task_notification",
            "task_id": "a1",
            "status": "completed",
            "tool_use_id": "T1",
        },
        own_result(),
    )
    assert held.answers["p1"]["stopReason"] == "end_turn"


def test_two_steers_are_waited_for() -> None:
    play = steer(steer(Play().prompt()), "s2")
    play.frames(interrupted("p1"), echo("s1"), result("s1"))
    assert play.answers == {}
    play.frames(echo("s2"), result("s2"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_steer_that_the_cli_folds_into_the_cycle() -> None:
    play = steer(Play().prompt())
    play.frames(result("p1", "s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_steer_without_a_result_of_its_own() -> None:
    play = steer(Play().prompt()).frames(result("p1"))
    assert play.answers == {}
    play.frames(lifecycle("s1", "discarded"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_cli_that_does_not_say_what_a_result_answers() -> None:
    play = steer(Play().prompt()).frames(result())
    assert play.answers == {}
    play.frames(state("idle"))
    assert play.answers == {}  # the message is still to come
    play.frames(state("running"), echo("s1"), said("Steered."), result())
    assert play.answers == {}
    play.frames(state("idle"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_message_that_comes_before_the_idle_of_such_a_cli_is_waited_for_too() -> None:
    play = steer(Play().prompt())
    play.frames(result(), state("running"), echo("s1"), said("Steered."), result())
    steer(play, "s2").frames(state("idle"))
    assert play.answers == {}  # the idle belongs to what was before it
    play.frames(state("running"), echo("s2"), said("Again."), result(), state("idle"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_an_error_before_the_steer_is_not_the_turns_end() -> None:
    play = steer(Play().prompt())
    play.frames(result("p1", is_error=True, result="broken"), echo("s1"), result("s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_calls_that_a_steer_cut_off_are_closed() -> None:
    play = Play().prompt().frames(tool("t1", "Bash", command="x"))
    steer(play).frames(interrupted("p1"))
    (end,) = [u for u in play.updates("tool_call_update") if u.get("status") == "failed"]
    assert end["toolCallId"] == "t1"
    play.frames(echo("s1"), result("s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_cancel_takes_the_steer_back_before_the_interrupt() -> None:
    play = steer(Play().prompt()).handle(e.CancelRequested(10))
    orders = [one for one in play.effects if isinstance(one, (fx.DropQueued, fx.Interrupt))]
    assert orders == [fx.DropQueued("s1"), fx.Interrupt()]
    play.frames(interrupted("p1"))
    assert play.answers["p1"]["stopReason"] == "cancelled"
    play.forget().frames(echo("s1"), said("Ghost."), result("s1"), state("idle"))
    assert play.updates("agent_message_chunk", "user_message_chunk") == []
    play.prompt("p2").frames(said("Next."), result("p2"))
    assert play.answers["p2"]["stopReason"] == "end_turn"
    assert [u["content"]["text"] for u in play.updates("agent_message_chunk")] == ["Next."]


def test_a_steer_of_a_cancelled_turn_begins_its_own() -> None:
    play = Play().prompt().handle(e.CancelRequested(10))
    assert steer(play, only_running=True).replies()["k"]["outcome"] == "promptRequired"


def test_the_next_prompt_hands_a_steered_turn_off() -> None:
    play = steer(Play().prompt()).handle(e.PromptSubmitted("p2", (), 9))
    play.frames(interrupted("p1"), echo("p2"))
    assert play.answers["p1"]["stopReason"] == "end_turn"
    play.frames(result("p2"))
    assert play.answers["p2"]["stopReason"] == "end_turn"


def test_a_steer_that_is_answered_before_its_turn_began() -> None:
    play = Play().frames(state("running"))
    play.handle(e.PromptSubmitted("p1", (), 1))
    steer(play).frames(echo("s1"), result("s1"))
    assert play.answers == {}
    play.frames(echo("p1"), said("First."), result("p1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_the_end_of_the_cli_fails_a_steered_turn_once() -> None:
    play = steer(Play().prompt()).handle(e.StreamEnded("signal SIGKILL"))
    assert "SIGKILL" in play.answers["p1"]["error"]
    assert len(play.of(fx.Settle)) == 1


def test_a_steer_goes_on_in_the_conversation_of_an_approved_plan() -> None:
    play = Play().prompt().frames(tool("t1", "ExitPlanMode", plan="Do it."))
    play.handle(e.PlanAccepted("t1", "Do it.", "auto"))
    play.frames(tool_result("t1", "x"))
    steer(play)
    diagnostic = "[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use"
    play.frames(result("p1", is_error=True, subtype="error_during_execution", errors=[diagnostic]))
    assert len(play.of(fx.RestartConversation)) == 1
    play.forget().handle(e.ConversationRestarted("p1", BLOCKS, "Do it.", "t1"))
    assert sent(play) == [("p1", None), ("s1", "later")]
    play.frames(echo("p1"), result("p1"))
    assert play.answers == {}
    play.frames(echo("s1"), result("s1"))
    assert play.answers["p1"]["stopReason"] == "end_turn"
