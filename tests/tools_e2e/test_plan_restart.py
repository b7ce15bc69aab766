"""Leaving plan mode on the real CLI: each answer, and the fresh conversation (scenarios 73-76)."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from canopy_agent.claude.locate import locate_cli
from canopy_agent.demo.rules import Gate, Rule, Text, ToolUse, When
from canopy_agent.session import successions
from e2e.world import world
from raw_client import RpcError
from tools_e2e.planning import NO_AUTO, PLAN, clis, pick, plan_mode, planner, settings
from waiting import eventually

CLEAR = "exit-plan-clear-accept-edits"


def place(frames: list[dict[str, Any]], match: Any) -> int:
    """Where the last frame that fits stands."""
    return max(at for at, one in enumerate(frames) if match(one))


def modes(w: Any) -> list[str]:
    return [one["currentModeId"] for one in w.agent.updates("current_mode_update")]


async def test_scenario_76_the_plan_goes_on_in_a_fresh_conversation() -> None:
    next_turn = Rule(When(says="and now"), "Still the same session.")
    async with world(planner(carried="Doing it."), next_turn) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w, {"plan": {}})
        await w.agent.request(
            "session/set_config_option", sessionId=w.session, configId="effort", value="low"
        )
        pick(w, CLEAR)
        result = await w.prompt("plan it")
        asked = w.model.turns
        assert result["stopReason"] == "end_turn"
        assert result["usage"]["inputTokens"] == 100 * len(asked)
        assert w.agent.text() == "Doing it."
        first, last = asked[0], asked[-1]
        assert first.session_id == w.session != last.session_id
        assert PLAN.strip() in last.says
        assert len(last.conversation.since) == 0, "nothing of the planning is in the new context"
        assert last.body["output_config"]["effort"] == "low"
        frames = w.agent.frames
        card = place(frames, lambda f: "Exited Plan Mode" in str(f))
        kinds = ("current_mode_update", "config_option_update", "'used': 0,", "plan_update")
        order = [card, *(place(frames, lambda f, k=kind: k in str(f)) for kind in kinds)]
        assert order == sorted(order)
        ended = frames[card]["params"]["update"]
        assert ended["status"] == "completed"
        assert not ended.keys() & {"content", "rawOutput"}
        assert modes(w)[-1] == "acceptEdits"
        assert (await w.prompt("and now"))["stopReason"] == "end_turn"
        assert w.model.turns[-1].session_id == last.session_id


async def test_scenario_76_a_cancel_during_the_restart_ends_the_prompt() -> None:
    async with world(Rule(When(says="and now"), "Fine."), planner()) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        pick(w, CLEAR)
        turn = w.agent.begin_prompt(w.session, "plan it")
        await w.agent.wait_update("usage_update", match=lambda u: "cost" in u)
        w.agent.cancel(w.session)
        result = await turn
        assert result["stopReason"] == "cancelled"
        assert result["usage"]["inputTokens"] == 300
        assert (await w.prompt("and now"))["stopReason"] == "end_turn"
        assert not any("Carry out" in one.says for one in w.model.requests)
        assert w.agent.text() == "Fine."
        assert w.model.turns[-1].session_id != w.session
        assert modes(w)[-1] == "acceptEdits"


async def test_scenario_76_a_cancel_before_the_restart_leaves_the_conversation_as_it_is() -> None:
    async with world(Rule(When(says="and now"), "Fine."), planner()) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        w.agent.on("session/request_permission", None)
        turn = w.agent.begin_prompt(w.session, "plan it")
        asked = await w.agent.wait_request("session/request_permission")
        with w.agent.at_once():
            w.agent.answer(asked["id"], {"outcome": {"outcome": "selected", "optionId": CLEAR}})
            w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"
        assert (await w.prompt("and now"))["stopReason"] == "end_turn"
        assert w.model.turns[-1].session_id == w.session
        assert modes(w) == []


async def test_scenario_76_a_restart_that_fails_is_an_error_and_the_plan_is_not_lost(
    tmp_path: Any,
) -> None:
    """The CLI cannot be started a second time: the next prompt is back in the old conversation."""
    flag, cli = tmp_path / "broken", tmp_path / "claude"
    real = locate_cli(os.environ).path
    cli.write_text(f'#!/bin/sh\n[ -e "{flag}" ] && exit 3\nexec "{real}" "$@"\n')
    cli.chmod(0o755)
    env = {"CLAUDE_CODE_EXECUTABLE": str(cli)}
    async with world(planner(), Rule(When(says="and now"), "Go on."), env=env) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        w.agent.on("session/request_permission", None)
        turn = w.agent.begin_prompt(w.session, "plan it")
        asked = await w.agent.wait_request("session/request_permission")
        flag.touch()
        w.agent.answer(asked["id"], {"outcome": {"outcome": "selected", "optionId": CLEAR}})
        with pytest.raises(RpcError) as failed:
            await turn
        assert failed.value.code == -32603
        assert "fresh conversation" in failed.value.message
        assert modes(w) == []
        flag.unlink()
        await w.prompt("and now")
        assert w.model.turns[-1].session_id == w.session
        assert "1. Write a file" in str(w.model.turns[-1].body)


async def test_a_lost_cli_resumes_the_fresh_conversation_with_its_options() -> None:
    async with world(planner(carried="Done."), Rule(When(says="and now"), "Resumed.")) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        await w.agent.request(
            "session/set_config_option", sessionId=w.session, configId="effort", value="high"
        )
        pick(w, CLEAR)
        await w.prompt("plan it")
        fresh = w.model.turns[-1].session_id
        await eventually(lambda: len(clis(w)) == 1, "one CLI alone")
        (pid,) = clis(w)
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: clis(w) == [], "the CLI is gone")
        await w.prompt("and now")
        last = w.model.turns[-1]
        assert last.session_id == fresh
        assert last.body["output_config"]["effort"] == "high"
        assert "Done." in str(last.body["messages"])
        config = str(w.cwd.parent / "config")
        assert successions.newest(config) == {w.session: fresh}
        assert successions.owners(config) == {fresh: w.session}


async def test_a_session_that_went_on_afresh_is_loaded_and_listed_as_it_is_now() -> None:
    async with world(planner(carried="Doing it."), Rule(When(says="and now"), "Loaded.")) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        pick(w, CLEAR)
        await w.prompt("plan it")
        fresh = w.model.turns[-1].session_id
        async with w.later() as again:
            await again.load({})
            replayed = again.agent.text()
            assert "Doing it." in replayed
            listed = await again.agent.request("session/list", cwd=str(w.cwd))
            assert [row["sessionId"] for row in listed["sessions"]] == [w.session]
            assert (await again.prompt("and now"))["stopReason"] == "end_turn"
            assert w.model.turns[-1].session_id == fresh


async def test_a_queued_prompt_waits_for_the_plan_and_runs_in_the_fresh_conversation() -> None:
    carried = [Text(("Doing ", Gate("GO"), "it. "))]
    async with world(planner(carried=carried), Rule(When(says="second"), "Second.")) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        w.agent.on("session/request_permission", None)
        first = w.agent.begin_prompt(w.session, "plan it")
        asked = await w.agent.wait_request("session/request_permission")
        second = w.agent.begin_prompt(w.session, "second")
        w.agent.answer(asked["id"], {"outcome": {"outcome": "selected", "optionId": CLEAR}})
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "Doing" in str(u))
        assert not second.done()
        w.model.release("GO")
        assert (await first)["stopReason"] == "end_turn"
        assert (await second)["stopReason"] == "end_turn"
        assert w.agent.text() == "Doing it. Second."


async def test_b47_scenario_74_an_approved_plan_sets_the_mode_before_the_cli_goes_on() -> None:
    write = [ToolUse("Write", {"file_path": "{cwd}/made.txt", "content": "made\n"})]
    rules = planner(approved=write)
    rules.insert(0, Rule(When(after_tool="Write", result="made.txt"), "Written."))
    async with world(rules) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        pick(w, "exit-plan-accept-edits")
        await w.prompt("plan it")
        assert (w.cwd / "made.txt").read_text() == "made\n"
        assert len(w.agent.requests("session/request_permission")) == 1
        assert modes(w)[-1] == "acceptEdits"
        options = w.agent.updates("config_option_update")[-1]["configOptions"]
        assert options[0]["currentValue"] == "acceptEdits"


async def test_b47_scenario_75_keep_planning_cancels_the_prompt_and_stays_in_plan_mode() -> None:
    async with world(Rule(When(says="and now"), "Planning on."), planner()) as w:
        settings(w, **NO_AUTO)
        await plan_mode(w)
        pick(w, "reject")
        assert (await w.prompt("plan it"))["stopReason"] == "cancelled"
        ended = [u for u in w.agent.updates("tool_call_update") if u.get("status") == "failed"]
        assert len(ended) == 1
        assert ended[0]["_meta"]["claudeCode"]["nonExecutionKind"] == "user-rejected"
        assert modes(w) == []
        assert (await w.prompt("and now"))["stopReason"] == "end_turn"
        assert w.agent.text() == "Planning on."


async def test_b48_scenario_73_the_question_holds_the_plan_and_the_modes_that_are_there() -> None:
    async with world(planner()) as w:
        await plan_mode(w)
        pick(w, "exit-plan-default")
        await w.prompt("plan it")
        (asked,) = w.agent.requests("session/request_permission")
        assert [one["optionId"] for one in asked["params"]["options"]] == [
            "exit-plan-default",
            "exit-plan-clear-auto",
            "exit-plan-auto",
            "exit-plan-bypass",
            "reject",
        ]
        call = asked["params"]["toolCall"]
        assert call["content"] == [{"type": "content", "content": {"type": "text", "text": PLAN}}]
        assert call["rawInput"]["plan"] == PLAN
        assert modes(w) == ["default"]
