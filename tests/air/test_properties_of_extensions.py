"""Whatever order the CLI speaks in: what an AIR client can rely on, of tasks and of turns."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from air.playing import (
    EVERYTHING,
    PLAIN,
    Play,
    declares,
    echo,
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

TASKS, CALLS = ("b1", "b2"), ("t1", "t2")
IDS = ("p1", "p2", "s1", "s2")
ENDS = ("completed", "failed", "stopped")

task = st.sampled_from(TASKS)
call = st.sampled_from((*CALLS, None))
id_ = st.sampled_from(IDS)

Step = Any
step: st.SearchStrategy[Step] = st.one_of(
    st.builds(lambda one: ("prompt", one), st.sampled_from(IDS[:2])),
    st.builds(lambda one: ("steer", one), st.sampled_from(IDS[2:])),
    st.builds(lambda one: ("stop", one), task),
    st.sampled_from([("cancel", ""), ("stopped", "b1"), ("refused", "b2"), ("died", "")]),
    st.builds(task_started, task, call, is_backgrounded=st.sampled_from([True, False])),
    st.builds(task_updated, task, status=st.sampled_from([*ENDS, "paused", "running"])),
    st.builds(task_updated, task, is_backgrounded=st.just(True)),
    st.builds(task_progress, task, summary=st.sampled_from(["a", "b"]), tool_use_id=call),
    st.builds(notification, task, st.sampled_from(ENDS)),
    st.builds(lambda some: level(*some), st.sets(task)),
    st.builds(tool, st.sampled_from(CALLS), st.sampled_from(["Bash", "Monitor"])),
    st.builds(
        lambda one, bg: tool_result(one, "x", {"backgroundTaskId": bg}),
        st.sampled_from(CALLS),
        task,
    ),
    st.builds(echo, id_),
    st.builds(lifecycle, id_, st.sampled_from(["queued", "started", "completed", "cancelled"])),
    st.builds(lambda some: result(*some), st.lists(id_, max_size=2, unique=True)),
    st.sampled_from([own_result(), own_result(num_turns=0), result(is_error=True, result="no")]),
    st.sampled_from([said("x"), said("API Error", error="overloaded")]),
    st.sampled_from([state("running"), state("idle"), state("requires_action")]),
)


def play_all(capabilities: dict[str, Any], steps: list[Step]) -> Play:
    play, sent = Play(capabilities), set()
    for number, one in enumerate(steps):
        match one:
            case ("prompt", str(prompt)) if prompt not in sent:
                sent.add(prompt)
                play.handle(e.PromptSubmitted(prompt, (), number))
            case ("steer", str(prompt)) if prompt not in sent:
                sent.add(prompt)
                play.handle(e.SteerSubmitted(f"k{number}", prompt, (), number))
            case ("stop", str(name)):
                play.handle(e.TaskStopAsked(f"k{number}", name))
            case ("stopped", str(name)):
                play.handle(e.TaskStopDone("", name))
            case ("refused", str(name)):
                play.handle(e.TaskStopDone("", name, "no"))
            case ("cancel", _):
                play.handle(e.CancelRequested(number))
            case ("died", _):
                play.handle(e.StreamEnded("exit status 1"))
            case dict():
                play.frames(one)
    return play


@settings(max_examples=150, deadline=None)
@given(st.lists(step, max_size=40))
def test_tasks_are_announced_once_and_end_once(steps: list[Step]) -> None:
    play = play_all(declares(*EVERYTHING), steps)
    places: dict[str, str] = {}
    ends: dict[str, list[str]] = {}
    for where, update in play.sent:
        if not update["sessionUpdate"].startswith("async_task"):
            continue
        name = update["asyncTaskId"]
        if update["sessionUpdate"] == "async_task_spawned":
            # a task may come again only when the CLI that had it is gone
            assert name not in places or (ends[name] and ("died", "") in steps)
            places[name], ends[name] = where, []
            continue
        assert places.get(name) == where, "told of a task that was not announced here"
        assert set(update) - {"sessionUpdate", "asyncTaskId"}, "an update that says nothing"
        # the one thing that may follow an end is the real end of a task that was only missing
        assert ends[name] in ([], ["stopped"])
        assert not ends[name] or update.get("state") in ENDS
        if update.get("state") in ENDS:
            ends[name].append(update["state"])


@settings(max_examples=150, deadline=None)
@given(st.lists(step, max_size=40))
def test_every_prompt_is_answered_once_and_every_request_too(steps: list[Step]) -> None:
    play = play_all(declares(*EVERYTHING), steps)
    play.handle(e.SessionClosing())
    settled = [one.prompt for one in play.of(fx.Settle)]
    requeued = [one.prompt for one in play.of(fx.Requeue)]
    assert len(settled) == len(set(settled))
    begun = {one.prompt for one in play.of(fx.SendPrompt) if one.priority is None}
    assert begun == set(settled) | (set(requeued) & begun)
    asked = [one for one in play.of(fx.Reply) if "outcome" in one.result]
    steered = {s[1] for s in steps if isinstance(s, tuple) and s[0] == "steer"}
    assert len(asked) == len(steered)


@settings(max_examples=100, deadline=None)
@given(st.lists(step, max_size=40))
def test_a_plain_client_never_hears_of_air(steps: list[Step]) -> None:
    play = play_all(PLAIN, steps)
    assert traces_of_air([*play.updates(), *play.answers.values()]) == []
