"""Numbered scenarios: orders in which a subagent's frames come, and what its end looks like."""

from __future__ import annotations

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.state import Policy
from domain.notation import (
    AIR,
    RFD,
    Play,
    Script,
    begun,
    call,
    child_at_work,
    ended,
    hooked,
    idle,
    launch,
    patched,
    perform,
    result,
    returned,
    started,
    streamed_call,
    text,
)

ANNOUNCED = [
    "S child a1 'Job T1' general cancellable running",
    "S sent T1 S>a1",
    "a1 got T1 S>a1",
]
SPAWNED = ["S spawned a1 'Job T1' 'Do T1'"]


def turn(*script: object) -> Script:
    """A script inside a turn."""
    return [begun(), "send p1", *script]


SCENARIOS: dict[str, tuple[Policy, Script]] = {
    "11_rfd_text_before_task_started_waits": (
        RFD,
        turn(
            launch(),
            (text("One.", "T1"), call("R1", "Read", "T1")),
            started(),
            *ANNOUNCED,
            'a1^T1 "One."',
            "a1^T1 called R1 Read",
        ),
    ),
    "11_air_text_before_task_started_waits": (
        AIR,
        turn(launch(), text("One.", "T1"), started(), *SPAWNED, 'a1^T1 "One."'),
    ),
    "12_rfd_task_started_before_the_launch": (
        RFD,
        turn(streamed_call("T1", "Agent"), started(), launch(), *ANNOUNCED),
    ),
    "12_air_task_started_before_the_launch": (
        AIR,
        turn(streamed_call("T1", "Agent"), started(description="early"), launch(), *SPAWNED),
    ),
    "13_rfd_nested_under_its_real_parent": (
        RFD,
        turn(
            streamed_call("T1", "Agent"),
            started("a1", "T1"),
            launch("T2", parent="T1"),
            started("a2", "T2", parent="a1"),
            text("Deep.", "T2"),
            launch(),
            *ANNOUNCED,
            "a1 child a2 'Job T2' general cancellable running",
            "a1 sent T2 a1>a2",
            "a2 got T2 a1>a2",
            'a2^T2 "Deep."',
        ),
    ),
    "13_air_nested_under_its_real_parent": (
        AIR,
        turn(
            started("a1", "T1"),
            (launch("T2", parent="T1"), started("a2", "T2", parent="a1"), text("Deep.", "T2")),
            launch(),
            *SPAWNED,
            "a1 spawned a2 'Job T2' 'Do T2'",
            'a2^T2 "Deep."',
        ),
    ),
    "14_rfd_ended_before_its_launch_is_never_told": (
        RFD,
        turn(
            started(),
            text("Lost.", "T1"),
            ended(),
            launch(),
            text("Late.", "T1"),
            returned("T1"),
            "S whole T1 returned",
        ),
    ),
    "14_rfd_in_the_background_not_even_by_its_result": (
        RFD,
        turn(started(background=True), ended(), launch(background=True), returned("T1")),
    ),
    "15_air_ended_before_its_launch_is_told_on_the_root": (
        AIR,
        turn(
            (started(description="early"), text("Kept.", "T1")),
            ended(),
            "S spawned a1 'early'",
            'a1^T1 "Kept."',
            "S ended a1 completed",
            launch(),
            returned("T1"),
        ),
    ),
    "16_air_failed_launch_without_child": (
        AIR,
        turn(launch(), returned("T1", failed=True), "S whole T1 failed"),
    ),
    "16_rfd_failed_launch_without_child": (
        RFD,
        turn(launch(), returned("T1", failed=True), "S whole T1 failed"),
    ),
    "16_rfd_failed_launch_in_the_background": (
        RFD,
        turn(launch(background=True), returned("T1", failed=True), "S whole T1 failed"),
    ),
    "16_air_failed_launch_of_a_child": (
        AIR,
        turn(
            (launch(), started()),
            *SPAWNED,
            (launch("T2", parent="T1"), returned("T2", "T1", failed=True)),
            "a1^T1 whole T2 failed",
        ),
    ),
    "17_rfd_one_end": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            patched("a1", "completed"),
            "S child a1 idle/end_turn",
            ended(),
        ),
    ),
    "17_air_one_end": (
        AIR,
        turn(
            (launch(), started()),
            *SPAWNED,
            patched("a1", "completed"),
            "S ended a1 completed",
            ended(),
        ),
    ),
    "18_rfd_failure_and_then_its_words": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            ended(status="failed"),
            "S child a1 idle/error",
            patched("a1", "failed", error="overloaded"),
            "S child a1 idle/error/overloaded",
            patched("a1", "failed", error="again"),
        ),
    ),
    "18_rfd_failure_whose_words_come_with_the_notification": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            patched("a1", "failed"),
            "S child a1 idle/error",
            ended(status="failed", summary="overloaded"),
            "S child a1 idle/error/overloaded",
        ),
    ),
    "21_air_nothing_after_the_end": (
        AIR,
        turn((launch(), started()), *SPAWNED, ended(), "S ended a1 completed", text("Late.", "T1")),
    ),
    "22_rfd_text_after_idle": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            ended(),
            "S child a1 idle/end_turn",
            text("Late.", "T1"),
            'a1^T1 "Late."',
        ),
    ),
    "22_rfd_text_of_a_stopped_child_is_of_no_use": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            ended(status="stopped"),
            "S child a1 idle/cancelled",
            text("Late.", "T1"),
            call("R1", "Read", "T1"),
        ),
    ),
    "23_rfd_directory_known_before_the_announcement": (
        RFD,
        turn(
            hooked("a1", "/tree"),
            launch(),
            started(),
            *ANNOUNCED,
            "S child a1 in /tree",
            hooked("a1", "/tree"),
            hooked("a1", "/project"),
            "S child a1 back",
            hooked("a1", "/project"),
        ),
    ),
    "23_rfd_nested_child_is_compared_with_its_parent": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            hooked("a1", "/tree"),
            "S child a1 in /tree",
            (launch("T2", parent="T1"), started("a2", "T2", parent="a1")),
            "a1 child a2 'Job T2' general cancellable running",
            "a1 sent T2 a1>a2",
            "a2 got T2 a1>a2",
            hooked("a2", "/tree"),
            hooked("a2", "/project"),
            "a1 child a2 in /project",
        ),
    ),
    "24_rfd_fork_does_not_answer_its_own_launch": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            returned("T1", parent="T1"),
            ended(),
            "S child a1 idle/end_turn",
            returned("T1"),
            "S reply T1:reply a1>S",
        ),
    ),
    "25_rfd_hand_back": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            call("H1", "SubagentHandback", "T1", message="All done."),
            returned("H1", "T1"),
            "a1 sent H1 a1>S",
            "S got H1 a1>S",
            ended(),
            "S child a1 idle/end_turn",
            returned("T1"),
        ),
    ),
    "25_rfd_failed_hand_back": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            call("H1", "SubagentHandback", "T1", message="All done."),
            returned("H1", "T1", failed=True),
            "a1^T1 whole H1 failed",
            ended(),
            "S child a1 idle/end_turn",
            returned("T1"),
            "S reply T1:reply a1>S",
        ),
    ),
    "26_rfd_worker_restart_has_no_reason": (
        RFD,
        turn(
            (launch(), started()),
            *ANNOUNCED,
            ended(status="stopped", reason="worker_restart"),
            "S child a1 idle",
            started(),
            "S child a1 running",
            text("Again.", "T1"),
            'a1^T1 "Again."',
            ended(),
            "S child a1 idle/end_turn",
        ),
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str) -> None:
    perform(*SCENARIOS[name])


@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_scenario_19_end_of_an_earlier_run(policy: Policy) -> None:
    play = Play(policy)
    play.feed(*begun(), launch(), started(run="r1"), ended(run="r1"))
    play.feed(started(run="r2"))
    assert play.feed(ended(run="r1"), patched("a1", "failed", run="r1")) == []
    assert play.state.tasks.get("a1") is not None
    assert len(play.feed(ended(run="r2"))) == 1


@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_scenario_20_what_waits_is_bounded_and_said_once(policy: Policy) -> None:
    play = Play(policy)
    play.feed(*begun(), launch())
    early = play.feed(*(text(f"{n}", "T1") for n in range(35)))
    assert early == ["log"]
    told = [told for told in play.feed(started()) if '"' in told]
    assert told == [f'a1^T1 "{n}"' for n in range(32)]


def test_scenario_20_only_the_newest_model_is_told() -> None:
    play = Play(RFD, whole=True)
    models = [e.MessageBegan("T1", f"m{n}", f"model-{n}") for n in range(3)]
    play.feed(*begun(), started(), *models)
    told = [told for told in play.feed(launch()) if "options" in told]
    assert told == ["a1 options model=model-2 agent=general"]


def test_options_come_before_what_waited() -> None:
    play = Play(RFD, whole=True)
    play.feed(*begun(), started(), text("Early.", "T1"))
    lines = play.feed(launch())
    assert lines[-2:] == ["a1 options agent=general", 'a1^T1 "Early."']


@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_what_is_no_subagent_leaves_room_for_those_that_are(policy: Policy) -> None:
    """Frames of a workflow's own agents are nobody's; they must not fill the waiting room."""
    play = Play(policy)
    play.feed(*begun())
    for n in range(100):
        play.feed(e.TaskStarted(f"w{n}", None, f"W{n}", task_type="local_workflow"))
        assert play.feed(*(text("inner", f"W{n}") for _ in range(9))) == []
    play.feed(launch(), text("Early.", "T1"))
    assert 'a1^T1 "Early."' in play.feed(started())


@pytest.mark.parametrize("policy", [AIR, RFD], ids=["air", "rfd"])
def test_an_end_that_nobody_reported_is_told_two_turns_later(policy: Policy) -> None:
    play = Play(policy)
    play.feed(*begun(), *child_at_work(), e.BackgroundLevel(()), result("p1"), idle())
    assert play.feed(*begun("p2"))[1:] == []
    play.feed(result("p2"), idle())
    end = "S ended a1 disconnected" if policy is AIR else "S child a1 idle"
    assert end in play.feed(*begun("p3"))
    assert play.state.tasks.live() == []


def test_a_child_of_an_ended_session_is_announced_on_the_root() -> None:
    """An AIR session takes nothing after its end."""
    play = Play(AIR)
    play.feed(*begun(), *child_at_work(), started("a2", "T2", background=True), ended())
    assert play.feed(launch("T2", parent="T1")) == ["S spawned a2 'Job T2' 'Do T2'"]
