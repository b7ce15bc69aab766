"""The fake CLI speaks like a real one, so that tests built on it mean something."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from fakes.cli import FakeCli, is_running
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Start = Callable[..., Awaitable[CliProcess]]


@pytest.fixture
async def start(fake_cli: FakeCli, tmp_path: Path) -> AsyncIterator[Start]:
    """A process that plays the script given."""
    started: list[CliProcess] = []

    async def play(**script: Any) -> CliProcess:
        fake_cli.play(**script)
        process = CliProcess(fake_cli.spec(tmp_path))
        await process.start()
        started.append(process)
        return process

    yield play
    for process in started:
        await process.aclose(grace=0.1)


def prompt(text: str, uid: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"type": "user", "uuid": uid, "message": {"role": "user", "content": content}}


async def frames_until(process: CliProcess, kind: str, count: int = 1) -> list[dict[str, Any]]:
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(20):
        while sum(name_of(frame) == kind for frame in frames) < count:
            batch = await process.read()
            assert batch, frames
            frames += batch
    return frames


def name_of(frame: dict[str, Any]) -> str:
    event = frame.get("event", {}).get("type")
    return str(event or frame.get("state") or frame.get("subtype") or frame["type"])


async def test_a_plain_turn_has_the_frames_of_a_real_one(start: Start) -> None:
    process = await start()
    process.write(prompt("hi", "u1"))
    frames = await frames_until(process, "idle")
    assert [name_of(frame) for frame in frames] == [
        "running",
        "queued",
        "started",
        "init",
        "user",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "assistant",
        "content_block_stop",
        "message_stop",
        "success",
        "completed",
        "idle",
    ]
    assert frames[4]["isReplay"]
    assert frames[11]["user_message_uuids"] == ["u1"]
    assert len({frame["session_id"] for frame in frames}) == 1


async def test_tools_permissions_and_children(start: Start, fake_cli: FakeCli) -> None:
    ask = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}, "tool_use_id": "t1"}
    process = await start(
        turns=[
            [
                {"open": {}},
                {"think": "hm"},
                {"tool": {"id": "t1", "name": "Bash", "input": {"command": "ls"}}},
                {"ask": ask},
                {"tool_result": {"id": "t1", "content": "{answer}"}},
                {"say": {"text": "from below", "parent": "t1"}},
                {"done": {"subtype": "error_during_execution"}},
            ]
        ]
    )
    process.write(prompt("go", "u1"))
    frames = await frames_until(process, "requires_action")
    request = (await process.read())[-1] if name_of(frames[-1]) == "requires_action" else frames[-1]
    assert request["request"] == ask
    body = {"subtype": "success", "request_id": request["request_id"], "response": {"a": 1}}
    process.write({"type": "control_response", "response": body})
    frames = await frames_until(process, "idle")
    kinds = [name_of(frame) for frame in frames]
    assert kinds[:3] == ["control_response", "running", "user"]
    assert '"a": 1' in frames[2]["message"]["content"][0]["content"]
    below = frames[3]
    assert (below["type"], below["parent_tool_use_id"]) == ("assistant", "t1")
    assert "message_start" not in kinds
    assert "error_during_execution" in kinds


async def test_turns_follow_prompts_and_the_last_serves_the_rest(
    start: Start, fake_cli: FakeCli
) -> None:
    done = {"emit": {"type": "end", "uuid": "{prompt_uuid}", "first": "{prompt_uuid:0}"}}
    process = await start(turns=[[{"emit": {"type": "one"}}, done], [done]])
    for number in range(3):
        process.write(prompt("x", f"u{number}"))
    frames = await frames_until(process, "end", 3)
    assert [frame["type"] for frame in frames] == ["one", "end", "end", "end"]
    assert [(f["uuid"], f["first"]) for f in frames[1:]] == [(f"u{n}", "u0") for n in range(3)]


async def test_control_rules_expect_and_respond(start: Start, fake_cli: FakeCli) -> None:
    process = await start(
        control={
            "initialize": {"response": {"models": []}},
            "set_model": {"error": "no such model", "code": "bad"},
            "interrupt": {"ignore": True},
        },
        start=[
            {"expect": {"request": {"subtype": {"$re": "^inter"}}}},
            {"respond": {"still_queued": []}},
            {"emit": {"type": "end"}},
        ],
    )
    for number, subtype in enumerate(("initialize", "set_model", "other", "interrupt")):
        request = {"subtype": subtype}
        frame = {"type": "control_request", "request_id": f"r{number}", "request": request}
        process.write(frame)
    frames = await frames_until(process, "end")
    answers = {frame["response"]["request_id"]: frame["response"] for frame in frames[:-1]}
    assert answers["r0"]["response"] == {"models": []}
    assert (answers["r1"]["error"], answers["r1"]["error_code"]) == ("no such model", "bad")
    assert answers["r2"]["response"] == {}
    assert answers["r3"]["response"] == {"still_queued": []}
    assert [one["subtype"] for one in fake_cli.requests()][-1] == "interrupt"


async def test_hearts_beat_until_the_end(start: Start, fake_cli: FakeCli, tmp_path: Path) -> None:
    hearts = [tmp_path / "own", tmp_path / "child"]
    process = await start(
        start=[
            {"heartbeat": str(hearts[0])},
            {"grandchild": {"heartbeat": str(hearts[1])}},
            {"hang": True},
        ]
    )
    await eventually(lambda: all(path.exists() for path in hearts), "both hearts beat")
    await eventually(fake_cli.grandchildren, "the grandchild is in the log")
    await process.aclose()
    await eventually(lambda: not any(map(is_running, fake_cli.pids())), "all are gone")
    assert len(fake_cli.pids()) == 2
