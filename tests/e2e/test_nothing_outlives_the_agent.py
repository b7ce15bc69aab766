"""However the agent ends, also by SIGKILL, what it started ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Gate, Text, ToolUse, When, flow
from canopy_agent.demo.workspace import demo_environment
from canopy_shared.process_tree import descendants
from fakes.cli import FakeCli, is_running
from raw_client import RawClient
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

STUBBORN = {"ignore_sigterm": True}
SERVER = {"grandchild": STUBBORN}
COMMAND = {"grandchild": {**STUBBORN, "own_session": True}}
TURN = [{"open": {}}, SERVER, COMMAND, {"say": "begun"}, {"hang": True}]
"""A server and a command that take no SIGTERM, as a shell's ``trap`` can make them."""


async def _eof(agent: RawClient, session: str) -> None:
    agent.close_stdin()
    await agent.process.wait()


async def _close(agent: RawClient, session: str) -> None:
    await agent.request("session/close", sessionId=session)


async def _kill(agent: RawClient, session: str) -> None:
    await agent.kill()


def _by(number: signal.Signals) -> Callable[[RawClient, str], Awaitable[None]]:
    async def end(agent: RawClient, session: str) -> None:
        agent.process.send_signal(number)
        await agent.process.wait()

    return end


ENDINGS = {
    "end of input": _eof,
    "session/close": _close,
    "SIGKILL": _kill,
    **{one.name: _by(one) for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)},
}


async def _life(folder: Path, ending: str, script: dict[str, Any]) -> None:
    fake = FakeCli(folder, turns=[TURN], on_eof="ignore", **script)
    async with RawClient.spawn(env=fake.env) as agent:
        await agent.initialize()
        session = await agent.new_session(folder)
        turn = agent.begin_prompt(session, "go")
        await agent.wait_update("agent_message_chunk")
        assert len(set(fake.pids()) & set(agent.started())) == 3
        started = [one.pid for one in descendants(agent.process.pid)]
        await ENDINGS[ending](agent, session)
        assert {*fake.pids()} <= {*started}
        gone = fake.pids() if ending == "session/close" else started
        await eventually(lambda: not any(map(is_running, gone)), f"the end of all: {ending}")
        with contextlib.suppress(Exception):
            await turn


@pytest.mark.parametrize(
    "script", [{}, {"ignore_sigterm": True}], ids=["leaves at SIGTERM", "leaves at SIGKILL"]
)
async def test_b15_nothing_is_left_in_the_middle_of_a_turn(
    tmp_path: Path, script: dict[str, Any]
) -> None:
    async with asyncio.TaskGroup() as lives:
        for ending in ENDINGS:
            lives.create_task(_life(tmp_path / ending, ending, script))


BACKGROUND = """
trap '' TERM HUP INT
(setsid sleep 900 >/dev/null 2>&1 & echo $! > on_purpose)
touch begun
sleep 900; sleep 900; sleep 900
"""


async def test_b15_a_killed_agent_takes_the_real_cli_and_its_commands_along() -> None:
    """Only what left its shell on purpose goes on, as it does when a shell ends."""
    command = {"command": "sh begin.sh", "description": "x", "run_in_background": True}
    rules = flow(When(says="go"), [ToolUse("Bash", command)], [Text((Gate("NEVER"),))])
    async with demo_environment(rules) as place:
        allowed = {"permissions": {"defaultMode": "default", "allow": ["Bash"]}}
        (place.config / "settings.json").write_text(json.dumps(allowed))
        (place.cwd / "begin.sh").write_text(BACKGROUND)
        async with RawClient.spawn(env=place.env, cwd=str(place.cwd), whole_env=True) as agent:
            await agent.initialize()
            turn = agent.begin_prompt(await agent.new_session(place.cwd), "go")
            begun = (place.cwd / "begun").exists
            await eventually(begun, "the command in the background", bound=60)
            on_purpose = int((place.cwd / "on_purpose").read_text())
            started = [one.pid for one in descendants(agent.process.pid)]
            try:
                assert len(started) >= 4  # the guard, Claude Code, the shell, its sleep
                assert on_purpose not in started
                await agent.kill()
                with contextlib.suppress(Exception):
                    await turn
                gone = lambda: not any(map(is_running, started))  # noqa: E731
                await eventually(gone, "the end of everything", bound=60)
                assert is_running(on_purpose)
            finally:
                os.kill(on_purpose, signal.SIGKILL)
