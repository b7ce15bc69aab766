"""Goals for an AIR client: what a command shows at once, and what Claude Code says of them later.

Numbers in names are those of the scenarios.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from air.playing import PLAIN, Play, declares, echo, lifecycle, result, state, traces_of_air
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.history.goal import goal_of
from canopy_shared.ext.goal import Goal

if TYPE_CHECKING:
    from pathlib import Path

AIR = declares()


def goals(play: Play) -> list[Any]:
    """The goals that the client was told of."""
    metas = [u.get("_meta", {}) for u in play.updates("session_info_update")]
    payloads = [meta.get("jetbrains", {}).get("air", {}) for meta in metas]
    return [payload["goal"] for payload in payloads if "goal" in payload]


def active(objective: str, **more: Any) -> dict[str, Any]:
    fixed = {"objective": objective, "status": "active", "controlMethod": "_session/goal"}
    return {**fixed, **more}


def active_goal(**value: Any) -> dict[str, Any]:
    return {"type": "active_goal", "value": value or None}


def feedback(text: str) -> dict[str, Any]:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return {"type": "user", "isSynthetic": True, "parent_tool_use_id": None, "message": message}


def test_scenario_84_golden_goal() -> None:
    play = Play(AIR).prompt("p1", "/goal all tests pass")
    assert goals(play) == [active("all tests pass")]
    play.frames(result("p1"), lifecycle("p1", "completed"))
    play.frames(
        active_goal(condition="all tests pass", iterations=2, set_at=17, last_reason="two fail")
    )
    assert goals(play)[-1] == active(
        "all tests pass", iterations=2, lastReason="two fail", createdAt=17
    )
    play.frames(active_goal())
    assert goals(play)[-1] is None
    assert len(goals(play)) == 3


@pytest.mark.parametrize("protocol", [1, 2])
def test_scenario_84_a_plain_client_hears_nothing(protocol: int) -> None:
    play = Play(PLAIN, protocol).prompt("p1", "/goal x")
    play.frames(feedback("Stop hook feedback:\n[x]: no"), active_goal(condition="x"), result("p1"))
    assert traces_of_air(play.updates()) == []
    assert play.of(fx.ReadGoal) == []


def test_version_2_has_no_goals() -> None:
    assert goals(Play(AIR, 2).prompt("p1", "/goal x")) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/goal clear", [None]),
        ("/goal STOP", [None]),
        ("  /goal  do\nit ", [active("do\nit")]),
        ("/goal", []),
        ("/goals x", []),
        ("please /goal x", []),
    ],
)
def test_commands(text: str, shown: list[Any]) -> None:
    assert goals(Play(AIR).prompt("p1", text)) == shown


def test_a_check_that_is_not_met_shows_as_it_happens() -> None:
    play = Play(AIR).prompt("p1", "/goal a [b]: c")
    play.frames(feedback("Stop hook feedback:\n[a [b]: c]: one is missing"))
    play.frames(feedback("Stop hook feedback:\n[another hook]: ignored"))
    play.frames(feedback("Stop hook feedback:\n[a [b]: c]: still missing"))
    assert goals(play)[1:] == [
        active("a [b]: c", iterations=1, lastReason="one is missing"),
        active("a [b]: c", iterations=2, lastReason="still missing"),
    ]


def test_a_report_that_is_older_than_a_command_is_not_shown() -> None:
    play = Play(AIR).prompt("p1", "/goal old").frames(result("p1"))
    play.prompt("p2", "/goal new")
    play.frames(active_goal(condition="old", iterations=1, set_at=1))
    assert goals(play) == [active("old"), active("new")]
    play.frames(active_goal(condition="new", iterations=1, set_at=2))
    assert goals(play)[-1]["iterations"] == 1


def test_a_command_that_failed_brings_the_goal_before_it_back() -> None:
    play = Play(AIR).prompt("p1", "/goal first").frames(result("p1"))
    play.handle(e.PromptSubmitted("p2", (), 9, "/goal second"))
    play.frames(lifecycle("p2", "refused"))
    assert [one["objective"] for one in goals(play)] == ["first", "second", "first"]


def test_a_queued_command_that_is_cancelled_brings_the_goal_before_it_back() -> None:
    play = Play(AIR).prompt("p1", "go on")
    play.handle(e.PromptSubmitted("p2", (), 2, "/goal x"), e.CancelRequested(9))
    assert goals(play) == [active("x"), None]


def test_a_steered_command_shows_only_when_it_is_sent() -> None:
    play = Play(AIR)
    play.handle(e.SteerSubmitted("k", "s1", (), 1, "/goal x", only_running=True))
    assert goals(play) == []
    play.prompt("p1").handle(e.SteerSubmitted("k", "s2", (), 2, "/goal x"))
    assert goals(play) == [active("x")]
    play.frames(lifecycle("s2", "started"), echo("s2"), result("s2"), lifecycle("s2", "completed"))
    play.handle(e.GoalReported(None))
    assert goals(play)[-1] is None


def test_the_transcript_is_asked_after_each_cycle_while_there_is_a_goal() -> None:
    play = Play(AIR).prompt("p1", "hello").frames(result("p1"))
    assert play.of(fx.ReadGoal) == []
    play.prompt("p2", "/goal x").frames(result("p2"))
    assert len(play.of(fx.ReadGoal)) == 1
    play.handle(e.GoalReported(None))  # it was reached
    assert goals(play) == [active("x"), None]
    play.prompt("p3", "more").frames(result("p3"))
    assert len(play.of(fx.ReadGoal)) == 1


def test_a_cleared_conversation_has_no_goal() -> None:
    play = Play(AIR).prompt("p1", "/goal x").frames(result("p1"))
    play.frames({"type": "conversation_reset"}, state("idle"))
    assert goals(play) == [active("x"), None]


# --- what a transcript says -----------------------------------------------------------------------


def status(**fields: Any) -> dict[str, Any]:
    return {
        "type": "attachment",
        "timestamp": "2026-12-02T11:06:43.675Z",
        "attachment": {"type": "goal_status", "met": False, **fields},
    }


SET = status(sentinel=True, condition="tests")
SINCE = 1796209603675


@pytest.mark.parametrize(
    ("records", "goal"),
    [
        ([], None),
        ([SET], Goal("tests", 0, None, SINCE)),
        (
            [SET, status(condition="tests", reason="a"), status(condition="tests", reason="b")],
            Goal("tests", 2, "b", SINCE),
        ),
        ([SET, status(condition="tests", met=True)], None),
        ([SET, status(condition="tests", failed=True)], None),
        ([SET, status(sentinel=True, met=True, condition="tests")], None),
        ([status(met=True, condition="old"), SET], Goal("tests", 0, None, SINCE)),
    ],
)
def test_the_goal_that_a_transcript_ends_with(
    records: list[Any], goal: Goal | None, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    talk = {"type": "user", "message": {"content": "about goal_status"}}
    path.write_text("".join(json.dumps(one) + "\n" for one in [*records, talk]))
    assert goal_of(path) == goal


def test_no_transcript_no_goal(tmp_path: Path) -> None:
    assert goal_of(None) is None
    assert goal_of(tmp_path / "absent.jsonl") is None
