"""The smaller parts of the core, each by a table: outcomes, idles, windows, calls, maps."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.bounded import Recent, make_room
from canopy_agent.domain.cancellation import CancelWindow
from canopy_agent.domain.child_options import ChildOptions
from canopy_agent.domain.effects import Failed, Stopped
from canopy_agent.domain.generations import end_state
from canopy_agent.domain.lineage import Launch, Lineage, Waiting, text_field
from canopy_agent.domain.outcomes import (
    is_interrupted_handoff,
    is_plan_interruption,
    outcome_of,
    told_text,
)
from canopy_agent.domain.rfd_children import idle_state
from canopy_agent.domain.tasks import TaskRegistry
from canopy_agent.domain.toolcalls import ToolLedger
from canopy_agent.domain.turns import Turns
from canopy_agent.domain.usage import TurnTally
from domain.notation import RFD, Play, begun, launch, started

# --- outcomes -----------------------------------------------------------------------------------

OUTCOMES: dict[str, tuple[dict[str, Any], str | None, str]] = {
    "success": ({}, None, "end_turn"),
    "refusal, whatever else": ({"stop_reason": "refusal", "is_error": True}, None, "refusal"),
    "login": ({"is_error": True, "text": "Please Run /login now"}, None, "auth"),
    "login is not a word in passing": (
        {"is_error": True, "text": "rerun /logins"},
        None,
        "unknown",
    ),
    "login said by a success": ({"text": "run /login"}, None, "end_turn"),
    "authentication": ({"is_error": True}, "authentication_failed", "auth"),
    "token limit": ({"stop_reason": "max_tokens"}, None, "max_tokens"),
    "error": ({"is_error": True, "text": "bad"}, "overloaded", "overloaded"),
    "error of no kind": ({"is_error": True}, None, "unknown"),
    "turn limit": ({"subtype": "error_max_turns"}, None, "max_turn_requests"),
    "budget": ({"subtype": "error_max_budget_usd"}, None, "max_turn_requests"),
    "turn limit as an error": ({"subtype": "error_max_turns", "is_error": True}, None, "unknown"),
    "error that is none": ({"subtype": "error_during_execution"}, None, "end_turn"),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_outcomes(case: str) -> None:
    fields, kind, expected = OUTCOMES[case]
    outcome = outcome_of(e.ResultCame(**{"subtype": "success", **fields}), TurnTally(), kind)
    match outcome:
        case Stopped(reason):
            assert reason == expected
        case Failed(message, "auth"):
            assert expected == "auth"
            assert message
        case Failed(message, _, more):
            assert (more or {})["errorKind"] == expected
            assert message


WORDS = {
    ("text", ()): "text",
    ("", ("one", "two")): "one; two",
    ("", ()): "error_during_execution",
}


@pytest.mark.parametrize(("given", "words"), WORDS.items())
def test_words_of_an_error(given: tuple[str, tuple[str, ...]], words: str) -> None:
    text, errors = given
    result = e.ResultCame("error_during_execution", True, text, errors)
    outcome = outcome_of(result, TurnTally(), None)
    assert isinstance(outcome, Failed)
    assert outcome.message == words


@pytest.mark.parametrize(
    ("note", "handoff", "plan"),
    [
        ("result_type=user last_content_type=n/a stop_reason=null", True, False),
        ("result_type=user last_content_type=n/a stop_reason=tool_use", False, True),
        ("result_type=assistant stop_reason=tool_use", False, False),
    ],
)
def test_notes_of_the_cli(note: str, handoff: bool, plan: bool) -> None:
    result = e.ResultCame("error_during_execution", True, errors=(f"[ede_diagnostic] {note}",))
    assert is_interrupted_handoff(result) is handoff
    assert is_plan_interruption(result) is plan
    quoted = e.ResultCame("success", True, f"It said [ede_diagnostic] {note}")
    assert not is_interrupted_handoff(quoted)
    assert not is_plan_interruption(quoted)
    assert told_text(result).startswith("Claude Code broke the turn off; send the prompt again")
    assert told_text(quoted) == quoted.text


# --- idles ----------------------------------------------------------------------------------------


def turns() -> Turns:
    return Turns(TaskRegistry(), ends_turns=False)


def test_an_idle_is_owed_by_a_result() -> None:
    some = turns()
    some.activate(some.submitted("p1", 1))
    some.debt = 1
    assert some.idle() == []
    assert some.debt == 0
    (settled,) = [x for x in some.idle() if hasattr(x, "outcome")]
    assert settled.outcome.data == {"errorKind": "no_result"}


def test_working_again_forgives_what_is_owed_but_only_once() -> None:
    some = turns()
    some.debt = 2
    some.running()
    assert some.debt == 0
    some.debt = 1
    some.running()
    assert some.debt == 1
    some.begun(some.submitted("p1", 1))
    assert some.debt == 0


def test_a_cycle_of_nobody_ends_at_an_idle_that_nothing_owes() -> None:
    some = turns()
    some.autonomous, some.debt = True, 1
    some.idle()
    assert some.autonomous
    some.idle()
    assert not some.autonomous


@pytest.mark.parametrize(
    ("autonomous", "active", "queued", "owner"),
    [
        (False, True, True, "p1"),
        (False, False, True, "p2"),
        (True, False, True, None),
        (False, False, False, None),
    ],
)
def test_who_owns_a_question(
    autonomous: bool, active: bool, queued: bool, owner: str | None
) -> None:
    some = turns()
    if active:
        some.activate(some.submitted("p1", 1))
    if queued:
        some.submitted("p2", 2)
    some.autonomous = autonomous
    turn = some.owner_of_request()
    assert (turn.prompt if turn else None) == owner


def test_a_merged_prompt_whose_carrier_was_answered_is_nobodys() -> None:
    some = turns()
    first, second = some.submitted("p1", 1), some.submitted("p2", 2)
    some.activate(first)
    some.activate(second)
    some.settle(second, Stopped("end_turn"))
    assert some.carrier("p1") is None
    assert some.carrier("unheard") is None


# --- the window after a cancel --------------------------------------------------------------------


def test_the_window_drops_output_once_the_end_was_told() -> None:
    window = CancelWindow()
    window.work_ended()
    assert not window.drops_output
    window.begin(working=True)
    assert not window.drops_output
    window.work_ended()
    assert window.drops_output
    window.end()
    assert not window.drops_output
    window.begin(working=False)
    assert window.drops_output


@pytest.mark.parametrize(
    ("named", "unsettled", "orphan", "ends"),
    [
        ((), False, False, True),
        (("new",), False, False, True),
        (("cancelled",), False, False, False),
        (("new",), True, False, False),
        (("new",), False, True, False),
    ],
)
def test_what_ends_the_window(
    named: tuple[str, ...], unsettled: bool, orphan: bool, ends: bool
) -> None:
    window = CancelWindow()
    assert not window.ends_with(named, unsettled=False)
    window.begin(working=False)
    window.cancelled("cancelled")
    if orphan:
        window.abandoned("orphan")
    assert window.ends_with(named, unsettled=unsettled) is ends


def test_a_receipt_forgets_what_had_not_begun() -> None:
    window = CancelWindow()
    for prompt in ("queued", "dropped", "begun"):
        window.abandoned(prompt)
    window.begun("begun")
    window.receipt(("queued",))
    window.gone("queued")
    assert window.expects_orphans
    window.gone("begun")
    assert not window.expects_orphans


# --- calls ----------------------------------------------------------------------------------------


def test_a_call_learns_its_parent_once() -> None:
    ledger = ToolLedger()
    call = ledger.opened("B1", "Bash", None)
    assert ledger.main_calls() == [call]
    ledger.opened("B1", "Bash", "T1")
    ledger.opened("B1", "Bash", "T2")
    assert call.parent == "T1"
    assert ledger.main_calls() == []
    # a later frame that lost its parent is known by its id, also after the end
    ledger.closed("B1")
    assert ledger.parent_of("B1", None) == "T1"
    assert ledger.parent_of("B1", "named") == "named"


def test_a_call_that_a_request_put_somewhere_stays() -> None:
    ledger = ToolLedger()
    call = ledger.opened("B1", "Bash", None, "a1")
    call.pinned = "S"
    assert ledger.opened("B1", "Bash", "T1").parent is None
    assert ledger.main_calls() == []


def test_beats_land_on_the_call_or_on_what_it_is_about() -> None:
    play = Play(RFD, whole=True)
    play.feed(*begun(), e.ToolUsed(None, "B1", "Bash", {}))
    assert play.feed(e.ToolBeat("B1", None, 3)) == ["S ToolBeat"]
    assert play.feed(e.ToolBeat("B1-heartbeat-1", "B1", 3)) == ["S ToolBeat"]
    assert play.feed(e.ToolBeat("x", "y", 3), e.ToolBeat("x", None)) == []
    play.feed(launch())
    assert play.feed(e.ToolBeat("T1", None, 3)) == []


# --- children -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("completed", "completed"),
        ("failed", "failed"),
        ("killed", "cancelled"),
        ("stopped", "cancelled"),
        ("cancelled", "cancelled"),
        ("", "disconnected"),
    ],
)
def test_air_states(status: str, state: str) -> None:
    assert end_state(status) == state


@pytest.mark.parametrize(
    ("status", "error", "reason", "state"),
    [
        ("completed", None, None, {"state": "idle", "stopReason": "end_turn"}),
        ("killed", None, None, {"state": "idle", "stopReason": "cancelled"}),
        ("failed", None, None, {"state": "idle", "stopReason": "error"}),
        (
            "failed",
            "words",
            None,
            {
                "state": "idle",
                "stopReason": "error",
                "error": {"code": -32603, "message": "words"},
            },
        ),
        ("stopped", None, "worker_restart", {"state": "idle"}),
        ("", None, None, {"state": "idle"}),
    ],
)
def test_rfd_states(
    status: str, error: str | None, reason: str | None, state: dict[str, Any]
) -> None:
    assert idle_state(status, error, reason) == state


def test_options_are_said_once_and_when_they_change() -> None:
    options, play = ChildOptions(), Play(RFD)
    children = play.state.children
    options.learned("a1", "model", "opus")
    assert options.tell("a1", children) == []
    play.feed(*begun(), launch(), started())
    (first,) = options.tell("a1", children)
    assert first.fact.values == {"model": "opus"}  # type: ignore[union-attr]
    assert options.tell("a1", children) == []
    options.learned("a1", "model", "opus")
    options.learned("a1", "model", "<synthetic>")
    options.learned("a1", "mode", None)
    assert options.tell("a1", children) == []
    hook = {"permission_mode": "plan", "effort": {"level": "high"}, "agent_type": ""}
    options.hook("a1", "PreToolUse", hook)
    options.hook("a1", "PostModelSwitch", {"to_model": "haiku", "effort": "odd"})
    (second,) = options.tell("a1", children)
    assert list(second.fact.values.items()) == [  # type: ignore[union-attr]
        ("mode", "plan"),
        ("model", "haiku"),
        ("effort", "high"),
    ]


def test_lineage_knows_who_was_meant() -> None:
    lineage = Lineage()
    lineage.launched(Launch("T1", "Agent", {"run_in_background": True}, None))
    lineage.sent("M1", {"to": "a1", "message": "first"}, None)
    lineage.sent("M2", {"recipient": "Builder", "message": 3}, "T1")
    assert lineage.launch("T1") is not None
    assert lineage.launch(None) is None
    newest = lineage.newest_message("a1", "Builder")
    assert (newest and newest.id, newest and newest.text) == ("M2", "")
    assert lineage.newest_message("stranger", None) is None
    lineage.clear()
    assert lineage.message("M1") is None


@pytest.mark.parametrize(
    ("source", "names", "text"),
    [
        ({"a": " x "}, ("a",), "x"),
        ({"a": " ", "b": "y"}, ("a", "b"), "y"),
        ({"a": 3}, ("a",), None),
        ({}, ("a",), None),
    ],
)
def test_first_text_that_is_not_blank(
    source: dict[str, Any], names: tuple[str, ...], text: str | None
) -> None:
    assert text_field(source, *names) == text


def test_the_waiting_room_has_walls() -> None:
    room, fact = Waiting(), object()
    for launch_ in range(70):
        for _ in range(5):
            room.hold(f"T{launch_}", fact)  # type: ignore[arg-type]
    held = [len(room.release(f"T{launch_}")) for launch_ in range(70)]
    assert sum(held) == 256
    assert held[0] == 5
    room.refuse("T1")
    assert room.hold("T1", fact) == []  # type: ignore[arg-type]
    assert room.release("T1") == []


# --- maps that forget -----------------------------------------------------------------------------


def test_recent_keeps_what_was_written_or_used_last() -> None:
    recent: Recent[str, int] = Recent(2)
    recent["a"], recent["b"] = 1, 2
    assert recent.use("a") == 1
    recent["c"] = 3
    assert list(recent) == ["a", "c"]
    assert list(recent.newest()) == [3, 1]
    assert recent.get("b") is None
    assert recent.get(None) is None
    assert recent.use("b") is None
    assert recent.pop("a") == 1
    assert recent.pop("a") is None
    recent.clear()
    assert len(recent) == 0


@pytest.mark.parametrize(
    ("items", "limit", "left"),
    [
        ({"a": 1, "b": 2}, 3, ["a", "b"]),
        ({"a": 1, "b": 2}, 2, ["b"]),
        ({"a": 0, "b": 2, "c": 0}, 3, ["a", "c"]),
        ({"a": 0, "b": 0}, 1, ["a", "b"]),
        ({"a": 1, "b": 2, "c": 3}, 1, []),
    ],
)
def test_room_is_made_of_the_oldest_that_may_go(
    items: dict[str, int], limit: int, left: list[str]
) -> None:
    make_room(items, limit, lambda value: value > 0)
    assert list(items) == left
