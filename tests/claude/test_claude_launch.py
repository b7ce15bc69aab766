"""The command line, environment and initialize request, with the SDK as the oracle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.claude.cli_process import CliProcess
from canopy_agent.claude.launch import (
    NESTING_MARKS,
    PROMPT_ARGUMENT_LIMIT,
    child_environment,
    command_line,
    initialize_fields,
    launch_spec,
)
from canopy_agent.claude.launch_options import HookMatcher, LaunchOptions, PresetPrompt, Thinking
from canopy_agent.claude.locate import sdk_version
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

CLAUDE_CODE = {"type": "preset", "preset": "claude_code"}
SID = "0b7ab1a4-6f67-4b0a-8d6b-3d1e0b1d8c11"

Case = tuple[dict[str, Any], dict[str, Any]]

CASES: dict[str, Case] = {
    "nothing": ({}, {}),
    "new session": (
        {"session_id": SID, "permission_mode": "default", "model": "haiku"},
        {"session_id": SID, "permission_mode": "default", "model": "haiku"},
    ),
    "resume and fork": (
        {"resume": SID, "fork": True, "permission_mode": "plan"},
        {"resume": SID, "fork_session": True, "permission_mode": "plan"},
    ),
    "an id that looks like an option": (
        {"session_id": "--dangerously-skip-permissions"},
        {"session_id": "--dangerously-skip-permissions"},
    ),
    "own prompt": ({"system_prompt": "Be\nbrief"}, {"system_prompt": "Be\nbrief"}),
    "empty prompt": ({"system_prompt": ""}, {"system_prompt": ""}),
    "appended prompt": (
        {"system_prompt": PresetPrompt(append="--also this", exclude_dynamic_sections=True)},
        {"system_prompt": {**CLAUDE_CODE, "append": "--also this"}},
    ),
    "tools": (
        {
            "tools": ("Bash", "Read"),
            "allowed_tools": ("Bash(git *)", "Read"),
            "disallowed_tools": ("AskUserQuestion", "WebFetch"),
        },
        {
            "tools": ["Bash", "Read"],
            "allowed_tools": ["Bash(git *)", "Read"],
            "disallowed_tools": ["AskUserQuestion", "WebFetch"],
        },
    ),
    "no tools": ({"tools": ()}, {"tools": []}),
    "servers and folders": (
        {
            "mcp_servers": {"ä b": {"type": "stdio", "command": "x", "args": ["-y"], "env": {}}},
            "additional_directories": ("/a b", "/c"),
        },
        {
            "mcp_servers": {"ä b": {"type": "stdio", "command": "x", "args": ["-y"], "env": {}}},
            "add_dirs": ["/a b", "/c"],
        },
    ),
    "settings object": (
        {"settings": {"permissions": {"allow": ["Bash(ls)"]}}, "setting_sources": ()},
        {"settings": '{"permissions": {"allow": ["Bash(ls)"]}}', "setting_sources": []},
    ),
    "settings path": ({"settings": "/s.json"}, {"settings": "/s.json"}),
    "sandbox": (
        {"settings": {"a": 1}, "more": {"sandbox": {"enabled": True}}},
        {"settings": '{"a": 1}', "sandbox": {"enabled": True}},
    ),
    "sandbox and settings text": (
        {"settings": '{"a": 1}', "more": {"sandbox": {"enabled": True}}},
        {"settings": '{"a": 1}', "sandbox": {"enabled": True}},
    ),
    "thinking with a budget": (
        {"thinking": Thinking("enabled", 2048, "summarized"), "effort": "high"},
        {
            "thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
            "effort": "high",
        },
    ),
    "adaptive thinking": (
        {"thinking": Thinking("adaptive", display="omitted"), "max_thinking_tokens": 9},
        {"thinking": {"type": "adaptive", "display": "omitted"}, "max_thinking_tokens": 9},
    ),
    "no thinking": (
        {"thinking": Thinking("disabled", display="omitted")},
        {"thinking": {"type": "disabled"}},
    ),
    "thinking tokens": ({"max_thinking_tokens": 0}, {"max_thinking_tokens": 0}),
    "no partial messages": (
        {"include_partial_messages": False},
        {"include_partial_messages": False},
    ),
    "agent, bypass and extra arguments": (
        {
            "agent": "reviewer",
            "allow_dangerously_skip_permissions": True,
            "extra_args": {"brief": None, "name": "-x", "plain": "y"},
        },
        {
            "extra_args": {
                "brief": None,
                "name": "-x",
                "plain": "y",
                "agent": "reviewer",
                "allow-dangerously-skip-permissions": None,
            }
        },
    ),
    "all the rest": (
        {
            "more": {
                "maxTurns": 3,
                "maxBudgetUsd": 0.5,
                "taskBudget": {"total": 1000},
                "fallbackModel": "haiku",
                "betas": ["context-1m-2025-08-07"],
                "skills": ["pdf", "x:y"],
                "plugins": [{"type": "local", "path": "/p"}],
                "includeHookEvents": True,
                "strictMcpConfig": True,
                "resumeSessionAt": "-m1",
                "resumeDropsTurn": "",
                "outputFormat": {"type": "json_schema", "schema": {"type": "object"}},
                "persistSession": False,
                "debugFile": "/d.log",
            }
        },
        {
            "max_turns": 3,
            "max_budget_usd": 0.5,
            "task_budget": {"total": 1000},
            "fallback_model": "haiku",
            "betas": ["context-1m-2025-08-07"],
            "skills": ["pdf", "x:y"],
            "plugins": [{"type": "local", "path": "/p"}],
            "include_hook_events": True,
            "strict_mcp_config": True,
            "resume_session_at": "-m1",
            "resume_drops_turn": "",
            "output_format": {"type": "json_schema", "schema": {"type": "object"}},
            "extra_args": {"no-session-persistence": None, "debug-file": "/d.log"},
        },
    ),
    "every skill": (
        {"allowed_tools": ("Read",), "more": {"skills": "all", "debug": True}},
        {"allowed_tools": ["Read"], "skills": "all", "extra_args": {"debug": None}},
    ),
}


def sdk_options(**given: Any) -> Any:
    """The SDK's options that amount to our defaults and ``given``."""
    from claude_agent_sdk import ClaudeAgentOptions

    ours: dict[str, Any] = {
        "cli_path": "/x/claude",
        "system_prompt": CLAUDE_CODE,
        "tools": CLAUDE_CODE,
        "permission_prompt_tool_name": "stdio",
        "include_partial_messages": True,
        "setting_sources": ["user", "project", "local"],
    }
    extra: dict[str, Any] = {**given.pop("extra_args", {}), "replay-user-messages": None}
    return ClaudeAgentOptions(**{**ours, **given}, extra_args=extra)


def spelled_alike(line: list[str]) -> list[Any]:
    """JSON arguments as values: two encoders need not agree on spaces and escapes."""
    return [json.loads(word) if word.startswith("{") else word for word in line]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_command_line_is_the_sdks(case: Case) -> None:
    from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

    ours, sdks = case
    expected = SubprocessCLITransport(prompt="", options=sdk_options(**sdks))._build_command()
    line = ["/x/claude", *command_line(LaunchOptions(cwd="/w", **ours))]
    assert spelled_alike(line) == spelled_alike(expected)


def test_a_settings_path_cannot_be_joined_with_a_sandbox() -> None:
    options = LaunchOptions(cwd="/w", settings="/s.json", more={"sandbox": {"enabled": True}})
    with pytest.raises(ValueError, match="sandbox"):
        command_line(options)


@pytest.mark.parametrize("where", ["override", "append"])
def test_a_long_prompt_goes_with_the_request(where: str) -> None:
    text = "ä" * (PROMPT_ARGUMENT_LIMIT // 2 + 1)
    prompt = text if where == "override" else PresetPrompt(append=text)
    options = LaunchOptions(cwd="/w", system_prompt=prompt)
    assert command_line(options) == command_line(LaunchOptions(cwd="/w"))
    field = {"override": {"systemPrompt": [text]}, "append": {"appendSystemPrompt": text}}
    assert initialize_fields(options) == {"hooks": None, **field[where]}


def test_the_initialize_request_of_plain_options_is_plain() -> None:
    assert initialize_fields(LaunchOptions(cwd="/w")) == {"hooks": None}


def test_the_initialize_request_carries_what_the_sdk_cannot_send() -> None:
    options = LaunchOptions(
        cwd="/w",
        per_task_stop_affordance=True,
        prompt_suggestions=False,
        supported_dialog_kinds=("refusal_fallback_prompt",),
        more={"title": "T", "toolAliases": {"Bash": "mcp__x__y"}, "agentProgressSummaries": False},
    )
    assert initialize_fields(options) == {
        "hooks": None,
        "perTaskStopAffordance": True,
        "promptSuggestions": False,
        "supportedDialogKinds": ["refusal_fallback_prompt"],
        "title": "T",
        "toolAliases": {"Bash": "mcp__x__y"},
        "agentProgressSummaries": False,
    }


async def test_the_initialize_request_is_the_sdks(fake_cli: FakeCli, tmp_path: Path) -> None:
    from claude_agent_sdk import AgentDefinition, ClaudeSDKClient
    from claude_agent_sdk.types import HookMatcher as SdkMatcher

    async def hook(*_: Any) -> Any:
        return {}

    sdks = sdk_options(
        cli_path=fake_cli.path,
        cwd=tmp_path,
        env=fake_cli.env,
        permission_prompt_tool_name=None,
        system_prompt={**CLAUDE_CODE, "exclude_dynamic_sections": True, "snapshot": False},
        agents={"r": AgentDefinition(description="d", prompt="p", tools=["Read"], maxTurns=2)},
        hooks={
            "PreToolUse": [SdkMatcher(matcher="Bash", hooks=[hook, hook], timeout=5.0)],
            "SubagentStop": [SdkMatcher(hooks=[hook])],
        },
        skills=["pdf"],
        forward_subagent_text=True,
    )
    async with ClaudeSDKClient(sdks):
        pass
    ours = LaunchOptions(
        cwd="/w",
        system_prompt=PresetPrompt(exclude_dynamic_sections=True, snapshot=False),
        agents={"r": {"description": "d", "prompt": "p", "tools": ["Read"], "maxTurns": 2}},
        hooks={
            "PreToolUse": (HookMatcher(("hook_0", "hook_1"), "Bash", 5.0),),
            "SubagentStop": (HookMatcher(("hook_2",)),),
        },
        forward_subagent_text=True,
        more={"skills": ["pdf"]},
    )
    (request,) = fake_cli.requests("initialize")
    assert request == {"subtype": "initialize", **initialize_fields(ours)}


async def test_the_environment_is_the_sdks(
    fake_cli: FakeCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

    for name in NESTING_MARKS:
        monkeypatch.setenv(name, "outer")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("CLAUDE_AGENT_SDK_VERSION", "0.0.1")
    monkeypatch.setenv("CLAUDE_CODE_TAKEN", "outer")
    env = {**fake_cli.env, "CLAUDE_CODE_TAKEN": "inner", "CLAUDE_CODE_STARTUP_FAILURE_RESULTS": "0"}
    transport = SubprocessCLITransport(
        prompt="",
        options=sdk_options(
            cli_path=fake_cli.path, cwd=tmp_path, env=env, enable_file_checkpointing=True
        ),
    )
    await transport.connect()
    await eventually(lambda: len(fake_cli.log("start")) == 1, "the SDK starts the CLI")
    await transport.close()

    options = LaunchOptions(cwd=str(tmp_path), env=env, enable_file_checkpointing=True)
    spec = launch_spec(
        options, executable=fake_cli.path, environ=os.environ, sdk_version=sdk_version()
    )
    process = CliProcess(spec)
    await process.start()
    await eventually(lambda: len(fake_cli.log("start")) == 2, "we start the CLI")
    await process.aclose()

    sdk, own = fake_cli.log("start")
    not_ours = {"CLAUDE_CODE_SDK_READS_SESSION_STATE"}  # we ask for those frames openly
    kept_marks = NESTING_MARKS - {"CLAUDE_CODE_ENTRYPOINT"}
    assert set(own["env"]) - set(sdk["env"]) == {"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"}
    assert set(sdk["env"]) - set(own["env"]) <= not_ours | kept_marks
    assert not set(own["env"]) & kept_marks
    assert "NO_COLOR" in own["env"]
    differing = {
        key: (value, sdk["claude"].get(key))
        for key, value in own["claude"].items()
        if value != sdk["claude"].get(key)
    }
    assert differing == {
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": ("1", None),
        "CLAUDE_CODE_STARTUP_FAILURE_RESULTS": ("1", "0"),
    }
    assert own["claude"]["CLAUDE_CODE_TAKEN"] == "inner"


def test_a_session_may_set_a_nesting_mark_on_purpose() -> None:
    options = LaunchOptions(cwd="/w", env={"AI_AGENT": "mine", "CLAUDE_CODE_ENTRYPOINT": "x"})
    env = child_environment(options, {"AI_AGENT": "outer", "PWD": "/else"}, "1.2.3")
    assert env["AI_AGENT"] == "mine"
    assert env["CLAUDE_CODE_ENTRYPOINT"] == "x"
    assert env["PWD"] == "/w"


def test_half_of_an_emoji_keeps_no_cli_from_starting() -> None:
    odd = "cut \ud83d and \0"
    options = LaunchOptions(cwd="/w", system_prompt=odd, env={"NOTE": odd})
    words = command_line(options)
    assert words[words.index("--system-prompt") + 1] == "cut \ufffd and \ufffd"
    environ = {"KEPT": "\udcff"}  # bytes of our own environment that are no text
    env = child_environment(options, environ, "1.2.3")
    assert (env["NOTE"], env["KEPT"]) == ("cut \ufffd and \ufffd", "\udcff")


def test_json_arguments_are_one_line() -> None:
    options = LaunchOptions(cwd="/w", mcp_servers={"a": {"command": "x\ny"}})
    line = command_line(options)
    value = line[line.index("--mcp-config") + 1]
    assert json.loads(value) == {"mcpServers": {"a": {"command": "x\ny"}}}
    assert "\n" not in value
