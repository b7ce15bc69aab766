"""B10: an agent process that ends is told truly, and one key starts it again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from canopy_tui.agents.agent_connection import StartFailedError
from canopy_tui.agents.foreign_agent import STDERR_LINE_LENGTH, STDERR_LINES, launch_foreign
from canopy_tui.model.intents import RestartAgent, SendPrompt, SendQueue
from canopy_tui.model.state import Phase
from fakes.agent import FakeAgentScript, ask_permission, said, spawned, tool
from fakes.cli import is_running
from tui_model.client_world import foreign_world, notices, texts, tools, world
from waiting import eventually

DYING: list[Any] = [
    {"updates": [said("half an ans"), tool("t1"), spawned("a1")]},
    ask_permission("p", "$SESSION", "t1"),
    {"stderr": "Traceback: out of memory"},
    {"stderr": "bye\x1b[31m"},
    {"file": "GATE"},
    {"exit": 143},
]


def dying(folder: Path, *more: list[Any], **script: Any) -> FakeAgentScript:
    gate = str(folder / "die")
    steps = [{"file": gate} if step == {"file": "GATE"} else step for step in DYING]
    return FakeAgentScript(folder, **{"session/prompt": [steps, *more], **script})


async def test_b10_an_agent_that_exits_in_a_turn(tmp_path: Path) -> None:
    script = dying(tmp_path)
    async with foreign_world(script) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "A"))
        seen.act(SendPrompt(root.id, "B"))
        await seen.asked()
        script.open_gate("die")
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        assert seen.state.link.detail == "The agent exited with status 143."
        assert "out of memory" in seen.state.link.stderr
        [notice] = notices(root)
        assert "143" in notice.title
        assert "out of memory" in notice.detail
        assert notice.action == "restart_agent"
        assert (root.phase, root.in_turn) == (Phase.DISCONNECTED, False)
        assert seen.state.sessions["a1"].phase is Phase.DISCONNECTED
        assert [entry.status for entry in tools(root)] == ["failed"]
        assert seen.state.waiting() == []
        assert texts(root) == "half an ans"
        assert [prompt.text for prompt in root.queue] == ["B"]

        script.play({})
        seen.act(RestartAgent())
        await seen.until(lambda: root.phase is Phase.IDLE, "the session to go on")
        assert seen.state.link.status == "ready"
        assert texts(root) == "half an ans"
        assert [prompt.text for prompt in root.queue] == ["B"]
        seen.act(SendQueue(root.id))
        await seen.until(lambda: root.queue == [] and not root.in_turn, "the queue")
    assert script.methods() == [
        "initialize", "session/new", "session/prompt",
        "initialize", "session/load", "session/prompt",
    ]  # fmt: skip
    [load] = script.received("session/load")
    assert load["params"] == {"sessionId": "S1", "cwd": str(tmp_path), "mcpServers": []}


async def test_b10_an_agent_that_closes_its_output_has_not_exited(tmp_path: Path) -> None:
    steps: list[Any] = [{"stderr": "closing"}, {"close_stdout": True}, {"file": "never"}]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [steps]})
    async with foreign_world(script) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "A"))
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        assert seen.state.link.detail == "The agent closed its output but is still running."
        assert not root.in_turn


async def test_b10_an_agent_that_exits_before_it_said_hello(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path, start=[{"stderr": "no config"}, {"exit": 3}])
    async with foreign_world(script) as seen:
        await seen.until(lambda: seen.state.link.status == "failed", "the failure")
        assert seen.state.link.detail == "The agent exited with status 3."
        assert seen.state.link.stderr == "no config"
        script.play({})
        seen.act(RestartAgent())
        await seen.ready()


async def test_b10_a_signal_is_named(tmp_path: Path) -> None:
    steps: list[Any] = [{"signal": int(signal.SIGTERM)}]
    script = FakeAgentScript(tmp_path, **{"session/prompt": [steps]})
    async with foreign_world(script) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "A"))
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        assert seen.state.link.detail == "The agent was ended by signal SIGTERM."


async def test_b10_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("no program\n")

    async def launch() -> Any:
        return await launch_foreign((str(program),), tmp_path, os.environ)

    async with world(launch, tmp_path) as seen:
        await seen.until(lambda: seen.state.link.status == "failed", "the failure")
        assert str(program) in seen.state.link.detail
        program.chmod(0o755)
        seen.act(RestartAgent())
        await seen.until(lambda: "xec format" in seen.state.link.detail, "another failure")


async def test_an_agent_that_cannot_load_gets_a_new_session(tmp_path: Path) -> None:
    script = dying(tmp_path, initialize={"agentCapabilities": {}})
    async with foreign_world(script) as seen:
        old = await seen.ready()
        seen.act(SendPrompt(old.id, "A"))
        seen.act(SendPrompt(old.id, "B"))
        await seen.asked()
        script.open_gate("die")
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        script.play(
            {
                "initialize": {"agentCapabilities": {}},
                "session/new": [[{"respond": {"sessionId": "S2"}}]],
            }
        )
        seen.act(RestartAgent())
        await seen.until(lambda: old.successor, "a successor")
        assert seen.root.id == old.successor == "S2"
        assert notices(old)[-1].title.startswith("A new session was opened")
        assert [prompt.text for prompt in seen.root.queue] == ["B"]
        seen.act(SendPrompt(old.id, "C"))
        await seen.until(lambda: seen.root.turns_done == 2, "both prompts")
    sent = [m["params"] for m in script.received("session/prompt")][1:]
    assert [(p["sessionId"], p["prompt"][0]["text"]) for p in sent] == [("S2", "B"), ("S2", "C")]


async def test_a_session_that_fails_to_load_is_replaced_once(tmp_path: Path) -> None:
    script = dying(tmp_path)
    async with foreign_world(script) as seen:
        old = await seen.ready()
        seen.act(SendPrompt(old.id, "A"))
        await seen.asked()
        script.open_gate("die")
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        gone = {"error": {"code": -32002, "message": "Resource not found"}}
        script.play(
            {
                "session/load": [[gone], []],
                "session/new": [[{"respond": {"sessionId": "S2"}}]],
                "session/prompt": [[{"exit": 1}], []],
            }
        )
        seen.act(RestartAgent())
        await seen.until(lambda: old.successor, "a successor")
        assert "Resource not found" in notices(old)[-1].title
        seen.act(SendPrompt("S2", "B"))
        await seen.until(lambda: seen.state.link.status == "lost", "the second loss")
        script.play({})
        seen.act(RestartAgent())
        await seen.until(lambda: seen.root.phase is Phase.IDLE, "the successor to go on")
        assert seen.state.roots == ["S1", "S2"]
    assert [m["params"]["sessionId"] for m in script.received("session/load")] == ["S1", "S2"]


async def test_restarting_an_agent_that_is_there_does_nothing(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path)
    async with foreign_world(script) as seen:
        await seen.ready()
        seen.act(RestartAgent())
        seen.act(SendPrompt("S1", "A"))
        await seen.until(lambda: seen.root.turns_done, "a turn")
    assert len(script.pids()) == 1


@pytest.mark.parametrize("stubborn", [False, True], ids=["gentle", "stubborn"])
async def test_leaving_leaves_no_process(tmp_path: Path, stubborn: bool) -> None:
    program = (
        "import os,signal,subprocess,sys,time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "p=subprocess.Popen([sys.executable,'-c','import time;time.sleep(300)']);"
        "open('pids','w').write(f'{os.getpid()} {p.pid}\\n');"
        "time.sleep(300)"
    )
    script = FakeAgentScript(tmp_path)
    command = ("/usr/bin/env", "python3", "-c", program) if stubborn else script.command

    async def launch() -> Any:
        return await launch_foreign(command, tmp_path, os.environ)

    pids: list[int] = []
    async with world(launch, tmp_path) as seen:
        if stubborn:
            file = tmp_path / "pids"
            await seen.until(lambda: file.exists() and "\n" in file.read_text(), "the processes")
            pids = [int(pid) for pid in file.read_text().split()]
        else:
            await seen.ready()
            pids = script.pids()
    for pid in pids:
        await eventually(lambda pid=pid: not is_running(pid), f"the end of {pid}")


async def test_only_the_end_of_stderr_is_kept(tmp_path: Path) -> None:
    flood = [{"stderr": f"line {number} " + "x" * 2000} for number in range(STDERR_LINES + 50)]
    script = FakeAgentScript(tmp_path, start=[*flood, {"exit": 1}])
    async with foreign_world(script) as seen:
        await seen.until(lambda: seen.state.link.status == "failed", "the failure")
        lines = seen.state.link.stderr.split("\n")
        assert len(lines) == STDERR_LINES
        assert lines[-1].startswith(f"line {STDERR_LINES + 49} ")
        assert max(map(len, lines)) == STDERR_LINE_LENGTH


async def test_a_missing_program_is_a_start_failure(tmp_path: Path) -> None:
    with pytest.raises(StartFailedError, match="could not be started"):
        await launch_foreign((str(tmp_path / "none"),), tmp_path, {})
