"""A client that is not ours: the npm package ``acpx`` drives ``canopy --stdio`` and the real CLI.

``make interop`` puts ``acpx`` and a recent node on PATH; without them these tests fail.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from canopy_agent.demo.rules import Rule, Text, ToolUse, When, flow
from canopy_agent.demo.workspace import DemoEnvironment, demo_environment

TOOLS = Path(__file__).resolve().parents[2] / ".tools" / "node_modules" / ".bin"
HANG_SECONDS = 120
ANSWER = "The file holds the word canopy."
COMMAND = "echo canopy > made-by-a-tool.txt"


def script() -> tuple[Rule, ...]:
    write = ToolUse("Bash", {"command": COMMAND, "description": "Write a word"})
    return flow(When(says="write the word"), [Text("I write it."), write], [Text(ANSWER)])


async def acpx(world: DemoEnvironment, *options: str) -> tuple[int, str]:
    """Run one prompt through acpx in ``world``; its exit code and what it wrote to stdout."""
    path = os.pathsep.join([str(TOOLS), str(Path(sys.executable).parent), world.env["PATH"]])
    process = await asyncio.create_subprocess_exec(
        *(TOOLS / "acpx", "--agent", "canopy --stdio", "--approve-all", *options),
        *("exec", "Please write the word."),
        cwd=world.cwd,
        env={**world.env, "PATH": path},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
    )
    stdout, _ = await asyncio.wait_for(process.communicate(), HANG_SECONDS)
    assert process.returncode is not None
    return process.returncode, stdout.decode()


def updates(frames: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        update
        for frame in frames
        if frame.get("method") == "session/update"
        if (update := frame["params"]["update"])["sessionUpdate"] == kind
    ]


async def test_an_answer_and_a_tool_call_come_through() -> None:
    async with demo_environment(script(), pace=0.0) as world:
        exit_code, stdout = await acpx(world, "--format", "json")
        made = (world.cwd / "made-by-a-tool.txt").read_text()
        unscripted = world.model.unscripted
    frames = [json.loads(line) for line in stdout.splitlines()]
    calls = updates(frames, "tool_call")
    ends = [update for update in updates(frames, "tool_call_update") if "status" in update]
    texts = [update["content"]["text"] for update in updates(frames, "agent_message_chunk")]
    assert exit_code == 0
    assert made == "canopy\n"
    assert unscripted == []
    assert len({call["toolCallId"] for call in calls}) == 1
    assert ends[-1]["status"] == "completed"
    assert ANSWER in "".join(texts)
    assert [frame for frame in frames if "error" in frame] == []
    assert frames[-1]["result"]["stopReason"] == "end_turn"


async def test_the_permission_is_asked_for_and_given() -> None:
    async with demo_environment(script(), pace=0.0) as world:
        exit_code, stdout = await acpx(world, "--format", "json")
    frames = [json.loads(line) for line in stdout.splitlines()]
    asked = [frame for frame in frames if frame.get("method") == "session/request_permission"]
    given = [frame for frame in frames if "outcome" in frame.get("result", {})]
    assert exit_code == 0
    assert len(asked) == 1
    options = {option["optionId"]: option["kind"] for option in asked[0]["params"]["options"]}
    assert [options[frame["result"]["outcome"]["optionId"]] for frame in given] == ["allow_once"]


async def test_a_person_reads_the_same_in_text_form() -> None:
    async with demo_environment(script(), pace=0.0) as world:
        exit_code, stdout = await acpx(world)
    assert exit_code == 0
    assert "[tool]" in stdout
    assert "(completed)" in stdout
    assert ANSWER in stdout
    assert "[done] end_turn" in stdout
