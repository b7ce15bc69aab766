"""What a client may ask of the CLI through ``_meta.claudeCode.options``."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.capabilities import client_profile
from canopy_agent.claude.client_options import with_client_options, with_profile
from canopy_agent.claude.errors import LaunchOptionInvalid
from canopy_agent.claude.launch_options import LaunchOptions, PresetPrompt, Thinking

BASE = LaunchOptions(cwd="/w")

AIR: dict[str, Any] = {
    "_meta": {"jetbrains": {"air": {"version": 1, "capabilities": ["nativeSubagentSessions"]}}}
}
FORM: dict[str, Any] = {"elicitation": {"form": {}}}


@pytest.mark.parametrize(
    ("raw", "changed"),
    [
        ({"model": "opus", "effort": "high"}, {"model": "opus", "effort": "high"}),
        ({"tools": []}, {"tools": ()}),
        ({"tools": {"type": "preset", "preset": "claude_code"}}, {"tools": None}),
        ({"settingSources": []}, {"setting_sources": ()}),
        ({"settings": {"a": 1}}, {"settings": {"a": 1}}),
        ({"settings": "s.json"}, {"settings": "s.json"}),
        ({"env": {"A": "1", "B": None}}, {"env": {"A": "1"}}),
        (
            {"thinking": {"type": "enabled", "budgetTokens": 9, "display": "omitted"}},
            {"thinking": Thinking("enabled", 9, "omitted")},
        ),
        ({"systemPrompt": "x"}, {"system_prompt": "x"}),
        ({"systemPrompt": ["a", "b"]}, {"system_prompt": "a\n\nb"}),
        (
            {"systemPrompt": {"type": "preset", "append": "x", "excludeDynamicSections": True}},
            {"system_prompt": PresetPrompt("x", exclude_dynamic_sections=True)},
        ),
        ({"promptSuggestions": False}, {"prompt_suggestions": False}),
        ({"extraArgs": {"brief": None}}, {"extra_args": {"brief": None}}),
        ({"maxTurns": 3, "skills": "all"}, {"more": {"maxTurns": 3, "skills": "all"}}),
        # Computed by the adapter, callbacks, and what nobody knows: ignored.
        ({"cwd": "/x", "permissionMode": "plan", "resume": "r", "sessionId": "s"}, {}),
        ({"includePartialMessages": False, "hooks": {"Stop": []}, "who": 1, "model": None}, {}),
    ],
)
def test_options_are_read(raw: dict[str, Any], changed: dict[str, Any]) -> None:
    assert with_client_options(BASE, raw) == LaunchOptions(cwd="/w", **changed)


def test_lists_are_joined_and_our_own_names_win() -> None:
    own = LaunchOptions(
        cwd="/w",
        disallowed_tools=("AskUserQuestion", "Bash"),
        additional_directories=("/acp",),
        mcp_servers={"a": {"command": "acp"}},
        env={"ANTHROPIC_BASE_URL": "provider"},
    )
    joined = with_client_options(
        own,
        {
            "disallowedTools": ["Bash", "WebFetch"],
            "additionalDirectories": ["/theirs"],
            "mcpServers": {"a": {"command": "theirs"}, "b": {"command": "b"}},
            "env": {"ANTHROPIC_BASE_URL": "theirs", "X": "1"},
        },
    )
    assert joined.disallowed_tools == ("Bash", "WebFetch", "AskUserQuestion")
    assert joined.additional_directories == ("/theirs", "/acp")
    assert joined.mcp_servers == {"a": {"command": "acp"}, "b": {"command": "b"}}
    assert joined.env == {"ANTHROPIC_BASE_URL": "provider", "X": "1"}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", 7),
        ("disallowedTools", "Bash"),
        ("disallowedTools", ["Bash", 1]),
        ("env", {"A": 1}),
        ("env", {"A=B": "1"}),
        ("env", {"A": "a\0b"}),
        ("extraArgs", {"x": True}),
        ("maxTurns", True),
        ("mcpServers", {"a": "b"}),
        ("settings", ["a"]),
        ("thinking", {"type": "often"}),
        ("thinking", {"type": "enabled", "budgetTokens": "9"}),
        ("systemPrompt", {"append": 1}),
        ("skills", ["a,Bash"]),
        ("skills", [""]),
        ("plugins", [{"type": "remote", "path": "x"}]),
        ("sandbox", True),
        ("promptSuggestions", "false"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name(key: str, value: Any) -> None:
    with pytest.raises(LaunchOptionInvalid) as refusal:
        with_client_options(BASE, {key: value})
    assert refusal.value.key == key
    assert str(refusal.value).startswith(f"{key} ")


@pytest.mark.parametrize(
    ("capabilities", "text", "stop", "asks"),
    [
        ({}, False, None, False),
        (FORM, False, None, True),
        ({**FORM, **AIR}, True, None, True),
        ({**FORM, "subagents": {}}, True, True, True),
        ({"_meta": {"subagent-transcript": True}}, True, None, False),
    ],
)
def test_the_profile_decides_what_the_cli_sends(
    capabilities: dict[str, Any], text: bool, stop: bool | None, asks: bool
) -> None:
    options = with_profile(BASE, client_profile(capabilities))
    assert options.forward_subagent_text is text
    assert options.per_task_stop_affordance is stop
    assert options.disallowed_tools == (() if asks else ("AskUserQuestion",))


def test_a_client_may_decline_the_task_stop_and_ask_for_more_text() -> None:
    asked = with_client_options(BASE, {"perTaskStopAffordance": False, "forwardSubagentText": True})
    options = with_profile(asked, client_profile({"subagents": {}}))
    assert options.per_task_stop_affordance is False
    assert with_profile(asked, client_profile({})).forward_subagent_text is True
