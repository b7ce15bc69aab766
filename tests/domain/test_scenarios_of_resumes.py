"""Numbered scenarios: agents that a SendMessage wakes again."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.lineage import Launch
from canopy_agent.domain.past import PastAgent
from canopy_agent.domain.state import Policy
from domain.notation import (
    AIR,
    AIR_BG,
    FLAT,
    RFD,
    Play,
    Script,
    begun,
    ended,
    idle,
    launch,
    message,
    patched,
    perform,
    result,
    returned,
    started,
    text,
    woken,
)

RESUMED = {"success": True, "resumedAgentId": "a1"}
BEFORE = (launch(), started(run="r1"), ended(run="r1"), returned("T1"), result("p1"), idle())
"""A turn whose foreground subagent has ended."""

RFD_BEFORE: Script = [
    begun(),
    "send p1",
    BEFORE,
    "S child a1 'Job T1' general cancellable running",
    "S sent T1 S>a1",
    "a1 got T1 S>a1",
    "S child a1 idle/end_turn",
    "S reply T1:reply a1>S",
    "answer p1 end_turn (5)",
    begun("p2"),
    "send p2",
]
AIR_BEFORE: Script = [
    begun(),
    "send p1",
    BEFORE,
    "S spawned a1 'Job T1' 'Do T1'",
    "S ended a1 completed",
    "answer p1 end_turn (5)",
    begun("p2"),
    "send p2",
]

SCENARIOS: dict[str, tuple[Policy, Script]] = {
    "27_rfd_same_child_again": (
        RFD,
        [
            *RFD_BEFORE,
            message(),
            started(tool="M1", background=True, run="r2"),
            "S child a1 running",
            "S sent M1 S>a1",
            "a1 got M1 S>a1",
            woken("a1", "M1"),
            returned("M1", structured=RESUMED),
            text("Under the launch.", "T1"),
            'a1^T1 "Under the launch."',
            text("Under the message.", "M1"),
            'a1^M1 "Under the message."',
            ended(tool="M1", run="r2"),
            "S child a1 idle/end_turn",
        ],
    ),
    "28_air_new_generation_gets_the_text": (
        AIR,
        [
            *AIR_BEFORE,
            message(),
            "S called M1 SendMessage",
            patched("a1", "running"),
            "S spawned a1:generation:2 'Job T1' 'Go on'",
            started(tool="M1", background=True, run="r2"),
            woken("a1", "M1"),
            returned("M1", structured=RESUMED),
            "S returned M1",
            text("Under the launch.", "T1"),
            'a1:generation:2^T1 "Under the launch."',
            text("Under the message.", "M1"),
            'a1:generation:2^M1 "Under the message."',
            ended(tool="M1", run="r2"),
            "S ended a1:generation:2 completed",
        ],
    ),
    "29_rfd_end_of_the_delegation_before": (
        RFD,
        [
            *RFD_BEFORE,
            (message(), started(tool="M1", background=True)),
            "S child a1 running",
            "S sent M1 S>a1",
            "a1 got M1 S>a1",
            ended(tool="T1"),
            ended(tool="M1"),
            "S child a1 idle/end_turn",
        ],
    ),
    "29_rfd_end_of_a_delegation_that_another_took_over": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started(background=True)),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            (message(), woken("a1", "M1"), started(tool="M1", background=True)),
            "S sent M1 S>a1",
            "a1 got M1 S>a1",
            ended(tool="T1"),
            ended(tool="M1"),
            "S child a1 idle/end_turn",
        ],
    ),
    "30_rfd_result_after_the_run": (
        RFD,
        [
            *RFD_BEFORE,
            (message(), started(tool="M1", background=True, run="r2")),
            "S child a1 running",
            "S sent M1 S>a1",
            "a1 got M1 S>a1",
            ended(tool="M1", run="r2"),
            "S child a1 idle/end_turn",
            woken("a1", "M1"),
            returned("M1", structured=RESUMED),
            # a run that is over does not hold the turn either
            result("p2"),
            "answer p2 end_turn (5)",
        ],
    ),
    "31_rfd_queued_for_a_running_child": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started()),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            message(),
            returned("M1"),
            "S whole M1 returned",
        ],
    ),
    "31_rfd_delivered_to_a_working_child": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started()),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            (message(), woken("a1", "M1")),
            "S sent M1 S>a1",
            "a1 got M1 S>a1",
            returned("M1", structured=RESUMED),
        ],
    ),
    "32_rfd_to_nobody": (
        RFD,
        [
            begun(),
            "send p1",
            (message(to="main"), returned("M1")),
            "S whole M1 returned",
            (message("M2", to="stranger"), returned("M2", failed=True)),
            "S whole M2 failed",
        ],
    ),
    "32_rfd_of_a_child_to_nobody": (
        RFD,
        [
            begun(),
            "send p1",
            (launch(), started()),
            "S child a1 'Job T1' general cancellable running",
            "S sent T1 S>a1",
            "a1 got T1 S>a1",
            (message(to="main", parent="T1"), returned("M1", "T1")),
            "a1^T1 whole M1 returned",
        ],
    ),
}


def stored(agent: str, tool: str, parent: str | None = None, **more: Any) -> PastAgent:
    """An agent of which the disk knows."""
    given = {"description": f"Job {tool}", "prompt": f"Do {tool}", "subagent_type": "general"}
    return PastAgent(agent, Launch(tool, "Agent", given, parent), role="general", **more)


REMEMBERED = e.AgentsRemembered(
    (stored("a1", "T1"), stored("a2", "T2", "T1", cwd="/tree"), stored("a3", "T3")), 1_000
)

SCENARIOS |= {
    "33_rfd_nested_agent_from_before": (
        RFD,
        [
            (REMEMBERED, begun()),
            "send p1",
            (message(to="a2"), started("a2", "M1", background=True)),
            # of its parent neither a state nor capabilities are known
            "S child a1 'Job T1' general",
            "a1 child a2 'Job T2' general cancellable running",
            "a1 child a2 in /tree",
            "S sent M1 S>a2",
            "a2 got M1 S>a2",
            (woken("a2", "M1"), returned("M1", structured=RESUMED)),
            text("Under the old launch.", "T2"),
            'a2^T2 "Under the old launch."',
            text("Under the message.", "M1"),
            'a2^M1 "Under the message."',
            ended("a2", "M1"),
            "a1 child a2 idle/end_turn",
            result("p1"),
            "answer p1 end_turn (5)",
        ],
    ),
    "33_rfd_told_by_the_result_alone": (
        RFD,
        [
            (REMEMBERED, begun()),
            "send p1",
            (message(to="a3"), woken("a3", "M1")),
            "S child a3 'Job T3' general cancellable running",
            "S sent M1 S>a3",
            "a3 got M1 S>a3",
            # it works for this turn
            result("p1"),
            ended("a3", "M1"),
            "S child a3 idle/end_turn",
            idle(),
            "answer p1 end_turn (5)",
        ],
    ),
    "33_air_nested_agent_from_before": (
        AIR,
        [
            (REMEMBERED, begun()),
            "send p1",
            message(to="a2"),
            "S called M1 SendMessage",
            started("a2", "M1", background=True, run="r2"),
            "S spawned a2:generation:1000 'Job T2' 'Go on'",
            text("Under the old launch.", "T2"),
            'a2:generation:1000^T2 "Under the old launch."',
            ended("a2", "M1", run="r2"),
            "S ended a2:generation:1000 completed",
            (message("M2", to="a2"), started("a2", "M2", background=True, run="r3")),
            "S called M2 SendMessage",
            "S spawned a2:generation:1001 'Job T2' 'Go on'",
        ],
    ),
    "33_air_told_by_its_first_words": (
        AIR,
        [
            (REMEMBERED, begun()),
            "send p1",
            text("Still here.", "T3"),
            "S spawned a3:generation:1000 'Job T3'",
            'a3:generation:1000^T3 "Still here."',
        ],
    ),
    "33_cleared_conversations_remember_nobody": (
        AIR,
        [
            (REMEMBERED, e.ConversationReset(), begun()),
            "S PlanForgotten",
            "send p1",
            text("Still here.", "T3"),
            patched("a3", "running"),
        ],
    ),
    "34_rfd_agent_that_the_disk_does_not_know": (
        RFD,
        [
            (REMEMBERED, begun()),
            "send p1",
            (message(to="a9"), started("a9", "M1", background=True)),
            text("Under the message.", "M1"),
            ended("a9", "M1"),
            returned("M1", structured=RESUMED),
            "S whole M1 returned",
        ],
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    perform(*SCENARIOS[name])


SIGNALS = {
    "start": started(tool="M1", background=True, run="r2"),
    "patch": e.TaskPatched("a1", "r2", "running"),
    "result": woken("a1", "M1"),
}


@pytest.mark.parametrize("order", itertools.permutations(SIGNALS), ids="-".join)
@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_one_resume_whatever_says_it_first(policy: Policy, order: tuple[str, ...]) -> None:
    play = Play(policy)
    play.feed(*begun(), *BEFORE, *begun("p2"), message())
    lines = [told for name in order for told in play.feed(SIGNALS[name], SIGNALS[name])]
    if policy is AIR:
        assert lines == ["S spawned a1:generation:2 'Job T1' 'Go on'"]
    else:
        assert sorted(lines) == ["S child a1 running", "S sent M1 S>a1", "a1 got M1 S>a1"]
        assert lines[0] == "S child a1 running"
    # the turn that woke it is held for it, and for nothing after its end
    assert play.feed(result("p2"), idle()) == []
    assert len(play.feed(ended(tool="M1", run="r2"))) == 2
    assert play.feed(SIGNALS["result"]) == []
    assert play.feed(idle()) == ["answer p2 end_turn (5)"]


@pytest.mark.parametrize("policy", [FLAT, AIR, RFD], ids=["flat", "air", "rfd"])
@pytest.mark.parametrize("again", ["start", "patch", "end"])
def test_frames_of_a_run_that_ended_bring_nothing_back(policy: Policy, again: str) -> None:
    play = Play(policy)
    play.feed(*begun(), launch(), started(run="r1"), ended(run="r1"))
    repeated = {
        "start": started(run="r1"),
        "patch": e.TaskPatched("a1", "r1", "running"),
        "end": ended(run="r1"),
    }
    assert play.feed(repeated[again]) == []
    assert play.state.tasks.live() == []


def test_a_repeated_start_without_a_run_is_known_by_its_call() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(), started(), ended())
    assert play.feed(started()) == []


def test_an_earlier_start_does_not_take_the_work_back() -> None:
    play = Play(RFD)
    play.feed(*begun(), *BEFORE, *begun("p2"), message())
    play.feed(started(tool="M1", background=True), started())
    assert play.feed(ended(tool="M1")) == ["S child a1 idle/end_turn"]


def test_an_end_that_names_an_unknown_call_is_an_end() -> None:
    """A run that only a patch announced has no call until its end names one."""
    play = Play(RFD)
    play.feed(*begun(), *BEFORE, *begun("p2"), message(), patched("a1", "running"))
    assert play.feed(ended(tool="M1")) == ["S child a1 idle/end_turn"]
    assert play.state.tasks.live() == []


def test_two_messages_in_one_record_go_where_they_are_addressed() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(), started(), ended())
    play.feed(message("M0", to="stranger"), message("M1", to="a1"))
    play.feed(woken("a1", "M0", "M1"))
    assert play.feed(returned("M0")) == ["S whole M0 returned"]
    assert play.feed(returned("M1")) == []


def test_a_child_that_was_named_is_addressed_by_its_name() -> None:
    play = Play(AIR)
    play.feed(*begun(), launch(name="Builder"), started(), ended())
    play.feed(message("M0", to="else", words="Other"), message("M1", to="Builder"))
    assert play.feed(patched("a1", "running")) == ["S spawned a1:generation:2 'Builder' 'Go on'"]


def test_a_message_of_a_child_comes_from_that_child() -> None:
    play = Play(RFD)
    play.feed(*begun(), launch(), started(), launch("T2", "T1"), started("a2", "T2", parent="a1"))
    play.feed(ended("a2", "T2"), message(to="a2", parent="T1"))
    lines = play.feed(started("a2", "M1", background=True, parent="a1"))
    assert lines == ["a1 child a2 running", "a1 sent M1 a1>a2", "a2 got M1 a1>a2"]


def test_scenario_36_a_resumed_child_does_not_keep_an_air_bg_turn_open() -> None:
    perform(
        AIR_BG,
        [
            *AIR_BEFORE,
            (message(), started(tool="M1", background=True, run="r2")),
            "S called M1 SendMessage",
            "S spawned a1:generation:2 'Job T1' 'Go on'",
            (woken("a1", "M1"), returned("M1", structured=RESUMED)),
            "S returned M1",
            result("p2", tokens=7),
            "answer p2 end_turn (7)",
            text("Still at it.", "T1"),
            'a1:generation:2^T1 "Still at it."',
            ended(tool="M1", run="r2"),
            "S ended a1:generation:2 completed",
        ],
    )
