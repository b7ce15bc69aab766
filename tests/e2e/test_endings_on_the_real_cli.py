"""How sessions, the CLI and the agent end, on the real CLI: nothing hangs, nothing is left."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from canopy_agent.demo.rules import Gate, Rule, Text, ToolUse, When, flow
from canopy_agent.demo.workspace import demo_environment
from e2e.world import BACKGROUND, world
from fakes.cli import is_running
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from e2e.world import World

COUNT = Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))])
NEXT = Rule(When(says="next"), "Works again.")
WRITE = ToolUse("Write", {"file_path": "{cwd}/new.txt", "content": "x\n"})


def cli_pids(w: World) -> list[int]:
    """The Claude Code processes of the agent."""
    return w.agent.started()


async def test_b09_a_killed_cli_fails_the_prompt_and_the_next_one_resumes() -> None:
    remembers = Rule(
        When(says="what"), lambda request: f"You said {len(request.conversation.all_says)} things."
    )
    async with world(Rule(When(says="hello"), "Hello."), COUNT, remembers) as w:
        await w.open()
        await w.prompt("hello")
        turn = w.agent.begin_prompt(w.session, "count")
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "two" in str(u))
        os.kill(cli_pids(w)[0], signal.SIGKILL)
        with pytest.raises(RpcError) as failed:
            await turn
        assert failed.value.code == -32603
        assert "SIGKILL" in str(failed.value) or "137" in str(failed.value)
        assert (await w.prompt("what did I say?"))["stopReason"] == "end_turn"
        assert w.agent.text().endswith("things.")
        asked = w.model.turns[-1]
        assert "hello" in str(asked.body)


async def test_b09_a_cli_that_dies_while_idle_is_replaced_at_the_next_prompt() -> None:
    async with world(NEXT) as w:
        await w.open()
        await w.prompt("next")
        (pid,) = cli_pids(w)
        os.kill(pid, signal.SIGTERM)
        await eventually(lambda: not is_running(pid), "the CLI is gone")
        assert (await w.prompt("next"))["stopReason"] == "end_turn"
        assert w.agent.text() == "Works again.Works again."


async def test_a_cli_that_dies_before_the_first_prompt_is_replaced_too() -> None:
    async with world(NEXT) as w:
        await w.open()
        (pid,) = cli_pids(w)
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not is_running(pid), "the CLI is gone")
        assert (await w.prompt("next"))["stopReason"] == "end_turn"


async def test_scenario_27_close_answers_the_prompt_and_leaves_nothing() -> None:
    async with world(flow(When(says="write"), [WRITE], "Not reached.")) as w:
        await w.open()
        w.agent.on("session/request_permission", None)
        turn = w.agent.begin_prompt(w.session, "write")
        asked = await w.agent.wait_request("session/request_permission")
        assert await w.agent.request("session/close", sessionId=w.session) == {}
        assert turn.done()
        assert (await turn)["stopReason"] == "cancelled"
        withdrawn = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
        assert [one["params"]["requestId"] for one in withdrawn] == [asked["id"]]
        assert await w.agent.request("session/close", sessionId=w.session) == {}
        await eventually(lambda: not cli_pids(w), "the CLI is gone")
        with pytest.raises(RpcError) as gone:
            await w.prompt("next")
        assert gone.value.code == -32002


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_b15_a_signal_ends_the_agent_and_its_clis(number: signal.Signals) -> None:
    async with world(COUNT) as w:
        await w.open(BACKGROUND)
        w.agent.begin_prompt(w.session, "count")
        await w.agent.wait_update("agent_message_chunk")
        pids = cli_pids(w)
        assert pids
        w.agent.process.send_signal(number)
        assert await w.agent.process.wait() == 0
        await eventually(lambda: not any(map(is_running, pids)), "every CLI is gone")


async def test_b15_the_end_of_stdin_ends_everything_in_mid_turn_with_an_open_request() -> None:
    async with world(flow(When(says="write"), [WRITE], "Not reached.")) as w:
        await w.open()
        second = await w.agent.new_session(w.cwd)
        assert second != w.session
        w.agent.on("session/request_permission", None)
        w.agent.begin_prompt(w.session, "write")
        await w.agent.wait_request("session/request_permission")
        pids = cli_pids(w)
        assert len(pids) == 2
        w.agent.close_stdin()
        assert await w.agent.process.wait() == 0
        await eventually(lambda: not any(map(is_running, pids)), "every CLI is gone")


def at_work_in(folder: Path) -> list[int]:
    """Processes that work in a folder below ``folder``."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink().is_relative_to(folder) and is_running(int(entry.name)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


async def test_a_killed_client_takes_the_cli_and_its_background_commands_along() -> None:
    """The CLI alone stays for its commands: the end of its input does not end it (2.1.332)."""
    command = {"command": "touch begun; sleep 900", "description": "x", "run_in_background": True}
    rules = flow(When(says="go"), [ToolUse("Bash", command)], [Text((Gate("NEVER"),))])
    async with demo_environment(rules) as place:
        (place.config / "settings.json").write_text('{"permissions": {"allow": ["Bash"]}}')
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "canopy_tui", "--plain", "--trust", "go"),
            cwd=place.cwd,
            env={**place.env, "CANOPY_CONFIG_DIR": str(place.config / "canopy")},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
        )
        await eventually((place.cwd / "begun").exists, "the command in the background", bound=60)
        assert len(at_work_in(place.cwd)) >= 3
        client.kill()
        await client.wait()
        await eventually(lambda: not at_work_in(place.cwd), "the end of everything", bound=60)
