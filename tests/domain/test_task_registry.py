"""The live tasks: who runs, who is late, who holds, who blocks."""

from __future__ import annotations

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain import hold
from canopy_agent.domain.tasks import TaskRegistry, ended_status
from domain.notation import command, ended, level, started


def registry(*events: e.TaskStarted) -> TaskRegistry:
    tasks = TaskRegistry()
    for event in events:
        tasks.started(event)
    return tasks


RUNS = [
    (None, "r1", False),
    ("r1", "r1", False),
    ("r1", "r2", False),
    ("r2", "r1", True),
    ("r2", None, False),
]


@pytest.mark.parametrize(("newest", "run", "late"), RUNS)
def test_a_run_is_late_when_a_newer_one_was_seen(
    newest: str | None, run: str | None, late: bool
) -> None:
    tasks = TaskRegistry()
    tasks.is_late("a1", newest)
    assert tasks.is_late("a1", run) is late
    assert not tasks.is_late("other", run)


CHAINS = {
    "main conversation": ([], None, True),
    "foreground": ([started("a1")], "a1", True),
    "background": ([started("a1", background=True)], "a1", False),
    "unknown": ([], "a1", False),
    "foreground below foreground": ([started("a1"), started("a2", "T2", parent="a1")], "a2", True),
    "foreground below background": (
        [started("a1", background=True), started("a2", "T2", parent="a1")],
        "a2",
        False,
    ),
    "below one that ended": ([started("a2", "T2", parent="gone")], "a2", False),
    "a circle": (
        [started("a1", parent="a2"), started("a2", "T2", parent="a1")],
        "a1",
        False,
    ),
}


@pytest.mark.parametrize("case", CHAINS)
def test_what_blocks_the_foreground(case: str) -> None:
    events, agent, blocks = CHAINS[case]
    assert registry(*events).blocks_foreground(agent) is blocks  # type: ignore[arg-type]


def test_what_moves_to_the_background_blocks_no_more() -> None:
    tasks = registry(started("a1"))
    tasks.patched(e.TaskPatched("a1", backgrounded=True))
    assert not tasks.blocks_foreground("a1")
    tasks.patched(e.TaskPatched("a1"))
    tasks.patched(e.TaskPatched("gone", backgrounded=True))
    assert not tasks.blocks_foreground("a1")


def test_descent() -> None:
    tasks = registry(
        started("a1"), started("a2", "T2", parent="a1"), started("a3", "T3", parent="a2")
    )
    assert tasks.descends("a3", "a1")
    assert tasks.descends("a1", "a1")
    assert not tasks.descends("a1", "a3")
    assert not tasks.descends(None, "a1")


HOLDS = {
    "a running subagent": ([started("a1")], True),
    "one that ended": ([], False),
    "a command": ([command("a1", "B1")], False),
    "a workflow": ([command("a1", "W1", "local_workflow")], False),
}


@pytest.mark.parametrize("case", HOLDS)
def test_what_holds_a_turn(case: str) -> None:
    events, holds = HOLDS[case]
    tasks = registry(*events)  # type: ignore[arg-type]
    assert hold.awaits({"a1"}, tasks, ends_turns=False) is holds
    assert not hold.awaits({"a1"}, tasks, ends_turns=True)
    assert not hold.awaits(set(), tasks, ends_turns=False)


def test_the_level_marks_subagents_and_loses_commands() -> None:
    tasks = registry(
        started("bg", background=True),
        started("fg", "T2"),
        command("b1", "B1"),
        command("b2", "B2"),
    )
    lost = tasks.level(level("b2"))  # type: ignore[arg-type]
    assert [task.id for task in lost] == ["b1"]
    assert [task.id for task in tasks.live()] == ["bg", "fg", "b2"]
    assert not tasks.is_running_subagent("bg")
    assert tasks.is_running_subagent("fg")
    assert tasks.runs_under("T1")
    tasks.level(level("bg"))  # type: ignore[arg-type]
    assert tasks.is_running_subagent("bg")


def test_the_sweep_takes_two_turns() -> None:
    tasks = registry(started("a1", background=True))
    tasks.level(level())  # type: ignore[arg-type]
    assert tasks.turn_began() == []
    assert [task.id for task in tasks.turn_began()] == ["a1"]
    assert tasks.live() == []
    assert tasks.has_ended("a1")


def test_a_task_that_comes_back_into_the_level_is_not_swept() -> None:
    tasks = registry(started("a1", background=True))
    tasks.level(level())  # type: ignore[arg-type]
    tasks.turn_began()
    tasks.level(level("a1"))  # type: ignore[arg-type]
    assert tasks.turn_began() == []
    assert tasks.get("a1") is not None


@pytest.mark.parametrize("status", ["completed", "failed", "killed", "stopped", "cancelled"])
def test_ends(status: str) -> None:
    assert ended_status(e.TaskPatched("a1", status=status)) == status
    assert ended_status(e.TaskNotified("a1", status)) == status


@pytest.mark.parametrize("status", ["running", "pending", "paused", None, "new word"])
def test_what_is_no_end(status: str | None) -> None:
    assert ended_status(e.TaskPatched("a1", status=status)) is None


def test_only_subagents_are_woken() -> None:
    tasks = registry(started("a1"), command("b1", "B1"))
    tasks.ended("a1", "completed")
    tasks.ended("b1", "completed")
    assert tasks.resumed("b1") is None
    woken = tasks.resumed("a1")
    assert woken is not None
    assert woken.backgrounded
    assert tasks.resumed("a1") is None
    assert tasks.resumed("stranger") is None


def test_a_woken_subagent_needs_no_type() -> None:
    tasks = registry(started("a1"))
    tasks.ended("a1", "completed")
    again = tasks.started(e.TaskStarted("a1", None, "M1"))
    assert again.is_subagent


def test_a_stopped_subagent_is_so_until_it_is_woken() -> None:
    tasks = registry(started("a1"))
    tasks.ended("a1", "killed")
    assert tasks.is_stopped("T1")
    tasks.resumed("a1", ("M1",))
    assert not tasks.is_stopped("T1")
    assert tasks.runs_under("M1")
    assert tasks.launch_of("a1") == "T1"


STALE = {
    "its own call": ("T1", False),
    "no call": (None, False),
    "a call that nobody knows": ("X", False),
    "an earlier call": ("T0", True),
}


@pytest.mark.parametrize("case", STALE)
def test_stale_ends(case: str) -> None:
    named, stale = STALE[case]
    tasks = registry(started("a1", "T0"), started("a1", "T1"))
    assert tasks.is_stale(ended("a1", named)) is stale  # type: ignore[arg-type]


def test_an_end_of_what_does_not_run_is_not_stale() -> None:
    """It may bring the words of a failure."""
    tasks = registry(started("a1"))
    tasks.ended("a1", "failed")
    assert not tasks.is_stale(ended("a1", "T1"))  # type: ignore[arg-type]


def test_agents_outlive_the_process_and_not_the_conversation() -> None:
    tasks = registry(started("a1"))
    tasks.clear()
    assert tasks.live() == []
    assert tasks.has_ended("a1")
    tasks.forget()
    assert not tasks.has_ended("a1")
