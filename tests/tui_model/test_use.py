"""What a session used: as far as an agent tells it, and unknown where none does."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from canopy_shared.codec import decode_session_update
from canopy_shared.ext.canopy_controls import (
    AgentUse,
    Limit,
    McpServer,
    ModelUse,
    UsageReport,
    are_offered,
    read_servers,
    servers_result,
)
from canopy_shared.frames import Response
from canopy_tui.model import events as e
from canopy_tui.model import tree
from canopy_tui.model.controls import Tokens
from canopy_tui.model.intents import AskAgentUse
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Phase, SessionView
from canopy_tui.model.use import agent_lines, limit_lines, model_lines, totals
from canopy_tui.model.words import model_name, money
from canopy_tui.view.apps.agent_use import AGAIN, AgentUseWatch
from canopy_tui.view.drawing.labels import details
from canopy_tui.wire.answers import read_turn
from fakes.agent import spawned

NOW = datetime(2030, 1, 10, 12, 0).timestamp()


def _session() -> tuple[ClientState, SessionView]:
    state = ClientState()
    reduce(state, e.SessionOpened(session="S", at=0.0))
    return state, state.sessions["S"]


def _update(state: ClientState, **update: Any) -> None:
    told = decode_session_update({"sessionId": "S", "update": update})
    assert told is not None
    reduce(state, e.UpdateArrived("S", told.update, 1.0))


def _count(number: int) -> dict[str, int]:
    return {"inputTokens": number, "cachedInputTokens": 1, "outputTokens": 2}


def test_turns_add_up_with_their_models() -> None:
    state, view = _session()
    assert model_lines(view) == ("Tokens", [])
    usage = {"inputTokens": 10, "outputTokens": 2, "cachedReadTokens": 5, "totalTokens": 17}
    models = [{"model": "opus", "token_count": _count(4)}, {"model": 7}, "odd"]
    for _ in range(2):
        answer = {"stopReason": "end_turn", "usage": usage}
        answer |= {"_meta": {"quota": {"model_usage": models}}}
        reduce(state, read_turn(Response(1, answer), "S", 2.0))
    reduce(state, read_turn(Response(1, {"stopReason": "end_turn"}), "S", 2.0))
    title, rows = model_lines(view)
    assert "2 turns" in title
    assert rows == [("opus", Tokens(8, 4, 2, 0), None)]
    assert view.controls.main == Tokens(20, 4, 10, 0)
    assert totals(rows) == (Tokens(8, 4, 2, 0), None)
    view.controls.models.clear()  # an agent that names no models
    assert model_lines(view)[1] == [("all models", Tokens(20, 4, 10, 0), None)]


def test_the_report_of_the_agent_counts_more_than_what_was_seen() -> None:
    state, view = _session()
    spawned = {"subagentSessionId": "a1", "name": "explore", "task": "look", "capabilities": {}}
    _update(state, sessionUpdate="subagent_spawned", **spawned)
    report = UsageReport(
        has_limits=True,
        limits=(Limit("5 hours", 100.0, "2030-01-10T14:30:00"), Limit("week", 1.0, "soon")),
        models=(ModelUse("opus", 1, 2, 3, 4, 0.5), ModelUse("haiku", 1, 0, 0, 0, 0.25)),
        agents=(AgentUse("a1", "haiku", 3, 1000, 20, 4), AgentUse("zz")),
    )
    reduce(state, e.UsageAsked("S"))
    assert view.controls.asks_report
    reduce(state, e.UsageTold("S", report))
    title, rows = model_lines(view)
    assert "session" in title
    assert totals(rows) == (Tokens(2, 2, 3, 4), 0.75)
    below = list(tree.below(state, "S"))
    assert agent_lines(state, below, report) == [("explore", ["1k", "20", "4", "3", "haiku"])]
    five, week = limit_lines(view, NOW)
    assert (five.used, five.words, five.is_reached) == (1.0, "resets 14:30", True)
    assert (week.used, week.words, week.is_reached) == (0.01, "", False)
    reduce(state, e.UsageTold("S", error="gone"))
    assert (view.controls.report, view.controls.report_error) == (report, "gone")


def test_limits_that_come_with_updates() -> None:
    state, view = _session()
    info = {"rateLimitType": "five_hour", "status": "rejected", "resetsAt": NOW + 90_000}
    odd = {"rateLimitType": "\x1bnew", "status": 3, "utilization": 0.5, "resetsAt": 1e300}
    for told in (info, odd, {"status": "allowed"}, "odd"):
        meta = {"_claude/rateLimit": told}
        _update(state, sessionUpdate="usage_update", used=1, size=2, _meta=meta)
    reached, other = limit_lines(view, NOW)
    assert (reached.name, reached.words, reached.is_reached) == (
        "5 hours",
        "reached, resets 11 Jan 13:00",
        True,
    )
    assert (other.name, other.used, other.words) == ("␛new", 0.5, "")


def test_servers_and_what_became_of_a_change() -> None:
    state, view = _session()
    servers = (McpServer("s", "connected", "", ("t",), "user"), McpServer("d", "failed", "why"))
    assert read_servers(servers_result(servers, "no")) == (servers, "no")
    assert read_servers({"servers": [{"name": 3}, 4]}) == ((McpServer("", ""),), "")
    reduce(state, e.ServersAsked("S", "reconnect", "d"))
    assert view.controls.at_work == {"d": "reconnect"}
    reduce(state, e.ServersTold("S", servers, server="d", problem="still dead"))
    controls = view.controls
    assert (controls.at_work, controls.problems) == ({}, {"d": "still dead"})
    reduce(state, e.ServersAsked("S", "reconnect", "d"))
    reduce(state, e.ServersTold("S", error="the agent is gone", server="d"))
    assert (controls.servers, controls.servers_error) == (servers, "the agent is gone")
    assert controls.problems == {}


def test_only_our_own_agent_is_asked() -> None:
    assert are_offered({"canopy": {"version": 1, "controls": True}})
    for meta in (None, {}, {"canopy": {"controls": True}}, {"canopy": 1}):
        assert not are_offered(meta)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("claude-opus-5-5", "Opus 5.5"),
        ("claude-haiku-4-5-20251001", "Haiku 4.5"),
        ("claude-sonnet-4-20250514", "Sonnet 4"),
        ("claude-3-5-sonnet-latest", "Sonnet 3.5"),
        ("claude-opus-5-5[1m]", "Opus 5.5 (1M)"),
        ("gpt-5", "gpt-5"),
        ("Opus 5.5", "Opus 5.5"),
        ("claude-", "claude-"),
    ],
)
def test_a_model_is_called_as_people_call_it(told: str, said: str) -> None:
    assert model_name(told) == said


def test_money() -> None:
    assert [money(0.0042), money(1.2), money(2, "EUR")] == ["$0.0042", "$1.20", "2.00 EUR"]
    assert [money(x, short=True) for x in (0.0042, 0.05, 1234.5)] == [
        "<$0.01",
        "$0.05",
        "$1,234.50",
    ]


def test_what_an_agent_took_is_asked_when_it_is_looked_at_and_told_with_its_model() -> None:
    state, root = _session()
    _update(state, **spawned("a1"))
    child = state.sessions["a1"]
    asked: list[AskAgentUse] = []
    watch = AgentUseWatch(state, asked.append)
    watch.look(child, 0.0)
    assert asked == [], "an agent that does not tell"
    meta = {"canopy": {"version": 1, "controls": True}}
    reduce(state, e.LinkChanged(status="ready", at=0.0, meta=meta))
    for view, at in ((root, 0.0), (None, 0.0), (child, 1.0), (child, 1.0 + AGAIN / 2)):
        watch.look(view, at)
    assert asked == [AskAgentUse("a1")]
    watch.look(child, 1.0 + AGAIN)
    reduce(state, e.AgentUseTold("a1", AgentUse("a1", "claude-opus-5-5", 3, 14_000, 9_000, 1_200)))
    assert details(child) == "Opus 5.5 · 15.2k tokens"
    child.phase = Phase.DONE
    for _ in range(3):
        watch.look(child, 1.0 + AGAIN)
    assert len(asked) == 3, "once more at its end"
