"""Token counts: what a turn is told it used, and what the gauge shows (B95)."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.domain import events as e
from canopy_agent.domain.usage import Cost, TurnTally, UsageMeter
from domain.notation import FLAT, Play, begun, child_at_work, echo, ended_stream, prompt

MODEL = "opus"


def tokens(input_: int, output: int = 0, read: int = 0, write: int = 0) -> dict[str, int]:
    return {
        "input_tokens": input_,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }


def row(input_: int, cost: float = 0.0, window: int = 0, output: int = 0) -> dict[str, Any]:
    return {
        "inputTokens": input_,
        "outputTokens": output,
        "contextWindow": window,
        "costUSD": cost,
    }


def message(input_: int, parent: str | None = None, id_: str = "m", **more: int) -> e.Event:
    return e.MessageBegan(parent, id_, MODEL, tokens(input_, **more))


def grew(parent: str | None = None, **counts: int) -> e.Event:
    return e.MessageUsage(parent, counts)


def said(input_: int, id_: str | None = "m", parent: str | None = None) -> e.Event:
    return e.MessageSaid(parent, id_, "u", MODEL, tokens(input_))


def result(*prompts: str, **more: Any) -> e.Event:
    return e.ResultCame("success", num_turns=1, prompts=prompts, **more)


GAUGE: dict[str, tuple[list[e.Event], list[str]]] = {
    "a message that begins": ([message(10)], ["used 10/200000"]),
    "cached tokens count": ([message(10, read=5, write=2)], ["used 17/200000"]),
    "a message that grows": (
        [message(10), grew(output_tokens=4), grew(output_tokens=9)],
        ["used 10/200000", "used 14/200000", "used 19/200000"],
    ),
    "a count of zero keeps what was known": (
        [message(10), grew(input_tokens=0, output_tokens=4)],
        ["used 10/200000", "used 14/200000"],
    ),
    "the last message counts, not their sum": (
        [message(10), message(12)],
        ["used 10/200000", "used 12/200000"],
    ),
    "subagents do not": (
        [message(10), message(999, "T1"), grew("T1", output_tokens=500), said(999, parent="T1")],
        ["used 10/200000"],
    ),
    "a message that never streamed": ([said(30)], ["used 30/200000"]),
    "the whole of one that streamed adds nothing": ([message(10), said(10)], ["used 10/200000"]),
    "one that did not stream after one that did": (
        [message(10, id_="m1"), said(40, "m2")],
        ["used 10/200000", "used 40/200000"],
    ),
    "a message without counts": ([e.MessageBegan(None, "m", MODEL), said(0)], []),
    "words of the harness": ([e.MessageSaid(None, "m", "u", "<synthetic>", tokens(7))], []),
    "a compaction": (
        [message(100), e.Compacted(20), e.Compacted()],
        ["used 100/200000", "used 20/200000", "used 0/200000"],
    ),
    "a conversation that was cleared": (
        [e.ConversationReset(), message(100), e.ConversationReset(), message(7)],
        ["used 100/200000", "used 0/200000", "used 7/200000"],
    ),
    "the window of the model in use": (
        [message(10), result("p1", model_usage={MODEL: row(10, window=1_000_000)})],
        ["used 10/200000", "used 10/1000000"],
    ),
    "the window of another model is not": (
        [message(10), result("p1", model_usage={"haiku": row(10, window=1_000_000)})],
        ["used 10/200000", "used 10/200000"],
    ),
    "cost comes with results": (
        [message(10), result("p1", cost=0.5)],
        ["used 10/200000", "used 10/200000 $0.5"],
    ),
    "a rate limit repeats the gauge": (
        [e.RateLimited({"status": "allowed"}), message(10), e.RateLimited({"status": "near"})],
        ["used 10/200000", "used 10/200000"],
    ),
}


@pytest.mark.parametrize("case", GAUGE)
def test_b95_gauge(case: str) -> None:
    events, expected = GAUGE[case]
    play = Play(FLAT, whole=True)
    play.feed(*begun())
    lines = play.feed(*events)
    assert [told.removeprefix("S ") for told in lines if "used" in told] == expected


# --- a turn ---------------------------------------------------------------------------------------


def answer(play: Play) -> dict[str, Any]:
    """Main tokens and tokens by model of the answer that came last."""
    outcome = next(x.outcome for x in reversed(play.effects) if hasattr(x, "outcome"))
    rows = outcome.meta["quota"]["model_usage"]
    return {
        "main": outcome.usage["inputTokens"],
        **{one["model"]: one["token_count"]["inputTokens"] for one in rows},
    }


def test_a_turn_is_told_what_its_main_loop_used_and_what_each_model_did() -> None:
    play = Play(FLAT)
    used = {MODEL: row(30, output=1), "haiku": row(90, output=1), "unused": row(0)}
    play.feed(*begun(), result("p1", usage=tokens(30), model_usage=used))
    assert answer(play) == {"main": 30, MODEL: 30, "haiku": 90}


def test_totals_of_the_cli_are_told_as_differences() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), result("p1", usage=tokens(30), model_usage={MODEL: row(30)}))
    play.feed(*begun("p2"), result("p2", usage=tokens(5), model_usage={MODEL: row(35)}))
    assert answer(play) == {"main": 5, MODEL: 5}


def test_a_total_that_is_lower_than_before_has_begun_again() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), result("p1", usage=tokens(30), model_usage={MODEL: row(30)}))
    play.feed(*begun("p2"), result("p2", usage=tokens(5), model_usage={MODEL: row(5)}))
    assert answer(play) == {"main": 5, MODEL: 5}


def test_cycles_of_nobody_move_the_totals_and_no_turn() -> None:
    play = Play(FLAT)
    play.feed(*begun("p1"), result("p1", usage=tokens(30), model_usage={MODEL: row(30)}))
    origin = {"kind": "task-notification"}
    play.feed(result(usage=tokens(500), model_usage={MODEL: row(530)}, origin=origin))
    play.feed(*begun("p2"), result("p2", usage=tokens(5), model_usage={MODEL: row(535)}))
    assert answer(play) == {"main": 5, MODEL: 5}


def test_what_the_cli_says_is_new_needs_no_difference() -> None:
    """A resumed CLI goes on with the totals of the one before it, which nobody here saw."""
    play = Play(FLAT)
    news = {MODEL: row(5), "haiku": row(7)}
    play.feed(*begun("p1"))
    play.feed(result("p1", usage=tokens(5), model_usage={MODEL: row(905)}, model_usage_news=news))
    assert answer(play) == {"main": 5, MODEL: 5, "haiku": 7}
    play.feed(*begun("p2"), result("p2", usage=tokens(2), model_usage={MODEL: row(907)}))
    assert answer(play) == {"main": 2, MODEL: 2}


def test_the_first_result_of_a_resumed_cli_counts_for_itself() -> None:
    meter, tally = UsageMeter(resumed=True), TurnTally()
    meter.began(MODEL, tokens(5))
    meter.result(tally, tokens(5), {MODEL: row(905)}, None, None)
    (only,) = tally.meta()["quota"]["model_usage"]
    assert (only["model"], only["token_count"]["inputTokens"]) == (MODEL, 5)
    meter.result(tally, tokens(3), {MODEL: row(908)}, None, None)
    (both,) = tally.meta()["quota"]["model_usage"]
    assert both["token_count"]["inputTokens"] == 8


def test_a_turn_without_result_has_no_usage() -> None:
    assert TurnTally().usage() is None
    assert TurnTally().meta() == {}


@pytest.mark.parametrize("value", ["many", None, True, -1.5, [1]])
def test_counts_of_a_wrong_type_are_none(value: Any) -> None:
    meter = UsageMeter()
    assert meter.began(MODEL, {"input_tokens": value}) is None
    assert (
        meter.result(TurnTally(), {}, {MODEL: value, "x": {"inputTokens": value}}, 1, None) is None
    )


# --- cost -----------------------------------------------------------------------------------------

COSTS: dict[str, tuple[list[tuple[float, float | None] | None], list[float]]] = {
    "one process": ([(0.5, 0.5), (0.7, 0.2)], [0.5, 0.7]),
    "a process that was killed, and one from zero": ([(0.5, 0.5), None, (0.2, 0.2)], [0.5, 0.7]),
    "from zero, with more than before": ([(0.5, 0.5), None, (0.9, 0.9)], [0.5, 1.4]),
    "a process that resumes the total": ([(0.5, 0.5), None, (0.7, 0.2)], [0.5, 0.7]),
    "resumed, and nothing new": ([(0.5, 0.5), None, (0.5, 0.0)], [0.5, 0.5]),
    "from zero, of a CLI that tells no news": ([(0.5, None), None, (0.2, None)], [0.5, 0.7]),
    "a conversation that was cleared": ([(0.5, 0.5), (0.0, 0.0), (0.1, 0.1)], [0.5, 0.5, 0.6]),
    "three processes": ([(0.5, 0.5), None, (0.1, 0.1), None, (0.1, 0.1)], [0.5, 0.6, 0.7]),
}


@pytest.mark.parametrize("case", COSTS)
def test_b95_cost_adds_up_over_processes_and_never_falls(case: str) -> None:
    readings, expected = COSTS[case]
    cost, told = Cost(), []
    for reading in readings:
        if reading is None:
            cost.process_replaced()
            continue
        cost.read(*reading)
        told.append(cost.total)
    assert told == pytest.approx(expected)


def test_b95_cost_over_a_dead_process() -> None:
    play = Play(FLAT, whole=True)
    play.feed(
        *begun("p1"), message(10), result("p1", cost=0.5, model_usage_news={MODEL: row(1, 0.5)})
    )
    play.feed(ended_stream(), *begun("p2"), message(10))
    lines = play.feed(result("p2", cost=0.25, model_usage_news={MODEL: row(1, 0.25)}))
    assert "S used 10/200000 $0.75" in lines


def test_a_cancelled_prompt_that_was_held_keeps_its_usage() -> None:
    play = Play(FLAT)
    play.feed(*begun(), *child_at_work(), result("p1", usage=tokens(7)), e.CancelRequested(9))
    outcome = next(x.outcome for x in play.effects if hasattr(x, "outcome"))
    assert (outcome.stop_reason, outcome.usage["inputTokens"]) == ("cancelled", 7)


def test_merged_prompts_are_counted_with_the_one_that_carries_the_result() -> None:
    play = Play(FLAT)
    play.feed(*begun(), prompt("p2"), echo("p2"))
    play.feed(result("p1", "p2", usage=tokens(7)))
    usages = [x.outcome.usage for x in play.effects if hasattr(x, "outcome")]
    assert usages[0] is None
    assert usages[1]["inputTokens"] == 7
