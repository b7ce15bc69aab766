"""Failure records for an AIR client, and the errors that everybody else gets.

Frames in, updates and answers out; numbers in names are those of the scenarios.
"""

from __future__ import annotations

from typing import Any

import pytest

from air.playing import (
    EPOCH,
    PLAIN,
    Play,
    declares,
    lifecycle,
    notification,
    own_result,
    result,
    said,
    state,
    task_started,
    tool,
    tool_result,
    traces_of_air,
)
from canopy_agent.domain import effects as fx
from canopy_agent.domain import events as e
from canopy_agent.domain.facts import Noted
from canopy_agent.domain.failures import history_record
from canopy_agent.domain.usage_limits import PREFIXES, is_usage_limit
from canopy_shared.ext import air, failure

FAILURES = declares(air.SESSION_FAILURE)
BROKEN = {"is_error": True, "terminal_reason": "api_error"}
LIMIT = "You've hit your limit · resets 3pm"


def records(play: Play) -> list[dict[str, Any]]:
    """The records that came as updates."""
    metas = [u.get("_meta", {}) for u in play.updates("session_info_update")]
    payloads = [meta.get("jetbrains", {}).get("air", {}) for meta in metas]
    return [one["sessionFailure"] for one in payloads if "sessionFailure" in one]


def record_of(answer: dict[str, Any]) -> dict[str, Any]:
    payload: dict[str, Any] = answer["_meta"]["jetbrains"]["air"]["sessionFailure"]
    return payload


def failing(play: Play, kind: str | None, text: str = "API Error: no", **more: Any) -> Play:
    play.prompt().frames(said(text, error=kind, model="<synthetic>"))
    return play.frames(result("p1", **{**BROKEN, "result": text, **more}))


def retry(
    attempt: int = 1, status: int | None = 529, error: str = "overloaded", **more: Any
) -> Any:
    frame = {"type": "system", "subtype": "api_retry", "attempt": attempt, "max_retries": 10}
    return {**frame, "retry_delay_ms": 5, "error_status": status, "error": error, **more}


def test_scenario_41_a_plain_client_gets_an_error_and_its_text() -> None:
    play = failing(Play(PLAIN), "rate_limit")
    answer = play.answers["p1"]
    assert (answer["kind"], answer["data"]) == ("internal", {"errorKind": "rate_limit"})
    assert [u["content"]["text"] for u in play.updates("agent_message_chunk")] == ["API Error: no"]
    assert traces_of_air([*play.updates(), answer]) == []


def test_scenario_41_golden_record_of_a_turn() -> None:
    play = failing(Play(FAILURES), "rate_limit")
    answer = play.answers["p1"]
    assert answer["stopReason"] == "end_turn"
    assert record_of(answer) == {
        "id": "p1:error",
        "revision": 1,
        "category": "limit",
        "severity": "error",
        "title": "API Error: no",
        "actions": ["retry"],
    }
    assert answer["usage"]["inputTokens"] == 3
    assert "quota" in answer["_meta"]
    assert play.updates("agent_message_chunk") == []
    assert records(play) == []


def test_an_air_client_without_the_capability_gets_an_error() -> None:
    play = failing(Play(declares()), "rate_limit")
    assert play.answers["p1"]["data"] == {"errorKind": "rate_limit"}
    assert len(play.updates("agent_message_chunk")) == 1


@pytest.mark.parametrize(
    ("kind", "category", "actions"),
    [
        ("verification_required", "service", ["retry"]),
        ("cloud_credential_error", "service", ["retry"]),
        ("billing_error", "limit", []),
        ("account_on_hold", "limit", []),
        ("rate_limit", "limit", ["retry"]),
        ("max_output_tokens", "limit", ["new_session"]),
        ("invalid_request", "request", []),
        ("model_not_found", "request", []),
        ("overloaded", "service", ["retry"]),
        ("server_error", "service", ["retry"]),
        ("unknown", "service", ["retry"]),
        ("something_new", "service", ["retry"]),
    ],
)
def test_categories_of_errors(kind: str, category: str, actions: list[str]) -> None:
    record = record_of(failing(Play(FAILURES), kind).answers["p1"])
    assert (record["category"], record["actions"]) == (category, actions)


@pytest.mark.parametrize(
    ("subtype", "category", "actions"),
    [
        ("error_max_turns", "limit", ["new_session"]),
        ("error_max_budget_usd", "limit", ["new_session"]),
        ("error_max_structured_output_retries", "service", ["retry"]),
        ("error_during_execution", "service", ["retry"]),
    ],
)
def test_categories_of_results(subtype: str, category: str, actions: list[str]) -> None:
    play = Play(FAILURES).prompt()
    play.frames(result("p1", subtype=subtype, is_error=True, errors=["too much"]))
    record = record_of(play.answers["p1"])
    assert (record["category"], record["actions"], record["title"]) == (
        category,
        actions,
        "too much",
    )


def test_scenario_42_a_missing_login_is_an_error_for_everybody() -> None:
    for capabilities in (PLAIN, FAILURES):
        text = "Not logged in · Please run /login"
        play = Play(capabilities).prompt()
        play.frames(said(text, error="authentication_failed", model="<synthetic>"))
        play.frames(result("p1", is_error=True, result=text))
        assert play.answers["p1"]["kind"] == "auth"
        assert play.updates("agent_message_chunk") == []
        assert records(play) == []


@pytest.mark.parametrize("more", [BROKEN, {}], ids=["error", "success"])
def test_scenario_43_b43_a_usage_limit(more: dict[str, Any]) -> None:
    play = Play(FAILURES).prompt().frames(said(LIMIT, model="<synthetic>", error="rate_limit"))
    play.frames(result("p1", result=LIMIT, usage={}, **more))
    record = record_of(play.answers["p1"])
    assert (record["category"], record["actions"], record["title"]) == ("limit", [], LIMIT)
    assert play.updates("agent_message_chunk") == []

    plain = Play(PLAIN).prompt().frames(said(LIMIT, model="<synthetic>"))
    plain.frames(result("p1", result=LIMIT, usage={}, **more))
    assert [u["content"]["text"] for u in plain.updates("agent_message_chunk")] == [LIMIT]


def test_what_a_usage_limit_is() -> None:
    assert len(PREFIXES) == 12
    assert all(is_usage_limit("<synthetic>", f"{prefix} …") for prefix in PREFIXES)
    assert is_usage_limit("<synthetic>", "Opus 5.5 requires usage credits")
    assert not is_usage_limit("claude-x", LIMIT)
    assert not is_usage_limit("<synthetic>", "The limit is yours")


def test_a_model_that_only_quotes_a_limit_is_heard() -> None:
    play = Play(FAILURES).prompt().frames(said(LIMIT), result("p1"))
    assert len(play.updates("agent_message_chunk")) == 1
    assert "jetbrains" not in play.answers["p1"]["_meta"]


@pytest.mark.parametrize("echoed", [True, False], ids=["echoed", "only begun"])
def test_scenario_45_a_retry_and_the_error_after_it_are_one_record(echoed: bool) -> None:
    play = Play(FAILURES)
    if echoed:
        play.prompt()
    else:
        play.handle(e.PromptSubmitted("p1", (), 1))
        play.frames(state("running"), lifecycle("p1", "started"))
    play.frames(retry(1), retry(2))
    first, second = records(play)
    assert first == {
        "id": "p1:error",
        "revision": 1,
        "category": "service",
        "severity": "warning",
        "title": "Claude is overloaded. Trying again, attempt 1 of 10.",
        "actions": [],
    }
    assert (second["id"], second["revision"]) == ("p1:error", 2)
    play.frames(said("API Error: 529", error="overloaded", model="<synthetic>"))
    play.frames(result("p1", is_error=True, result="API Error: 529"))
    record = record_of(play.answers["p1"])
    assert (record["id"], record["revision"], record["severity"]) == ("p1:error", 3, "error")


def test_scenario_45_a_retry_without_a_prompt_is_of_the_session() -> None:
    play = Play(FAILURES).frames(state("running"), retry(1), retry(2))
    ids = {one["id"] for one in records(play)}
    assert ids == {f"S:session-error:{EPOCH}:1"}
    play.frames(own_result(), retry(1))
    assert records(play)[-1]["id"] == f"S:session-error:{EPOCH}:2"


def test_scenario_45_a_sign_in_that_is_retried_is_not_told() -> None:
    play = Play(FAILURES).prompt().frames(retry(1, 401, "authentication_failed"))
    assert records(play) == []


def test_a_retry_without_a_response_is_about_the_connection() -> None:
    play = Play(FAILURES).prompt()
    play.frames(retry(1, None, "unknown", no_response={"waited_ms": 5, "retry_wait_ms": 30_000}))
    (record,) = records(play)
    assert record["category"] == "connection"
    assert record["title"].endswith("attempt 1 of 10, for up to 30 s.")


def test_a_plain_client_hears_nothing_of_retries() -> None:
    assert traces_of_air(Play(PLAIN).prompt().frames(retry()).updates()) == []


def test_a_failure_outside_of_turns_is_of_the_session() -> None:
    play = Play(FAILURES).frames(state("running"))
    play.frames(said("API Error: 500", error="server_error", model="<synthetic>"))
    play.frames(own_result(is_error=True, result="API Error: 500"))
    (record,) = records(play)
    assert (record["id"], record["title"]) == (f"S:session-error:{EPOCH}:1", "API Error: 500")
    assert play.updates("agent_message_chunk") == []


BROKEN_OFF = {
    "is_error": True,
    "subtype": "error_during_execution",
    "errors": ["[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=null"],
}


def own_work(*capabilities: str) -> tuple[Play, str]:
    """Claude Code works by itself; the id of the task that stands for it."""
    play = Play(declares(air.SESSION_FAILURE, *capabilities)).frames(state("running"))
    play.frames(said("It is"))
    tasks = play.updates("async_task_spawned")
    return play, tasks[0]["asyncTaskId"] if tasks else ""


@pytest.mark.parametrize("reason", [None, "aborted_streaming", "aborted_tools"])
@pytest.mark.parametrize("order", ["order first", "result first"])
def test_own_work_that_the_person_stops_did_not_fail(order: str, reason: str | None) -> None:
    play, id_ = own_work(air.ASYNC_TASKS)
    play.handle(e.TaskStopAsked("k", id_))
    end = (
        own_result(**BROKEN_OFF)
        if reason is None
        else own_result(is_error=True, terminal_reason=reason, result="stopped")
    )
    if order == "order first":
        play.handle(e.TaskStopDone("k", id_)).frames(end, state("idle"))
    else:
        play.frames(end, state("idle")).handle(e.TaskStopDone("k", id_))
    assert records(play) == []
    assert [u["state"] for u in play.updates("async_task_state_update")] == ["stopped"]
    assert play.replies() == {"k": {"stopped": True}}


def test_own_work_that_a_cancel_stops_did_not_fail() -> None:
    play, _ = own_work()
    play.handle(e.CancelRequested(10)).frames(own_result(**BROKEN_OFF), state("idle"))
    assert records(play) == []


def test_own_work_that_fails_while_it_is_stopped_says_so() -> None:
    play, id_ = own_work(air.ASYNC_TASKS)
    play.handle(e.TaskStopAsked("k", id_))
    play.frames(said("API Error: 500", error="server_error", model="<synthetic>"))
    play.frames(own_result(result="API Error: 500", **BROKEN), state("idle"))
    assert [one["title"] for one in records(play)] == ["API Error: 500"]
    assert [u["state"] for u in play.updates("async_task_state_update")] == ["failed"]


def test_a_stop_excuses_only_the_work_that_it_stopped() -> None:
    play, id_ = own_work(air.ASYNC_TASKS)
    play.handle(e.TaskStopAsked("k", id_), e.TaskStopDone("k", id_))
    play.frames(own_result(**BROKEN_OFF), state("idle"))
    play.frames(state("running"), said("More."), own_result(**BROKEN_OFF), state("idle"))
    assert len(records(play)) == 1
    states = [u["state"] for u in play.updates("async_task_state_update")]
    assert states == ["stopped", "failed"]


def test_own_work_that_is_stopped_and_never_reports_its_end_is_stopped() -> None:
    play, id_ = own_work(air.ASYNC_TASKS)
    play.handle(e.TaskStopAsked("k", id_)).frames(state("idle"))
    assert [u["state"] for u in play.updates("async_task_state_update")] == ["stopped"]


def test_a_turn_without_a_result() -> None:
    play = Play(FAILURES).prompt().frames(state("idle"))
    assert record_of(play.answers["p1"])["actions"] == ["retry", "new_session"]


def test_a_call_without_a_result() -> None:
    play = Play(FAILURES).prompt().frames(tool("t1", "Bash"), result("p1"))
    record = record_of(play.answers["p1"])
    assert (record["category"], record["actions"]) == ("service", ["retry", "new_session"])


def test_b09_a_cli_that_died_can_be_tried_again_in_the_same_session() -> None:
    play = Play(FAILURES).prompt().handle(e.StreamEnded("signal SIGKILL"))
    record = record_of(play.answers["p1"])
    assert (record["category"], record["actions"]) == ("connection", ["retry"])
    assert "SIGKILL" in record["title"]


def test_a_cli_that_died_while_idle_is_no_failure() -> None:
    play = Play(FAILURES).prompt().frames(result("p1"), state("idle"))
    assert records(play.handle(e.StreamEnded("exit status 1"))) == []


def test_lost_background_work_is_told() -> None:
    play = Play(FAILURES).prompt().frames(tool("t1", "Bash"))
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    play.frames(tool_result("t1", "x", {"backgroundTaskId": "b1"}), result("p1"), state("idle"))
    (record,) = records(play.handle(e.StreamEnded("exit status 1")))
    assert (record["severity"], record["category"]) == ("warning", "connection")


def test_lost_own_work_is_told_with_what_ended_the_cli() -> None:
    play, _ = own_work(air.ASYNC_TASKS)
    (record,) = records(play.handle(e.StreamEnded("signal SIGKILL")))
    assert (record["severity"], record["category"]) == ("warning", "connection")
    assert record["title"].startswith("Claude Code ended (signal SIGKILL); ")
    assert [u["state"] for u in play.updates("async_task_state_update")] == ["failed"]


def test_a_lost_agent_whose_turn_is_over_is_told() -> None:
    play = Play(declares(air.SESSION_FAILURE, air.NATIVE_SUBAGENT_SESSIONS)).prompt()
    play.frames(tool("t1", "Agent", prompt="work", run_in_background=True))
    play.frames(task_started("a1", "t1", task_type="local_agent", is_backgrounded=True))
    play.frames(tool_result("t1", "x", {"isAsync": True, "status": "async_launched"}))
    play.frames(result("p1"))
    assert play.answers == {}  # held for its agent
    assert len(records(play.handle(e.StreamEnded("exit status 1")))) == 1
    assert play.answers["p1"]["stopReason"] == "end_turn"


def test_a_lost_report_on_an_agent_is_told() -> None:
    play = Play(declares(air.SESSION_FAILURE, air.NATIVE_SUBAGENT_SESSIONS)).prompt()
    play.frames(tool("t1", "Agent", prompt="work", run_in_background=True))
    play.frames(task_started("a1", "t1", task_type="local_agent", is_backgrounded=True))
    play.frames(tool_result("t1", "x", {"isAsync": True, "status": "async_launched"}))
    play.frames(result("p1"), notification("a1"))
    assert play.answers == {}  # held until the model has told of it
    assert len(records(play.handle(e.StreamEnded("exit status 1")))) == 1


def test_what_is_lost_with_a_prompt_is_told_by_its_answer_alone() -> None:
    play = Play(FAILURES).prompt().frames(tool("t1", "Bash"))
    play.frames(task_started("b1", "t1", is_backgrounded=True))
    play.frames(tool_result("t1", "x", {"backgroundTaskId": "b1"}))
    assert records(play.handle(e.StreamEnded("exit status 1"))) == []
    assert record_of(play.answers["p1"])["category"] == "connection"


def test_an_end_that_we_brought_about_is_no_failure() -> None:
    play, _ = own_work()
    assert records(play.handle(e.StreamEnded(None))) == []


def test_a_client_without_records_hears_nothing_of_lost_work() -> None:
    play = Play(PLAIN).frames(state("running"), said("It is"))
    assert records(play.handle(e.StreamEnded("exit status 1"))) == []


def test_a_detached_turn_fails_on_the_session() -> None:
    play = Play(FAILURES).handle(e.SteerSubmitted("k", "s1", (), 1))
    play.frames(state("running"), said("API Error: no", error="server_error"))
    play.frames(result("s1", is_error=True, result="API Error: no"))
    (record,) = records(play)
    assert record["id"] == "s1:error"


def test_a_recovery_needs_no_record() -> None:
    play = failing(Play(FAILURES), "overloaded")
    play.prompt("p2").frames(said("Works again."), result("p2"))
    assert play.answers["p2"]["stopReason"] == "end_turn"
    assert "jetbrains" not in play.answers["p2"]["_meta"]


# --- warnings of ours -----------------------------------------------------------------------------


def test_an_advisory_is_a_record_for_who_has_no_notices() -> None:
    note = e.NoteMade(Noted("warning", "Another model answers", "Sonnet", advisory=True))
    play = Play(FAILURES).handle(note, note)
    first, second = records(play)
    assert first == {
        "id": f"S:notice:{EPOCH}:1",
        "revision": 1,
        "category": "unknown",
        "severity": "warning",
        "title": "Another model answers: Sonnet",
        "actions": [],
    }
    assert (second["id"], second["revision"]) == (first["id"], 2)
    play.handle(e.NoteMade(Noted("warning", "Else", advisory=True)))
    assert records(play)[-1]["id"] == f"S:notice:{EPOCH}:2"
    assert play.updates("agent_message_chunk") == []


@pytest.mark.parametrize(
    ("capabilities", "kind"),
    [
        (PLAIN, "agent_message_chunk"),
        (declares(air.SESSION_FAILURE, session={"notices": {}}), "notice"),
    ],
    ids=["plain", "notices"],
)
def test_an_advisory_is_a_notice_or_a_line_for_others(
    capabilities: dict[str, Any], kind: str
) -> None:
    play = Play(capabilities)
    play.handle(e.NoteMade(Noted("warning", "Another model answers", advisory=True)))
    assert [u["sessionUpdate"] for u in play.updates()] == [kind]


def test_other_notes_stay_lines() -> None:
    play = Play(FAILURES).handle(e.NoteMade(Noted("info", "A server needs a sign-in")))
    assert [u["sessionUpdate"] for u in play.updates()] == ["agent_message_chunk"]


# --- stored conversations, and the other side -----------------------------------------------------


def test_a_limit_of_old_is_a_record_at_its_place() -> None:
    live = history_record("u2", LIMIT, "u1", "S").failure
    assert (live.id, live.category, live.actions) == ("u1:error", "limit", ())
    assert history_record("u2", LIMIT, None, "S").failure.id == "S:history-error:u2"


def test_a_record_reads_back() -> None:
    record = failure.SessionFailure("i", "limit", "t", 3, "warning", ("retry",), "d", "r")
    assert failure.read(failure.wrap(record)) == record
    assert failure.read({"jetbrains": {"air": {"sessionFailure": {"id": 1}}}}) is None
    assert failure.read(None) is None


def test_every_prompt_is_answered_once_whatever_fails() -> None:
    play = failing(Play(FAILURES), "overloaded").handle(e.StreamEnded("exit status 1"))
    assert len(play.of(fx.Settle)) == 1


def test_a_prompt_that_no_cli_could_take_is_a_failure_too() -> None:
    lost = e.PromptLost("p1", "there is no Claude Code to start")
    play = Play(FAILURES).handle(lost)
    record = record_of(play.answers["p1"])
    assert (record["category"], record["actions"]) == ("connection", ["retry"])
    plain = Play(PLAIN).handle(lost)
    assert plain.answers["p1"]["error"] == "there is no Claude Code to start"
