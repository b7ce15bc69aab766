"""Requests of extensions over stdio: what is refused, and what reaches the CLI, in whole processes.

Numbers in names are those of the scenarios.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import Stage, stage
from air.playing import EVERYTHING, declares, traces_of_air
from canopy_shared.ext import air
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

AIR = declares(*EVERYTHING)
UNKNOWN = "11111111-2222-3333-4444-555555555555"
TEXT = [{"type": "text", "text": "hi"}]
HELD = [{"open": {}}, {"say": "Working."}, {"expect": {"type": "user", "priority": "now"}}]


async def code(stage_: Stage, method: str, **params: Any) -> int:
    return (await stage_.refused(method, **params)).code


async def test_malformed_requests_are_refused(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(AIR)
        for method, params in [
            ("_session/steering", {"sessionId": session, "prompt": []}),
            ("_session/steering", {"sessionId": session}),
            ("_session/steering", {"sessionId": session, "prompt": [{"type": "audio"}]}),
            (
                "_session/steering",
                {
                    "sessionId": session,
                    "prompt": TEXT,
                    "_meta": {"steering": {"idleBehavior": "wait"}},
                },
            ),
            ("_session/goal", {"sessionId": session, "action": "pause"}),
            ("_session/goal", {"sessionId": session, "action": "set"}),
            ("_session/goal", {"sessionId": session, "action": "set", "objective": " \n"}),
            ("_session/goal", {"sessionId": " ", "action": "clear"}),
            ("_session/async_task/stop", {"sessionId": session, "asyncTaskId": ""}),
            ("_session/async_task/stop", {"sessionId": "", "asyncTaskId": "b1"}),
        ]:
            assert await code(s, method, **params) == -32602, (method, params)
        for method, params in [
            ("_session/steering", {"prompt": TEXT}),
            ("_session/goal", {"action": "clear"}),
            ("_session/async_task/stop", {"asyncTaskId": "b1"}),
        ]:
            assert await code(s, method, sessionId=UNKNOWN, **params) == -32002, method
        assert fake_cli.received("user") == []


async def test_scenario_49_an_idle_session(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open()
        only = {"steering": {"idleBehavior": "promptRequired"}}
        asked = {"sessionId": session, "prompt": TEXT}
        told = await s.agent.request("_session/steering", **asked, _meta=only)
        assert told == {"outcome": "promptRequired", "reason": "noRunningTurn"}
        assert fake_cli.received("user") == []
        began = await s.agent.request("_session/steering", **asked)
        assert began == {"outcome": "startedNewTurn"}
        await s.agent.wait_update("agent_message_chunk")
        assert s.agent.text() == "echo: hi"
        assert traces_of_air(s.agent.updates()) == []


async def test_scenario_48_a_running_session(fake_cli: FakeCli, tmp_path: Path) -> None:
    result = {"type": "result", "subtype": "success", "num_turns": 1, "is_error": False}
    fake_cli.play(
        turns=[
            [
                *HELD,
                {"say": "Steered."},
                # a CLI that does not say what it answers: the idle after the echo ends the turn
                {"emit": {**result, "user_message_uuids": ["{prompt_uuid}"]}},
                {"emit": {"type": "system", "subtype": "session_state_changed", "state": "idle"}},
            ],
            [{"open": {}}, {"done": {}}],
        ]
    )
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open()
        turn = s.agent.begin_prompt(session, "go")
        await s.agent.wait_update("agent_message_chunk")
        steered = await s.agent.request("_session/steering", sessionId=session, prompt=TEXT)
        assert steered == {"outcome": "injected"}
        assert (await turn)["stopReason"] == "end_turn"
        first, second = fake_cli.received("user")[:2]
        assert "priority" not in first
        assert second["priority"] == "now"
        assert second["uuid"] != first["uuid"]


@pytest.mark.parametrize("capabilities", [{}, AIR], ids=["plain", "air"])
async def test_scenario_84_goals(
    fake_cli: FakeCli, tmp_path: Path, capabilities: dict[str, Any]
) -> None:
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(capabilities)
        goal = {"sessionId": session, "action": "set", "objective": " all tests pass "}
        assert await s.agent.request("_session/goal", **goal) == {}
        assert await s.agent.request("_session/goal", sessionId=session, action="clear") == {}
        commands = [frame["message"]["content"][0]["text"] for frame in fake_cli.received("user")]
        assert commands == ["/goal all tests pass", "/goal clear"]
        metas = [u.get("_meta", {}) for u in s.agent.updates("session_info_update")]
        goals = [
            meta["jetbrains"]["air"]["goal"]
            for meta in metas
            if "goal" in meta.get("jetbrains", {}).get("air", {})
        ]
        shown = [one and one["objective"] for one in goals]
        # the transcript of the fake has no goal: reading it may tell the end before the command
        assert shown[:1] == (["all tests pass"] if capabilities else [])
        assert set(shown[1:]) == ({None} if capabilities else set())


async def test_a_task_is_stopped_by_an_order_to_the_cli(fake_cli: FakeCli, tmp_path: Path) -> None:
    task = {"task_id": "b1", "task_type": "local_bash", "description": "Tick"}
    started = {"type": "system", "subtype": "task_started", "is_backgrounded": True, **task}
    killed = {"type": "system", "subtype": "task_updated", "patch": {"status": "killed"}}
    fake_cli.play(
        control={"stop_task": {"ignore": True}},
        turns=[
            [
                {"open": {}},
                {"tool": {"id": "t1", "name": "Bash", "input": {"command": "x"}}},
                {"emit": {**started, "tool_use_id": "t1"}},
                {"tool_result": {"id": "t1", "content": "runs"}},
                {"done": {}},
                {"expect": {"request": {"subtype": "stop_task", "task_id": "b1"}}},
                {"emit": {**killed, "task_id": "b1"}},
                {"respond": {}},
            ]
        ],
    )
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(AIR)
        await s.agent.prompt(session, "go")
        stop = {"sessionId": session, "asyncTaskId": "b1"}
        first = s.agent.begin("_session/async_task/stop", **stop)
        second = await s.agent.request("_session/async_task/stop", **stop)
        assert second == {"stopped": False}
        assert await first == {"stopped": True}
        states = s.agent.updates("async_task_state_update")
        assert [one["state"] for one in states] == ["stopped"]


async def test_a_stop_that_the_cli_refuses_is_an_error(fake_cli: FakeCli, tmp_path: Path) -> None:
    task = {"task_id": "b1", "task_type": "local_bash", "description": "Tick"}
    started = {"type": "system", "subtype": "task_started", "is_backgrounded": True, **task}
    fake_cli.play(
        control={"stop_task": {"error": "no such task"}},
        turns=[
            [
                {"open": {}},
                {"tool": {"id": "t1", "name": "Bash", "input": {}}},
                {"emit": {**started, "tool_use_id": "t1"}},
                {"tool_result": {"id": "t1", "content": "runs"}},
                {"done": {}},
            ]
        ],
    )
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open(AIR)
        await s.agent.prompt(session, "go")
        for _ in range(2):
            error = await s.refused("_session/async_task/stop", sessionId=session, asyncTaskId="b1")
            assert error.code == -32603
            assert "no such task" in error.message
        assert s.agent.updates("async_task_state_update") == []


async def test_a_steer_finds_a_cli_that_died_and_starts_another(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[[{"open": {}}, {"exit": 3}]])
    async with stage(fake_cli, tmp_path) as s:
        session = await s.open()
        with pytest.raises(RpcError):
            await s.agent.prompt(session, "die")
        fake_cli.play()
        began = await s.agent.request("_session/steering", sessionId=session, prompt=TEXT)
        assert began == {"outcome": "startedNewTurn"}
        await eventually(lambda: "echo: hi" in s.agent.text(), "the answer")


async def test_methods_of_the_index_are_for_index_clients(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    methods = {
        "_session/batch_get": {"sessionIds": []},
        "_session/list/subscribe": {"cwd": "/"},
        "_session/list/unsubscribe": {"subscriptionId": "x"},
        "_session/rename": {"sessionId": UNKNOWN, "title": "t"},
        "_session/archive": {"sessionId": UNKNOWN},
        "_session/unarchive": {"sessionId": UNKNOWN},
    }
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize(declares(air.ASYNC_TASKS))
        for method, params in methods.items():
            assert await code(s, method, **params) == -32601, method
