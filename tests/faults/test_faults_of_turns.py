"""Turns that end badly or at the same time: B01, B03, B04, B05, B18, B20, B22, B26, B28, B43."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.domain.cancellation import FORCE_SECONDS
from canopy_shared.ext import air
from fakes.cli import FakeCli, is_running
from raw_client import RawClient, RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

BACKGROUND = {
    "_meta": air.client_meta(air.NATIVE_SUBAGENT_SESSIONS, air.BACKGROUND_SUBAGENTS),
}
UNFORCED = FORCE_SECONDS * 2 / 3
"""Seconds in which a cancelled turn ends by what the CLI says, not because it is ended by force."""
ECHO: list[dict[str, Any]] = [{"open": {}}, {"say": "echo: {prompt}"}, {"done": {}}]


def agent(fake: FakeCli, home: Path, **options: Any) -> Any:
    """The agent with a fake CLI and a home of its own."""
    env = {**fake.env, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    return RawClient.spawn(env=env, **options)


def answers(client: RawClient) -> list[Any]:
    """The ids of all answers, in order."""
    return [frame["id"] for frame in client.frames if "method" not in frame]


BAD_ENDS: dict[str, list[dict[str, Any]]] = {
    "stdout closes with exit 1": [{"exit": 1}],
    "a result is an error without text": [{"done": {"is_error": True, "subtype": "error_during"}}],
    "idle without a result": [
        {"emit": {"type": "system", "subtype": "session_state_changed", "state": "idle"}}
    ],
    "a signal": [{"signal": "SIGKILL"}],
}


@pytest.mark.parametrize("end", BAD_ENDS)
async def test_b01_every_prompt_gets_one_answer_however_its_turn_ends(
    fake_cli: FakeCli, tmp_path: Path, end: str
) -> None:
    bad = [{"open": {}}, {"say": "one "}, {"say": "two"}, *BAD_ENDS[end]]
    fake_cli.play(turns=[bad, ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        with pytest.raises(RpcError) as failed:
            await client.prompt(session, "first")
        assert failed.value.code == -32603
        assert client.text() == "one two"
        fake_cli.play(turns=[ECHO])
        assert (await client.prompt(session, "second"))["stopReason"] == "end_turn"
        assert client.text() == "one twoecho: second"
        assert len(answers(client)) == len(set(answers(client)))


async def test_b01_a_silent_turn_can_be_cancelled(fake_cli: FakeCli, tmp_path: Path) -> None:
    interrupted = {"type": "control_request", "request": {"subtype": "interrupt"}}
    silent = [{"open": {}}, {"say": "and then"}, {"expect": interrupted}, {"done": {}}]
    fake_cli.play(turns=[silent, ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        turn = client.begin_prompt(session, "first")
        await client.wait_update("agent_message_chunk")
        client.cancel(session)
        async with asyncio.timeout(UNFORCED):
            assert (await turn)["stopReason"] == "cancelled"
        assert (await client.prompt(session, "second"))["stopReason"] == "end_turn"


def notified(number: int) -> list[dict[str, Any]]:
    """One cycle of Claude Code's own, after a background task ended."""
    return [
        {
            "emit": {
                "type": "system",
                "subtype": "task_notification",
                "task_id": f"b{number}",
                "status": "completed",
                "summary": "done",
            }
        },
        {"say": f"Task {number} is done. "},
        {
            "emit": {
                "type": "result",
                "subtype": "success",
                "is_error": False,
                "num_turns": 1,
                "result": "",
                "usage": {},
                "modelUsage": {},
                "origin": {"kind": "task-notification"},
            }
        },
    ]


async def test_b03_output_between_turns_comes_at_once_and_answers_nobody(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    first = [{"open": {}}, {"say": "Started. "}, {"done": {}}]
    for number in range(3):
        first += notified(number)
    fake_cli.play(turns=[first, [{"open": {}}, {"say": "pong"}, {"done": {}}]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, "start")
        await client.wait_update("agent_message_chunk", match=lambda u: "Task 2" in str(u))
        seen = len(client.frames)
        assert (await client.prompt(session, "ping"))["stopReason"] == "end_turn"
        late = [
            frame["params"]["update"]["content"]["text"]
            for frame in client.frames[seen:]
            if frame.get("params", {}).get("update", {}).get("sessionUpdate")
            == "agent_message_chunk"
        ]
        assert late == ["pong"]


async def test_b03_a_prompt_beside_a_job_s_report_gets_its_own_answer(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    """The report is half told when the person writes, and ends before the turn of the prompt."""
    ended, told, result = notified(0)
    ping = {"type": "user", "message": {"content": [{"text": "ping"}]}}
    first = [{"open": {}}, {"say": "Started. "}, {"done": {}}, ended, told, {"expect": ping}]
    first += [{"say": "That is all. "}, result]
    fake_cli.play(turns=[first, [{"open": {}}, {"say": "pong"}, {"done": {}}]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, "start")
        await client.wait_update("agent_message_chunk", match=lambda u: "Task 0" in str(u))
        assert (await client.prompt(session, "ping"))["stopReason"] == "end_turn"
        assert client.text() == "Started. Task 0 is done. That is all. pong"


def size_of(file: Path) -> int:
    """Bytes of a file, 0 before it is there."""
    return file.stat().st_size if file.exists() else 0


async def test_b04_one_cli_lives_as_long_as_the_session(fake_cli: FakeCli, tmp_path: Path) -> None:
    heart = tmp_path / "heart"
    fake_cli.play(turns=[[{"open": {}}, {"heartbeat": str(heart)}, {"done": {}}], ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, "start")
        before = await eventually(lambda: size_of(heart), "a first beat")
        await eventually(lambda: size_of(heart) > before + 2, "a heart that beats on")
        await client.prompt(session, "second")
        assert len(fake_cli.log("start")) == 1
        await client.request("session/close", sessionId=session)
        await eventually(lambda: not any(map(is_running, fake_cli.pids())), "the CLI is gone")


QUICK_ENDS: dict[str, list[dict[str, Any]]] = {
    "a result before the echo": [{"done": {"subtype": "error_during_execution"}}],
    "nothing but the receipt": [],
}


@pytest.mark.parametrize("end", QUICK_ENDS)
@pytest.mark.parametrize("delay", [0, 0.001, 0.005, 0.02, 0.1])
async def test_b05_prompt_then_cancel(
    fake_cli: FakeCli, tmp_path: Path, end: str, delay: float
) -> None:
    interrupted = {"type": "control_request", "request": {"subtype": "interrupt"}}
    slow = [{"expect": interrupted}, *QUICK_ENDS[end]]
    fake_cli.play(turns=[slow, ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        turn = client.begin_prompt(session, "first")
        await asyncio.sleep(delay)  # the delay is what the fault depends on
        client.cancel(session)
        async with asyncio.timeout(UNFORCED):
            assert (await turn)["stopReason"] == "cancelled"
        assert (await client.prompt(session, "second"))["stopReason"] == "end_turn"
        assert client.text() == "echo: second"
        assert len(answers(client)) == len(set(answers(client)))


async def test_b18_a_late_result_of_a_cancelled_turn_answers_nobody(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    interrupted = {"type": "control_request", "request": {"subtype": "interrupt"}}
    late = {"type": "result", "subtype": "success", "num_turns": 1, "result": "late"}
    first = [
        {"open": {}},
        {"say": "working"},
        {"expect": interrupted},
        {"done": {"subtype": "error_during_execution"}},
        {"say": "LATE"},
        {"emit": {**late, "user_message_uuids": ["{prompt_uuid:0}"], "origin": {"kind": "human"}}},
    ]
    fake_cli.play(turns=[first, ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        turn = client.begin_prompt(session, "first")
        await client.wait_update("agent_message_chunk")
        client.cancel(session)
        client.cancel(session)
        async with asyncio.timeout(UNFORCED):
            assert (await turn)["stopReason"] == "cancelled"
        client.cancel(session)
        result = await client.prompt(session, "next")
        assert result["stopReason"] == "end_turn"
        assert client.text() == "workingecho: next"
        assert len(answers(client)) == len(set(answers(client)))


async def test_b20_prompts_that_wait_survive_the_death_of_the_cli(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    go = {"type": "user", "message": {"content": [{"text": "second"}]}}
    fake_cli.play(turns=[[{"open": {}}, {"say": "one"}, {"expect": go}, {"exit": 9}], ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        first = client.begin_prompt(session, "first")
        await client.wait_update("agent_message_chunk")
        fake_cli.play(turns=[ECHO])
        second = client.begin_prompt(session, "second")
        with pytest.raises(RpcError) as failed:
            await first
        assert "9" in str(failed.value)
        assert (await second)["stopReason"] == "end_turn"
        assert client.text() == "oneecho: second"


async def test_b22_a_follow_up_interrupts_nothing(fake_cli: FakeCli, tmp_path: Path) -> None:
    start = {
        "type": "system",
        "subtype": "task_started",
        "task_id": "a1",
        "tool_use_id": "t1",
        "subagent_type": "general-purpose",
        "is_backgrounded": True,
    }
    call = {"id": "t1", "name": "Agent", "input": {"prompt": "work", "run_in_background": True}}
    first = [
        {"open": {}},
        {"tool": call},
        {"emit": start},
        {"tool_result": {"id": "t1", "content": "started"}},
        {"done": {}},
    ]
    fake_cli.play(turns=[first, ECHO])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize(BACKGROUND)
        session = await client.new_session(tmp_path)
        await client.prompt(session, "first")
        await client.prompt(session, "second")
        assert fake_cli.requests("interrupt") == []
        assert client.updates("subagent_state_update") == []


async def test_b26_all_updates_of_a_turn_precede_its_answer(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    burst = {"repeat": {"times": 100, "steps": [{"say": "w{i} "}]}}
    fake_cli.play(turns=[[{"open": {}}, burst, {"done": {}}]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        want = "".join(f"w{number} " for number in range(100))
        for turn in range(1, 21):
            await client.prompt(session, "go")
            assert client.text() == want * turn


async def test_b28_the_calls_of_three_agents_name_their_own(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    kids = ("k1", "k2", "k3")
    steps: list[dict[str, Any]] = [{"open": {}}]
    steps += [{"tool": {"id": kid, "name": "Agent", "input": {"prompt": kid}}} for kid in kids]
    for number in range(4):
        for kid in kids:
            call = {"id": f"{kid}-{number}", "name": "Read", "input": {"file_path": f"/{kid}"}}
            steps.append({"tool": {**call, "parent": kid}})
    inner = {"id": "k9", "name": "Agent", "input": {"prompt": "inner"}, "parent": "k3"}
    steps += [{"tool": inner}]
    steps += [{"tool": {"id": "k9-0", "name": "Read", "input": {}, "parent": "k9"}}]
    for kid in kids:
        for number in range(4):
            steps.append({"tool_result": {"id": f"{kid}-{number}", "parent": kid}})
    steps += [{"tool_result": {"id": "k9-0", "parent": "k9"}}]
    steps += [{"tool_result": {"id": "k9", "parent": "k3"}}]
    steps += [{"tool_result": {"id": kid}} for kid in kids]
    fake_cli.play(turns=[[*steps, {"done": {}}]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        await client.prompt(session, "go")
        tree: dict[Any, set[str]] = {}
        for update in client.updates():
            if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
                parent = update["_meta"]["claudeCode"].get("parentToolUseId")
                tree.setdefault(parent, set()).add(update["toolCallId"])
        assert tree == {
            None: set(kids),
            "k1": {f"k1-{n}" for n in range(4)},
            "k2": {f"k2-{n}" for n in range(4)},
            "k3": {f"k3-{n}" for n in range(4)} | {"k9"},
            "k9": {"k9-0"},
        }


LIMIT = "You've hit your limit. It resets at 5pm."
LIMITS: dict[str, list[dict[str, Any]]] = {
    "only in the result": [{"done": {"result": LIMIT}}],
    "an error result": [{"done": {"result": LIMIT, "is_error": True}}],
    "an assistant message": [
        {
            "emit": {
                "type": "assistant",
                "error": "rate_limit",
                "parent_tool_use_id": None,
                "message": {
                    "id": "m",
                    "model": "<synthetic>",
                    "role": "assistant",
                    "content": [{"type": "text", "text": LIMIT}],
                },
            }
        },
        {"done": {"result": LIMIT, "is_error": True}},
    ],
}


@pytest.mark.parametrize("shape", LIMITS)
async def test_b43_a_usage_limit_is_told(fake_cli: FakeCli, tmp_path: Path, shape: str) -> None:
    fake_cli.play(turns=[[{"open": {}}, *LIMITS[shape]]])
    async with agent(fake_cli, tmp_path) as client:
        await client.initialize()
        session = await client.new_session(tmp_path)
        try:
            await client.prompt(session, "go")
            told = ""
        except RpcError as error:
            told = str(error)
        assert LIMIT in told or LIMIT in client.text()
        assert client.text().count(LIMIT) <= 1
