"""How the CLI is found and what it is started with: B40, B42, B45, B85."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.claude import locate
from canopy_agent.claude.errors import ClaudeStartFailed
from canopy_agent.claude.launch import NESTING_MARKS
from canopy_agent.claude.locate import locate_cli
from fakes.cli import FakeCli
from raw_client import RawClient
from waiting import eventually

NPM_SHIM = r"""@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0
"%dp0%\node_modules\@anthropic-ai\claude-code\bin\claude.exe"   %*
"""
NPM_SHIM_PS1 = r"""#!/usr/bin/env pwsh
$basedir=Split-Path $MyInvocation.MyCommand.Definition -Parent
& "$basedir/node_modules/@anthropic-ai/claude-code/bin/claude.exe"   $args
exit $LASTEXITCODE
"""
NODE_SHIM = r"""@ECHO off
"%dp0%\node.exe"  "%dp0%\node_modules\@anthropic-ai\claude-code\cli.js" %*
"""
PROGRAM = "node_modules/@anthropic-ai/claude-code/bin/claude.exe"


def runnable(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("folder", ["bin", "Ann Other & Co", "100%"])
@pytest.mark.parametrize(("name", "text"), [("claude.cmd", NPM_SHIM), ("claude.ps1", NPM_SHIM_PS1)])
def test_b85_the_program_behind_a_script_of_npm_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, name: str, text: str
) -> None:
    shim = runnable(tmp_path / folder / name, text)
    program = str(runnable(shim.parent / PROGRAM))
    monkeypatch.setattr(locate, "bundled_cli", lambda: None)
    monkeypatch.setattr(locate, "_NAMES", ("claude.exe", "claude.cmd", "claude.ps1"))
    assert locate_cli({"PATH": str(shim.parent)}).path == program
    assert locate_cli({"CLAUDE_CODE_EXECUTABLE": str(shim)}).path == program
    assert locate_cli({"CLAUDE_CODE_EXECUTABLE": program}).path == program


@pytest.mark.parametrize("text", [NPM_SHIM, NODE_SHIM, "", "\0\xff"])
def test_b85_a_script_that_starts_nothing_we_can_start_is_named(tmp_path: Path, text: str) -> None:
    shim = runnable(tmp_path / "a b" / "claude.cmd", text)
    runnable(shim.parent / "node.exe")
    with pytest.raises(ClaudeStartFailed) as failure:
        locate_cli({"CLAUDE_CODE_EXECUTABLE": str(shim)})
    assert str(shim) in str(failure.value)
    assert "path of claude.exe" in failure.value.hint


async def opened(client: RawClient, cwd: Path) -> dict[str, Any]:
    """The response to ``session/new``."""
    await client.initialize()
    given = {"cwd": str(cwd), "mcpServers": []}
    return await client.request("session/new", **given)  # type: ignore[no-any-return]


async def test_b42_a_session_inside_a_session_is_one_of_its_own(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    kept = {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "1000", "CLAUDE_CODE_USE_BEDROCK": "0"}
    env = {
        **fake_cli.env,
        **dict.fromkeys(NESTING_MARKS, "outer"),
        **{"CLAUDECODE": "1", "CLAUDE_CODE_SSE_PORT": "61234", "HOME": str(tmp_path)},
        **kept,
    }
    async with RawClient.spawn(env=env) as client:
        session = (await opened(client, tmp_path))["sessionId"]
        assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"
    (start,) = fake_cli.log("start")
    assert set(start["env"]) & NESTING_MARKS == {"CLAUDE_CODE_ENTRYPOINT"}
    assert start["claude"]["CLAUDE_CODE_ENTRYPOINT"] == "sdk-py"
    assert {key: start["claude"][key] for key in kept} == kept


@pytest.mark.parametrize(
    ("user", "project", "variable", "current"),
    [
        ("haiku", None, None, "haiku"),
        ("default", "haiku", None, "haiku"),
        ("haiku", None, "default", "default"),
        ("of-a-gateway", None, None, "of-a-gateway"),
    ],
)
async def test_b45_the_model_of_the_settings_is_shown_and_left_alone(
    fake_cli: FakeCli,
    tmp_path: Path,
    user: str | None,
    project: str | None,
    variable: str | None,
    current: str,
) -> None:
    for folder, model in ((tmp_path, user), (tmp_path / "project", project)):
        settings = folder / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(json.dumps({"model": model} if model else {}))
    env = {**fake_cli.env, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    env["ANTHROPIC_MODEL"] = variable or ""
    async with RawClient.spawn(env=env) as client:
        answer = await opened(client, tmp_path / "project")
        options = {one["id"]: one for one in answer["configOptions"]}
        assert options["model"]["currentValue"] == current
        await client.prompt(answer["sessionId"], "hi")
    assert fake_cli.requests("set_model") == []
    assert "--model" not in fake_cli.argvs()[0]


async def test_b45_the_model_that_was_chosen_outlives_the_cli(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    env = {**fake_cli.env, "HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}
    async with RawClient.spawn(env=env) as client:
        session = (await opened(client, tmp_path))["sessionId"]
        chosen = {"sessionId": session, "configId": "model", "value": "haiku"}
        await client.request("session/set_config_option", **chosen)
        os.kill(fake_cli.pids()[0], signal.SIGKILL)
        await eventually(lambda: "SIGKILL" in client.stderr, "the end of the CLI")
        await client.prompt(session, "hi")
    first, second = fake_cli.log("start")
    came = [one["frame"] for one in fake_cli.log("in") if one["pid"] == second["pid"]]
    kinds = [frame.get("request", frame).get("subtype", frame["type"]) for frame in came]
    assert kinds.index("set_model") < kinds.index("user")
    [request] = [one["request"] for one in came if "set_model" in str(one.get("request"))]
    assert request["model"] == "haiku"
    assert first["pid"] != second["pid"]


async def test_b40_a_bare_environment_is_enough(fake_cli: FakeCli, tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], **fake_cli.env}
    env["CLAUDE_CONFIG_DIR"] = str(tmp_path / ".claude")
    async with RawClient.spawn(env=env, whole_env=True) as client:
        session = (await opened(client, tmp_path))["sessionId"]
        assert (await client.prompt(session, "hi"))["stopReason"] == "end_turn"
    (start,) = fake_cli.log("start")
    assert "HOME" in start["env"]  # from the database of users where it was unset
