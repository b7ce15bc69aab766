"""The bundled Claude Code CLI answers our initialize request. Needs no network and no account."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from canopy_agent.claude.control import ControlPeer
from canopy_agent.claude.errors import ControlFailed
from canopy_agent.claude.launch import initialize_fields, launch_spec
from canopy_agent.claude.launch_options import LaunchOptions, PresetPrompt
from canopy_agent.claude.locate import bundled_cli, sdk_version
from canopy_agent.claude.sdk_process import SdkProcess

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.claude.process import LaunchSpec

OPTIONS = {
    "permission_mode": "default",
    "per_task_stop_affordance": True,
    "forward_subagent_text": True,
    "prompt_suggestions": False,
    "system_prompt": PresetPrompt(append="x" * 200_000),  # too long for a command line
}


@pytest.fixture
def closed_url() -> str:
    """A loopback address on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture
def options(tmp_path: Path) -> LaunchOptions:
    (tmp_path / "project").mkdir()
    return LaunchOptions(cwd=str(tmp_path / "project"), **OPTIONS)  # type: ignore[arg-type]


@pytest.fixture
def spec(options: LaunchOptions, tmp_path: Path, closed_url: str) -> LaunchSpec:
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "ANTHROPIC_API_KEY": "sk-ant-nobody",
        "ANTHROPIC_BASE_URL": closed_url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    cli = bundled_cli()
    assert cli is not None, "the SDK's wheel for this system brings no Claude Code"
    return launch_spec(options, executable=str(cli), environ=environ, sdk_version=sdk_version())


@pytest.mark.parametrize("process_class", [CliProcess, SdkProcess])
async def test_initialize_is_answered_and_the_process_leaves(
    process_class: type[CliProcess], spec: LaunchSpec, options: LaunchOptions
) -> None:
    process = process_class(spec)
    await process.start()
    peer = ControlPeer(process.write)
    unknown: list[dict[str, Any]] = []

    async def pump() -> None:
        while frames := await process.read():
            unknown.extend(frame for frame in frames if not peer.resolve(frame))
        peer.fail_all(process.exit)

    reading = asyncio.create_task(pump())
    try:
        answer = await peer.request("initialize", **initialize_fields(options))
        assert answer["models"]
        assert answer["commands"]
        assert (await peer.request("set_permission_mode", mode="plan")) == {"mode": "plan"}
        with pytest.raises(ControlFailed) as refusal:
            await peer.request("no_such_request")
        assert refusal.value.code == "unsupported_request"
    finally:
        ended = await process.aclose(grace=30)
    async with asyncio.timeout(30):
        await reading
    assert (ended.code, ended.signal) == (0, None)
    assert [frame for frame in unknown if frame["type"] == "result"] == []
    with pytest.raises(ControlFailed, match="exit status 0"):
        await peer.request("interrupt")
