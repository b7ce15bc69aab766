"""How a client gets in and out: before ``initialize``, versions, the end of the input."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING

import pytest

from canopy_shared.version import __version__
from fakes.cli import FakeCli, is_running
from raw_client import RawClient, RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path


async def said(*arguments: str, **env: str) -> tuple[int | None, str]:
    """The exit code and the output of ``canopy`` with ``arguments``."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "canopy_tui", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **env},
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode().strip()


async def test_scenarios_5_and_9_before_initialize_and_at_the_end_of_the_input(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    env = {**fake_cli.env, "CLAUDE_CONFIG_DIR": str(tmp_path)}
    async with RawClient.spawn(env=env) as agent:
        for method in ("session/new", "providers/list", "logout", "nonsense"):
            with pytest.raises(RpcError) as refused:
                await agent.request(method, cwd=str(tmp_path), mcpServers=[])
            assert refused.value.code == -32600
        agent.notify("session/cancel", sessionId="x")
        await agent.initialize()
        await agent.new_session(tmp_path)
        started = agent.started()
        assert started  # the CLI, and while it answers the one that is asked who pays
        agent.close_stdin()
        assert await agent.process.wait() == 0
        await eventually(lambda: not any(map(is_running, started)), "the CLI is gone")


async def test_scenario_8_versions_and_the_exit_code_of_the_cli(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    assert await said("--version") == (0, f"canopy {__version__}")
    code, out = await said("--cli", "--version", **fake_cli.env)
    assert (code, out) == (0, "2.1.332 (Claude Code)")
    failing = tmp_path / "claude"
    failing.write_text("#!/bin/sh\nexit 7\n")
    failing.chmod(0o755)
    code, _ = await said("--cli", "--version", CLAUDE_CODE_EXECUTABLE=str(failing))
    assert code == 7
