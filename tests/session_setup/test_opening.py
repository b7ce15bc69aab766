"""What a session begins with: mode, model, options and commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from canopy_agent.capabilities import ClientProfile, client_profile
from canopy_agent.session.caller_options import caller_options
from canopy_agent.session.commands import Skills, available_commands
from canopy_agent.session.modes import Availability, initial_mode
from canopy_agent.session.opening import session_response
from canopy_agent.session.option_changes import plan_mode
from canopy_agent.session.settings_files import ClaudeSettings
from canopy_agent.settings import AdapterSettings
from canopy_shared.codec import decode_config_options, encode
from session_setup.conftest import AIR, PLAIN, opened, with_ultracode, without_auto

DEFAULT = ClaudeSettings(default_mode="default")
MODES = ["default", "acceptEdits", "plan", "auto", "bypassPermissions"]
RECOMMENDING = client_profile(
    {"_meta": {"jetbrains": {"air": {"version": 1, "capabilities": ["recommendedValue"]}}}}
)


def response_of(
    init: dict[str, Any], profile: ClientProfile = PLAIN, **more: Any
) -> dict[str, Any]:
    opening = with_ultracode(opened(init, settings=DEFAULT, profile=profile, **more))
    return session_response("s1", opening.state, profile)


def option(response: dict[str, Any], id_: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in response["configOptions"] if one["id"] == id_)
    return found


def values(response: dict[str, Any], id_: str) -> list[str]:
    return [choice["value"] for choice in option(response, id_)["options"]]


# --- the response -------------------------------------------------------------------------------


def test_scenario_11_the_response_to_a_plain_client(init: dict[str, Any]) -> None:
    response = response_of(init)
    assert response["sessionId"] == "s1"
    assert response["modes"]["currentModeId"] == "default"
    assert [mode["id"] for mode in response["modes"]["availableModes"]] == MODES
    shapes = [
        (one["id"], one["type"], one.get("category"), one["currentValue"])
        for one in response["configOptions"]
    ]
    assert shapes == [
        ("mode", "select", "mode", "default"),
        ("model", "select", "model", "default"),
        ("effort", "select", "thought_level", "default"),
        ("fast", "select", "model_config", "off"),
        ("ultracode", "select", "model_config", "off"),
    ]
    assert values(response, "mode") == MODES
    assert values(response, "model") == ["default", "opus", "fable", "sonnet", "haiku"]
    assert values(response, "effort") == ["default", "low", "medium", "high", "xhigh", "max"]
    assert values(response, "fast") == values(response, "ultracode") == ["on", "off"]
    names = [(c["name"], c.get("description")) for c in option(response, "model")["options"]]
    assert names[0] == ("Default (recommended)", "Opus 5.5")
    assert [name for name, _ in names[1:]] == ["Opus 5.5", "Fable 5.2", "Sonnet 5.5", "Haiku 5.5"]
    assert [c["name"] for c in option(response, "effort")["options"]][-2:] == ["Xhigh", "Max"]
    assert "_meta" not in str(response)


def test_scenario_11_the_schema_of_acp_reads_the_response(init: dict[str, Any]) -> None:
    from acp import schema

    boolean = client_profile({"session": {"configOptions": {"boolean": {}}}})
    for profile in (PLAIN, AIR, boolean):
        response = response_of(init, profile)
        read = schema.NewSessionResponse.model_validate(response)
        assert [one.id for one in read.config_options or ()] == [
            one["id"] for one in response["configOptions"]
        ]
        assert len(decode_config_options(response["configOptions"])) == 5


def test_an_air_client_learns_the_kind_of_each_mode(init: dict[str, Any]) -> None:
    response = response_of(init, AIR)
    kinds = ["standard", "standard", "plan", "auto_review", "full_access"]
    for listed in (response["modes"]["availableModes"], option(response, "mode")["options"]):
        assert [one["_meta"]["jetbrains"]["air"]["kind"] for one in listed] == kinds


def test_a_client_with_booleans_gets_booleans(init: dict[str, Any]) -> None:
    boolean = client_profile({"session": {"configOptions": {"boolean": {}}}})
    fast = option(response_of(init, boolean), "fast")
    assert (fast["type"], fast["currentValue"]) == ("boolean", False)
    assert "options" not in fast


def test_scenario_12_bypass_is_gone_for_root_and_when_the_caller_says_so(
    init: dict[str, Any],
) -> None:
    meta = {"claudeCode": {"options": {"allowDangerouslySkipPermissions": False}}}
    for case in (
        {"adapter": AdapterSettings(root=True)},
        {"caller": caller_options(meta, PLAIN)},
    ):
        response = response_of(init, **case)
        assert [mode["id"] for mode in response["modes"]["availableModes"]] == MODES[:-1]
    sandboxed = response_of(init, adapter=AdapterSettings(root=True, sandboxed=True))
    assert values(sandboxed, "mode") == MODES


# --- the mode -----------------------------------------------------------------------------------


def test_scenario_13_chosen_auto_with_a_model_that_lacks_it(init: dict[str, Any]) -> None:
    opening = opened(without_auto(init), settings=ClaudeSettings(default_mode="auto"))
    assert opening.state.mode == "acceptEdits"
    assert opening.requests == ({"subtype": "set_permission_mode", "mode": "acceptEdits"},)
    assert opening.warning is not None
    again = plan_mode(opening.state, "auto", PLAIN)
    assert (again.state.mode, again.warning) == ("acceptEdits", None)


def test_scenario_14_without_a_default_mode(init: dict[str, Any]) -> None:
    without = opened(without_auto(init))
    assert (without.state.mode, without.warning) == ("default", None)
    assert without.requests == ({"subtype": "set_permission_mode", "mode": "default"},)
    assert opened(init).state.mode == "auto"
    disabled = opened(init, settings=ClaudeSettings(auto_disabled=True))
    assert disabled.state.mode == "default"
    assert not disabled.state.offered.auto


@pytest.mark.parametrize(
    ("configured", "mode", "noted"),
    [
        ("Manual", "default", False),
        ("BYPASS", "bypassPermissions", False),
        ("bypassPermissions", "bypassPermissions", False),
        ("acceptedits", "acceptEdits", False),
        ("dontask", "dontAsk", False),
        ("plan", "plan", False),
        ("yolo", "default", True),
    ],
)
def test_spellings_of_the_default_mode(configured: str, mode: str, noted: bool) -> None:
    found = initial_mode(Availability(), configured=configured)
    assert (found.mode, found.note is not None) == (mode, noted)


def test_which_mode_wins() -> None:
    everything = {"explicit": "plan", "resumed": "acceptEdits", "configured": "default"}
    assert initial_mode(Availability(), **everything).mode == "plan"
    del everything["explicit"]
    assert initial_mode(Availability(), **everything).mode == "acceptEdits"
    lost = Availability(bypass=False)
    assert initial_mode(lost, resumed="bypassPermissions", configured="plan").mode == "plan"
    refused = initial_mode(lost, configured="bypass")
    assert refused.mode == "default"
    assert refused.note is not None


# --- agents, effort, recommendations ------------------------------------------------------------


def test_agents_of_the_user_are_an_option(init: dict[str, Any]) -> None:
    mine = {"name": "reviewer", "description": "Reviews"}
    init["agents"] += [mine, {"name": "default"}, {"name": ""}, 3]
    asked = caller_options({"claudeCode": {"options": {"agent": "reviewer"}}}, PLAIN)
    agent = option(response_of(init, caller=asked), "agent")
    assert [choice["value"] for choice in agent["options"]] == ["default", "reviewer"]
    assert agent["currentValue"] == "reviewer"
    assert "category" not in agent
    unknown = caller_options({"claudeCode": {"options": {"agent": "Explore"}}}, PLAIN)
    assert option(response_of(init, caller=unknown), "agent")["currentValue"] == "default"


@pytest.mark.parametrize(
    ("settings", "shown"),
    [
        (ClaudeSettings(effort="high"), "high"),
        (ClaudeSettings(effort="high", efforts={"claude-opus-5-5": "low"}), "low"),
        (ClaudeSettings(effort="high", efforts={"default": "xhigh"}), "xhigh"),
        (ClaudeSettings(effort="enormous"), "default"),
    ],
)
def test_configured_effort(init: dict[str, Any], settings: ClaudeSettings, shown: str) -> None:
    opening = opened(init, settings=replace(settings, default_mode="default"))
    effort = option(session_response("s", opening.state, PLAIN), "effort")
    assert effort["currentValue"] == shown
    assert opening.requests == ()


def test_an_effort_of_the_caller_is_told_to_the_cli(init: dict[str, Any]) -> None:
    caller = caller_options({"claudeCode": {"options": {"effort": "max"}}}, PLAIN)
    opening = opened(init, settings=replace(DEFAULT, effort="low"), caller=caller)
    assert (opening.state.effort, opening.state.effort_pinned) == ("max", True)
    flags = {"subtype": "apply_flag_settings", "settings": {"effortLevel": "max"}}
    assert opening.requests == (flags,)


def test_scenario_91_recommended_values(init: dict[str, Any]) -> None:
    opening = opened(init, settings=DEFAULT, profile=RECOMMENDING)
    response = session_response("s", opening.state, RECOMMENDING)
    model, effort = option(response, "model"), option(response, "effort")
    assert values(response, "model") == ["opus", "fable", "sonnet", "haiku"]
    assert model["currentValue"] == "opus"
    assert model["_meta"]["jetbrains"]["air"] == {"version": 1, "recommendedValue": "opus"}
    assert "default" not in values(response, "effort")
    assert effort["currentValue"] == "medium"
    assert effort["_meta"]["jetbrains"]["air"]["recommendedValue"] == "medium"
    flags = {"subtype": "apply_flag_settings", "settings": {"effortLevel": "medium"}}
    assert opening.requests == (flags,)


def test_ultracode_while_the_cli_has_not_said(init: dict[str, Any]) -> None:
    opening = opened(init, settings=DEFAULT)
    assert opening.state.offers_ultracode
    assert not opened(init, settings=ClaudeSettings(workflows_off=True)).state.offers_ultracode
    assert not replace(opening.state, ultracode_available=False).offers_ultracode


def test_a_response_without_models_still_opens() -> None:
    opening = opened({}, settings=DEFAULT)
    response = session_response(None, opening.state, PLAIN)
    assert [one["id"] for one in response["configOptions"]] == ["mode"]
    assert "sessionId" not in response
    assert opening.model_request is None


# --- commands -----------------------------------------------------------------------------------


def test_scenario_11_commands(init: dict[str, Any]) -> None:
    update = encode(available_commands(init, PLAIN))
    assert update["sessionUpdate"] == "available_commands_update"
    commands = {one["name"]: one for one in update["availableCommands"]}
    assert {"compact", "context", "usage", "mcp"} <= set(commands)
    assert not {"clear", "login", "cost", "__remote-workflow"} & set(commands)
    assert commands["context"]["input"] is None
    assert commands["compact"]["input"]["hint"].startswith("<")
    assert commands["mcp"]["input"] == {"hint": "[reconnect|enable|disable [<server>|all]]"}
    assert "_meta" not in str(update)


def test_commands_that_need_a_terminal_or_have_no_typable_name() -> None:
    rows = [
        {"name": "a", "description": "first", "argumentHint": ["<x>", "<y>"]},
        {"name": "a", "description": "second"},
        {"name": "b", "description": "user's"},
        {"name": "b", "description": "built in", "builtin": True},
        {"name": "srv:do it (MCP)", "description": ""},
        {"name": "srv:do (MCP)", "description": "of a server"},
        {"name": "two words", "description": ""},
        {"name": "tty", "description": ""},
        {"name": 3},
        "x",
    ]
    update = available_commands({"commands": rows}, PLAIN, terminal_only=frozenset({"tty"}))
    found = {command.name: command for command in update.available_commands}
    assert list(found) == ["a", "b", "mcp:srv:do", "mcp"]
    assert found["a"].description == "first"
    assert found["a"].input == {"hint": "<x> <y>"}
    assert found["b"].description == "built in"


def test_skills_are_marked_for_air_clients() -> None:
    rows = {"commands": [{"name": "zap", "description": "z"}, {"name": "own", "description": ""}]}
    skills = Skills(frozenset({"zap", "own"}), {"zap": "/p/.claude/skills/zap/SKILL.md"})
    marked = encode(available_commands(rows, AIR, skills=skills))["availableCommands"]
    assert marked[0]["_meta"]["jetbrains"]["air"] == {
        "version": 1,
        "kind": "skill",
        "skillPath": "/p/.claude/skills/zap/SKILL.md",
    }
    assert marked[1]["_meta"]["jetbrains"]["air"] == {"version": 1, "kind": "skill"}
    plain = encode(available_commands(rows, PLAIN, skills=skills))
    assert "_meta" not in str(plain)


def test_remote_control_is_added_unless_the_cli_offers_it() -> None:
    own = {"commands": [{"name": "remote-control", "description": "the CLI's"}]}
    added = available_commands({}, PLAIN, remote_control=True).available_commands
    kept = available_commands(own, PLAIN, remote_control=True).available_commands
    assert [command.name for command in added] == ["mcp", "remote-control"]
    assert kept[0].description == "the CLI's"
