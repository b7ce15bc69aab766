"""Commands whose words are made here: ``/usage`` and ``/mcp``, and the order around them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import stage
from canopy_agent.session.local_commands import LocalCommands, printed, with_text
from canopy_agent.session.usage_markdown import usage_markdown
from canopy_agent.session.usage_report import usage_report
from canopy_agent.session.valve import Valve
from canopy_shared.ext.canopy_controls import (
    AgentUse,
    ModelUse,
    UsageReport,
    read_usage,
    usage_result,
)

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]

NOW = datetime(2030, 1, 10, 12, 0, tzinfo=UTC)
TOKENS = {
    "inputTokens": 1200,
    "outputTokens": 34,
    "cacheReadInputTokens": 5,
    "cacheCreationInputTokens": 6,
    "costUSD": 1.5,
}
USAGE: Json = {
    "session": {
        "total_cost_usd": 1.5,
        "total_api_duration_ms": 61_000,
        "total_duration_ms": 3_720_000,
        "model_usage": {"claude-opus-5": TOKENS},
    },
    "subscription_type": "max",
    "rate_limits_available": True,
    "rate_limits": {
        "five_hour": {"utilization": 25, "resets_at": "2030-01-10T14:30:00Z"},
        "seven_day": {"utilization": 100.4, "resets_at": "2030-01-13T09:00:00Z"},
        "seven_day_opus": None,
        "model_scoped": [{"display_name": "Fable", "utilization": 0, "resets_at": None}],
    },
    "behaviors": {
        "day": {
            "request_count": 3,
            "session_count": 1,
            "behaviors": [
                {"key": "cron", "pct": 3, "count": 1},
                {"key": "cache_miss", "pct": 40, "count": 2},
            ],
            "mcp_servers": [{"name": f"s*{n}", "pct": n} for n in range(5)],
            "recommendations": [{"key": "x", "pct": 1, "title": "Do less", "detail": "now"}],
        },
        "week": {},
    },
}


def test_the_whole_of_usage() -> None:
    assert (
        usage_markdown(USAGE, NOW)
        == """\
## Usage

Claude Max subscription

### Limits

Current session (5 hours)\x20\x20
`█████░░░░░░░░░░░░░░░` 25%, resets 14:30

This week, all models\x20\x20
`████████████████████` 100%, resets 13 Jan 09:00

This week, Fable\x20\x20
`░░░░░░░░░░░░░░░░░░░░` 0%

### This session

|  | Total |
|---|---:|
| Cost | $1.50 |
| API time | 1 min 1 s |
| Active time | 1 h 2 min |

### Tokens

| Model | Input | Output | Cache read | Cache write | Cost |
|---|---:|---:|---:|---:|---:|
| claude-opus-5 | 1,200 | 34 | 5 | 6 | $1.50 |

### What uses the limits

**Last 24 hours**
- Requests without a warm cache: 40%
- Scheduled work: 3%
- MCP server s\\*4: 4%
- MCP server s\\*3: 3%
- MCP server s\\*2: 2%
- Tip: Do less (now)"""
    )


def test_usage_of_a_key_has_no_limits() -> None:
    text = usage_markdown({**USAGE, "subscription_type": None, "rate_limits_available": False}, NOW)
    assert text is not None
    assert "No subscription limits apply." in text


@pytest.mark.parametrize(
    "answer",
    [{}, {"session": 3}, {"session": {}}, {"session": []}],
)
def test_an_answer_that_is_not_understood_is_no_text(answer: Json) -> None:
    assert usage_markdown(answer, NOW) is None


def test_parts_of_another_shape_are_left_out() -> None:
    odd = {
        "session": {"total_cost_usd": "free", "model_usage": {"m": 3}},
        "rate_limits_available": True,
        "rate_limits": {"five_hour": {"utilization": "much"}, "model_scoped": [3, {}]},
        "behaviors": {"day": {"behaviors": [{"key": 3, "pct": 1}, 4]}},
    }
    text = usage_markdown(odd, NOW)
    assert text is not None
    assert "The limits of the plan could not be read." in text


def test_the_same_as_figures_for_our_own_client() -> None:
    report = read_usage(usage_result(usage_report(USAGE, (AgentUse("a1", "haiku", 2, 10, 20, 3),))))
    assert (report.plan, report.has_limits, report.cost, report.api_seconds) == (
        "max",
        True,
        1.5,
        61.0,
    )
    assert report.models == (ModelUse("claude-opus-5", 1200, 34, 5, 6, 1.5),)
    assert [(limit.name, limit.used) for limit in report.limits] == [
        ("Current session (5 hours)", 25.0),
        ("This week, all models", 100.4),
        ("This week, Fable", 0.0),
    ]
    assert report.agents == (AgentUse("a1", "haiku", 2, 10, 20, 3),)


@pytest.mark.parametrize("answer", [{}, {"session": 3, "rate_limits": []}, {"session": []}])
def test_figures_that_are_not_understood_are_not_known(answer: Json) -> None:
    assert usage_report(answer) == UsageReport()
    assert read_usage(answer) == UsageReport()


# --- output in frames ---------------------------------------------------------------------------

FORMS: list[Json] = [
    {"type": "system", "subtype": "local_command_output", "content": "words"},
    {"type": "result", "is_error": False, "result": "words"},
    {
        "type": "assistant",
        "message": {"model": "<synthetic>", "content": [{"type": "text", "text": "words"}]},
    },
    {"type": "user", "message": {"content": "<local-command-stdout>words</local-command-stdout>"}},
    {
        "type": "user",
        "message": {
            "content": [
                {"type": "text", "text": "<local-command-stdout>words</local-command-stdout>"}
            ]
        },
    },
]


@pytest.mark.parametrize("frame", FORMS)
def test_each_form_of_output_is_read_and_replaced(frame: Json) -> None:
    assert printed(frame) == "words"
    assert printed(with_text(frame, "better")) == "better"
    assert printed({**frame, "parent_tool_use_id": "toolu_1"}) is None


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "assistant", "message": {"model": "opus", "content": [{"text": "words"}]}},
        {"type": "result", "is_error": True, "result": "words"},
        {"type": "user", "message": {"content": "words"}},
        {"type": "user", "message": 3},
        {"type": "system", "subtype": "init"},
    ],
)
def test_other_frames_are_no_output(frame: Json) -> None:
    assert printed(frame) is None


# --- order --------------------------------------------------------------------------------------


async def test_a_valve_keeps_the_order_and_opens_at_once() -> None:
    passed: list[str] = []
    gates: dict[str, asyncio.Future[Json]] = {}

    def rewrite(frame: Any) -> Any:
        if not frame["n"].startswith("slow"):
            return None
        gates[frame["n"]] = asyncio.get_running_loop().create_future()
        return gates[frame["n"]]

    valve = Valve(rewrite, lambda frame: passed.append(frame["n"]))
    for name in ("a", "slow1", "b", "slow2", "c"):
        valve.take({"n": name})
    assert passed == ["a"]
    gates["slow1"].set_result({"n": "made1"})
    await asyncio.sleep(0)
    assert passed == ["a", "made1", "b"]
    valve.open()
    assert passed == ["a", "made1", "b", "slow2", "c"]
    valve.take({"n": "d"})
    assert passed[-1] == "d"


async def test_words_that_cannot_be_made_leave_the_frame_as_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    passed: list[Any] = []

    async def fails(frame: Any) -> Any:
        raise KeyError("x")

    valve = Valve(fails, passed.append)
    valve.take({"n": 1})
    valve.take({"n": 2})
    for _ in range(5):
        await asyncio.sleep(0)
    valve.open()
    assert [one["n"] for one in passed] == [1, 2]


def test_only_the_output_of_the_command_that_runs_is_taken() -> None:
    async def ask(request: Json) -> Json:
        return {}

    def begins(prompt: str) -> Json:
        return {"type": "command_lifecycle", "command_uuid": prompt, "state": "started"}

    commands = LocalCommands(ask, lambda names: None)
    assert commands.rewrite(FORMS[0]) is None
    commands.sent("p1", "/model")
    commands.sent("p2", "/usage")
    commands.rewrite(begins("p1"))
    assert commands.rewrite(FORMS[0]) is None
    commands.rewrite(begins("p2"))
    work = commands.rewrite(FORMS[0])
    assert work is not None
    work.close()  # type: ignore[attr-defined]
    assert commands.rewrite(FORMS[1]) is None


# --- over the wire ------------------------------------------------------------------------------


def turn(text: str) -> list[Json]:
    """What the CLI sends for a command that prints ``text``: before the echo, and once more."""
    message = {
        "id": "m1",
        "model": "<synthetic>",
        "role": "assistant",
        "content": [{"type": "text", "text": text}],
    }
    started = {
        "type": "command_lifecycle",
        "command_uuid": "{prompt_uuid}",
        "state": "started",
    }
    said = {"type": "assistant", "parent_tool_use_id": None, "message": message}
    echo = {
        "type": "user",
        "uuid": "{prompt_uuid}",
        "isReplay": True,
        "parent_tool_use_id": None,
        "message": {"role": "user", "content": "<command-name>/x</command-name>"},
    }
    return [{"emit": [started, said, echo]}, {"done": {"result": text, "num_turns": 0}}]


async def test_scenario_39_usage_is_markdown_once_and_the_words_of_the_cli_when_that_fails(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(
        control={"get_usage": {"response": USAGE}}, turns=[turn("plain usage"), turn("context")]
    )
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        result = await s.agent.prompt(s.session, " /usage ")
        assert result["stopReason"] == "end_turn"
        assert s.agent.text().count("## Usage") == 1
        assert "plain usage" not in s.agent.text()
        before = len(s.agent.text())
        await s.agent.prompt(s.session, "/context")
        assert s.agent.text()[before:] == "context"

    fake_cli.play(control={"get_usage": {"error": "no"}}, turns=[turn("plain usage")])
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        await s.agent.prompt(s.session, "/usage")
        assert s.agent.text() == "plain usage"
        before = len(s.agent.text())
        await s.agent.prompt(s.session, "/usage please")
        assert len(fake_cli.requests("get_usage")) == 2


async def test_a_cancel_does_not_wait_for_better_words(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(control={"mcp_status": {"ignore": True}}, turns=[turn("2 servers")])
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        prompt = s.agent.begin_prompt(s.session, "/mcp")
        await s.has_asked("mcp_status")
        s.agent.cancel(s.session)
        assert (await prompt)["stopReason"] in ("cancelled", "end_turn")
        assert s.agent.text() in ("", "2 servers")
        assert (await s.agent.prompt(s.session, "next"))["stopReason"] == "end_turn"
