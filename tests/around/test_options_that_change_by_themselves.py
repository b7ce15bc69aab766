"""Options that the CLI, a settings file or a person at a prompt changes: told once, and right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import Stage, stage
from fakes.fake_host import INIT
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]

MODELS = [
    {
        "value": "default",
        "displayName": "Default",
        "resolvedModel": "claude-opus-5",
        "supportsFastMode": True,
        "supportsEffort": True,
        "supportedEffortLevels": ["low", "high", "xhigh"],
    },
    {
        "value": "haiku",
        "displayName": "Haiku",
        "description": "Haiku with 1M context",
        "resolvedModel": "claude-haiku-5",
    },
]
GREETING = {"initialize": {"response": {**INIT, "models": MODELS, "fast_mode_state": "on"}}}
OPEN = {"open": {}}
DONE: Json = {"done": {}}


def status(**fields: Any) -> Json:
    """A status frame."""
    return {"emit": {"type": "system", "subtype": "status", "status": None, **fields}}


def switched(source: str, **fields: Any) -> Json:
    """A PostModelSwitch hook."""
    given = {
        "hook_event_name": "PostModelSwitch",
        "from_model": "claude-opus-5",
        "to_model": "claude-haiku-5",
        "source": source,
        **fields,
    }
    return {"ask": {"subtype": "hook_callback", "callback_id": "PostModelSwitch", "input": given}}


def shown(s: Stage, id_: str) -> list[Any]:
    """The values of one option in all its updates."""
    return [s.option(id_, u["configOptions"]) for u in s.agent.updates("config_option_update")]


async def play(s: Stage, *steps: Json) -> None:
    """Open a session whose first turn is ``steps``, and prompt it."""
    s.fake.play(control=GREETING, turns=[[OPEN, *steps, DONE]])
    await s.open()
    await s.agent.prompt(s.session, "go")


async def test_a_mode_that_the_cli_takes_by_itself_is_told(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    mode = status(permissionMode="acceptEdits")
    async with stage(fake_cli, tmp_path) as s:
        await play(s, mode, mode)
        updates = await eventually(lambda: s.agent.updates("current_mode_update"), "a mode")
        assert [u["currentModeId"] for u in updates] == ["acceptEdits"]
        assert shown(s, "mode") == ["acceptEdits"]


async def test_modes_that_the_client_set_come_back_without_an_echo(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    """Two changes in a row: the CLI's word on the first comes when the second is under way."""
    expected = {"type": "control_request", "request": {"subtype": "set_permission_mode"}}
    steps = [
        {"say": "The turn is open."},
        {"expect": {**expected, "request": {"mode": "plan"}}},
        status(permissionMode="plan"),
        {"expect": {**expected, "request": {"mode": "acceptEdits"}}},
        status(permissionMode="acceptEdits"),
    ]
    fake_cli.play(control=GREETING, turns=[[OPEN, *steps, DONE]])
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        turn = s.agent.begin_prompt(s.session, "go")
        await s.agent.wait_update("agent_message_chunk")
        changes = [
            s.agent.begin("session/set_mode", sessionId=s.session, modeId=mode)
            for mode in ("plan", "acceptEdits")
        ]
        await turn
        for change in changes:
            await change
        assert s.agent.updates("current_mode_update") == []
        assert shown(s, "mode") == ["plan", "acceptEdits"]


@pytest.mark.parametrize("source", ["command", "fallback"])
async def test_a_model_that_somebody_else_switched_is_told(
    fake_cli: FakeCli, tmp_path: Path, source: str
) -> None:
    async with stage(fake_cli, tmp_path) as s:
        await play(s, switched(source, requested_model="haiku"))
        await eventually(lambda: shown(s, "model"), "an update")
        assert shown(s, "model") == ["haiku"]
        assert shown(s, "effort") == [None]
        assert fake_cli.requests("set_model") == []


async def test_a_model_that_the_client_or_a_subagent_switched_is_not(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with stage(fake_cli, tmp_path) as s:
        await play(s, switched("sdk"), switched("resume"), switched("command", agent_id="a1"))
        await s.agent.request(
            "session/set_config_option", sessionId=s.session, configId="mode", value="plan"
        )
        assert shown(s, "model") == []


async def test_a_refusal_moves_the_session_to_the_other_model(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    refused = {
        "type": "system",
        "subtype": "model_refusal_fallback",
        "direction": "retry",
        "scope": "session",
        "original_model": "claude-opus-5",
        "fallback_model": "claude-haiku-5",
        "content": "Opus declined; Haiku answers.",
    }
    local = {**refused, "scope": "local", "content": "A helper's request was declined."}
    async with stage(fake_cli, tmp_path) as s:
        await play(s, {"emit": local}, {"emit": refused})
        await eventually(lambda: shown(s, "model"), "an update")
        assert shown(s, "model") == ["haiku"]
        said = s.agent.text()
        assert "**The model declined to answer:** Opus declined; Haiku answers." in said
        assert "A helper's request was declined. The session stays on claude-opus-5." in said


async def test_fast_mode_that_is_lost_is_said_once_with_its_reason(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    lost = {"fast_mode_state": "off", "fast_mode_disabled_reason": "extra_usage_disabled"}
    fake_cli.play(control=GREETING, turns=[[OPEN, {"done": lost}], [OPEN, {"done": lost}]])
    async with stage(fake_cli, tmp_path) as s:
        await s.open({"session": {"notices": {}, "configOptions": {"boolean": {}}}})
        await s.agent.prompt(s.session, "one")
        await s.agent.prompt(s.session, "two")
        await eventually(lambda: shown(s, "fast"), "an update")
        assert shown(s, "fast") == [False]
        (notice,) = s.agent.updates("notice")
        assert (notice["severity"], notice["title"]) == ("warning", "Fast mode is off")
        assert "extra usage is turned off" in notice["description"]


async def test_cooldown_says_nothing_of_fast_mode(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(control=GREETING, turns=[[OPEN, {"done": {"fast_mode_state": "cooldown"}}]])
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        await s.agent.prompt(s.session, "one")
        assert shown(s, "fast") == []
        assert s.agent.text() == ""


@pytest.mark.parametrize("available", [True, False])
async def test_ultracode_is_offered_as_the_cli_says(
    fake_cli: FakeCli, tmp_path: Path, available: bool
) -> None:
    applied = {"applied": {"ultracodeAvailable": available, "ultracodeRequested": False}}
    fake_cli.play(control={**GREETING, "get_settings": {"response": applied}})
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        await s.has_asked("get_context_usage")
        await s.agent.prompt(s.session, "hi")
        gone = [] if available else [None]
        assert shown(s, "ultracode") == gone


async def test_the_size_of_the_context_is_refined_and_follows_the_model(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    usage = {"input_tokens": 1000, "output_tokens": 1}
    start = {"type": "message_start", "message": {"id": "m", "model": "x", "usage": usage}}
    begun = {"emit": {"type": "stream_event", "parent_tool_use_id": None, "event": start}}
    fake_cli.play(
        control={**GREETING, "get_context_usage": {"response": {"rawMaxTokens": 321_000}}},
        turns=[[OPEN, begun, {"say": "one"}, DONE]],
    )
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        (asked,) = await s.has_asked("get_context_usage")
        assert asked["detail"] == "summary"
        await s.agent.prompt(s.session, "hi")
        assert {u["size"] for u in s.agent.updates("usage_update")} == {321_000}
        await s.agent.request(
            "session/set_config_option", sessionId=s.session, configId="model", value="haiku"
        )
        await s.has_asked("get_context_usage", 2)
        sizes = [u["size"] for u in s.agent.updates("usage_update")]
        assert 1_000_000 in sizes  # its description says so, until the CLI knows better
        await s.agent.wait_update("usage_update", match=lambda u: u["size"] == 321_000)


async def test_settings_files_are_watched(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(control=GREETING)
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        settings = s.cwd / ".claude" / "settings.local.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"availableModels": ["sonnet"]}))
        update = await s.agent.wait_update("config_option_update")
        (model,) = [one for one in update["configOptions"] if one["id"] == "model"]
        assert [row["value"] for row in model["options"]] == ["default", "sonnet"]
        settings.write_text("{ half a file")
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"


async def test_a_mode_that_settings_forbid_now_is_left(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(control=GREETING)
    bypass = {"permissions": {"defaultMode": "bypassPermissions"}}
    async with stage(fake_cli, tmp_path, settings=bypass) as s:
        await s.open()
        forbidden = {"permissions": {"disableBypassPermissionsMode": "disable"}}
        (s.config / "settings.json").write_text(json.dumps(forbidden))
        update = await s.agent.wait_update("current_mode_update")
        assert update["currentModeId"] == "default"
        asked = fake_cli.requests("set_permission_mode")
        assert [one["mode"] for one in asked] == ["default"]


# --- auto mode ------------------------------------------------------------------------------------

AUTO = {"permissions": {"defaultMode": "auto"}}


async def test_scenario_13_the_warning_comes_with_the_first_prompt_alone(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control=GREETING)
    async with stage(fake_cli, tmp_path, settings=AUTO) as s:
        await s.agent.initialize({"session": {"notices": {}}})
        opened = await s.agent.request("session/new", cwd=str(s.cwd), mcpServers=[])
        assert opened["modes"]["currentModeId"] == "acceptEdits"
        await s.agent.wait_update("available_commands_update")
        assert s.agent.updates("notice") == []
        for _ in range(2):
            await s.agent.prompt(opened["sessionId"], "hi")
        (notice,) = s.agent.updates("notice")
        assert notice["severity"] == "warning"
        kinds = [u["sessionUpdate"] for u in s.agent.updates()]
        assert kinds.index("notice") < kinds.index("agent_message_chunk")


async def test_scenario_14_a_mode_that_nobody_chose_is_lost_in_silence(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control=GREETING)
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize({"session": {"notices": {}}})
        opened = await s.agent.request("session/new", cwd=str(s.cwd), mcpServers=[])
        assert opened["modes"]["currentModeId"] == "default"
        await s.agent.prompt(opened["sessionId"], "hi")
        assert s.agent.updates("notice") == []


async def test_scenario_31_a_switch_to_a_model_without_auto_warns_once(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    rows = [{**MODELS[0], "supportsAutoMode": True}, MODELS[1]]
    fake_cli.play(control={"initialize": {"response": {**INIT, "models": rows}}})
    async with stage(fake_cli, tmp_path, settings=AUTO) as s:
        await s.open({"session": {"notices": {}}})
        for model in ("haiku", "default", "haiku"):
            await s.agent.request(
                "session/set_config_option", sessionId=s.session, configId="model", value=model
            )
        modes = [u["currentModeId"] for u in s.agent.updates("current_mode_update")]
        assert modes == ["acceptEdits"]
        assert len(s.agent.updates("notice")) == 1
