"""Commands that take their time: signs of life, live output, and the end of their terminals."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import (
    ToolBeat,
    ToolExited,
    ToolHookResponse,
    ToolPrinted,
    ToolReturned,
)
from canopy_agent.domain.session import step
from canopy_agent.domain.shells import SKIPPED, Shell
from canopy_agent.domain.state import Policy, SessionState, new_state
from canopy_agent.domain.toolcalls import OpenCall

ENDED = e.TaskNotified("b", "completed", "r", "t")
MOVED = e.ToolResulted(None, "t", "in the background", structured={"backgroundTaskId": "b"})
DONE = e.ToolResulted(None, "t", "a\n", structured={"stdout": "a"})


def started(*, backgrounded: bool = False, call: str = "t") -> e.TaskStarted:
    return e.TaskStarted("b", "r", call, None, "local_bash", backgrounded=backgrounded)


def session(**policy: Any) -> SessionState:
    state = new_state("S", Policy(**policy))
    step(state, e.PromptSubmitted("p", (), 1))
    step(state, e.StateChanged("running"))
    step(state, e.PromptEchoed("p"))
    step(state, e.ToolUsed(None, "t", "Bash", {"command": "make"}))
    return state


def facts(effects: list[fx.Effect]) -> list[Any]:
    return [one.fact for one in effects if isinstance(one, fx.Show)]


def test_b55_a_command_that_takes_long_shows_that_it_lives() -> None:
    state = session()
    assert step(state, started()) == [fx.Show("S", ToolBeat("t"))]


def test_b55_output_is_followed_until_the_result_brings_it() -> None:
    state = session(follows_output=True)
    assert fx.FollowOutput("b") in step(state, started())
    assert facts(step(state, e.OutputRead("b", "a\n", 2))) == [ToolPrinted("t", "a\n")]
    assert step(state, e.OutputRead("b", "a\n", 2)) == []
    assert step(state, ENDED) == [fx.StopFollowing("b")]
    assert isinstance(facts(step(state, DONE))[0], ToolReturned)
    assert step(state, e.OutputRead("b", "a\nb\n", 4)) == []
    assert state.shells.running == {}


def test_a_background_command_exits_when_its_task_ends() -> None:
    state = session()
    assert step(state, started(backgrounded=True)) == []
    assert facts(step(state, MOVED))[0].backgrounded
    assert step(state, ENDED) == [fx.Show("S", ToolExited("t"))]
    assert step(state, ENDED) == []


def test_a_background_command_is_followed_once_it_is_known_where_its_output_is() -> None:
    state = session(follows_output=True)
    assert step(state, started(backgrounded=True)) == []
    words = "Running with ID: b. Output is being written to: /tmp/c/tasks/b.output. Wait."
    moved = e.ToolResulted(None, "t", words, structured={"backgroundTaskId": "b"})
    assert step(state, moved)[1:] == [fx.FollowOutput("b", "/tmp/c/tasks/b.output")]
    for text, total in (("\ufffd", 1), ("more", 5), ("anew", 4)):
        told = step(state, e.OutputRead("b", text, total, exact=True))
        assert facts(told) == [ToolPrinted("t", text)]
    assert step(state, e.OutputRead("b", "", 4, exact=True)) == []


def test_a_background_command_that_is_over_before_its_result_is_read_to_its_end() -> None:
    for follows in (True, False):
        state = session(follows_output=follows)
        step(state, started(backgrounded=True))
        step(state, ENDED)
        effects = step(state, MOVED)
        if follows:
            assert effects[1:] == [fx.FollowOutput("b"), fx.ReadRest("b")]
            effects = step(state, e.OutputRead("b", "all", 3, last=True, exact=True))
            assert facts(effects)[0] == ToolPrinted("t", "all")
        assert facts(effects)[-1] == ToolExited("t")
        assert state.shells.running == {}


def test_the_rest_of_a_followed_background_command_comes_before_its_exit() -> None:
    state = session(follows_output=True)
    step(state, started(backgrounded=True))
    step(state, MOVED)
    assert step(state, ENDED) == [fx.ReadRest("b")]
    last = e.OutputRead("b", "all of it\n", 10, last=True)
    assert facts(step(state, last)) == [ToolPrinted("t", "all of it\n"), ToolExited("t")]


def test_a_background_command_that_ended_before_its_result_exits_after_it() -> None:
    state = session()
    step(state, started(backgrounded=True))
    step(state, e.TaskPatched("b", "r", "completed"))
    state.shells.running.clear()
    assert [type(one) for one in facts(step(state, MOVED))] == [ToolReturned, ToolExited]


def test_a_command_that_the_level_no_longer_lists_exits() -> None:
    state = session()
    step(state, started(backgrounded=True))
    step(state, MOVED)
    assert facts(step(state, e.BackgroundLevel(()))) == [ToolExited("t")]


@pytest.mark.parametrize("end", [e.StreamEnded("killed"), e.ConversationReset()])
def test_with_the_cli_or_its_conversation_every_command_ends(end: e.Event) -> None:
    state = session(follows_output=True)
    step(state, started(backgrounded=True))
    step(state, MOVED)
    effects = step(state, end)
    assert fx.StopFollowing("b") in effects
    assert ToolExited("t") in facts(effects)
    assert state.shells.running == {}


def test_a_client_that_gets_the_exit_at_once_is_not_told_again() -> None:
    state = session(follows_output=True, keeps_terminals=False)
    assert fx.FollowOutput("b") in step(state, started())
    assert fx.StopFollowing("b") in step(state, MOVED)
    assert step(state, ENDED) == []
    state = session(follows_output=True, keeps_terminals=False)
    assert step(state, started(backgrounded=True)) == []


def test_a_hook_that_comes_after_the_result_is_still_told() -> None:
    state = session()
    step(state, DONE)
    hook = e.HookFired(
        "k", "PostToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_response": {"a": 1}}, "t"
    )
    assert facts(step(state, hook)) == [ToolHookResponse("t", "Bash", {}, {"a": 1})]
    for number in range(100):
        call = f"n{number}"
        step(state, e.ToolUsed(None, call, "Bash", {}))
        step(state, e.ToolResulted(None, call, "ok"))
    assert facts(step(state, hook)) == []


# --- readings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readings", "news"),
    [
        ([("a\n", 2), ("a\nb\n", 4)], ["a\n", "b\n"]),
        ([("", 0), ("a", 1), ("a", 1)], ["", "a", ""]),
        ([("xyz", 3), ("fgh", 10)], ["xyz", SKIPPED + "fgh"]),
        ([("fgh", 10)], ["fgh"]),
        ([("aé", 3), ("aéb", 4)], ["aé", "b"]),
        ([("\ufffdé", 2), ("é!", 3)], ["é", "!"]),
        ([("ab", 2), ("", 0), ("ab", 2)], ["ab", "", ""]),
    ],
    ids=["grows", "nothing new", "a gap", "begins late", "bytes", "cut letter", "shrinks"],
)
def test_what_a_reading_adds(readings: list[tuple[str, int]], news: list[str]) -> None:
    shell = Shell(OpenCall("t", "Bash", None))
    assert [shell.news(*reading) for reading in readings] == news
