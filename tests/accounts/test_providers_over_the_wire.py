"""Gateways and providers over the wire: what sessions go on with, and what never leaves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from accounts.stage import models, site, stage
from canopy_agent.demo.rules import Rule, When
from canopy_agent.demo.server import ScriptedModel
from e2e.world import world
from fakes.fake_host import INIT
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from accounts.stage import Stage
    from fakes.cli import FakeCli

SECRET = "sk-very-secret-token"
HEADERS = {"Authorization": f"Bearer {SECRET}"}
ASK = {
    "subtype": "can_use_tool",
    "tool_name": "Bash",
    "tool_use_id": "toolu_1",
    "input": {"command": "ls"},
}
WAITS = [
    {"open": {}},
    {"tool": {"id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}},
    {"ask": ASK},
    {"tool_result": {"id": "toolu_1", "content": "done"}},
    {"say": "finished"},
    {"done": {}},
]


def provider(url: str, **more: Any) -> dict[str, Any]:
    """Parameters of ``providers/set``."""
    given = {"providerId": "main", "apiType": "anthropic", "baseUrl": url, "headers": HEADERS}
    return {**given, **more}


def hides_the_secret(s: Stage) -> bool:
    """Whether the secret is in nothing that a person or a log gets to see."""
    shown = str(s.agent.frames) + s.agent.stderr + str(s.fake.argvs())
    return SECRET not in shown


async def test_scenario_88_logins_that_the_client_runs_and_a_gateway_without_a_payload(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize({"auth": {"_meta": {"gateway": True}}})
        for method in ("claude-ai-login", "console-login", "claude-login", "nonsense"):
            assert (await s.refused("authenticate", methodId=method)).code == -32602
        assert await s.agent.request("authenticate", methodId="gateway") == {}
        assert s.statuses() == []
        wrong = {"gateway": {"baseUrl": "ftp://x", "headers": HEADERS}}
        error = await s.refused("authenticate", methodId="gateway", _meta=wrong)
        assert error.code == -32602
        assert hides_the_secret(s)


async def test_a_gateway_serves_the_sessions_to_come(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with stage(fake_cli, tmp_path, env={"ANTHROPIC_API_KEY": "k"}) as s:
        await s.agent.initialize({"auth": {"_meta": {"gateway": True}}})
        login = {"gateway": {"baseUrl": "https://gw.example/x", "headers": HEADERS}}
        await s.agent.request("authenticate", methodId="gateway", _meta=login)
        assert s.statuses() == [
            {"kind": "gateway", "label": "Custom gateway", "detail": "gw.example"}
        ]
        s.session = await s.agent.new_session(s.cwd)
        (flags,) = await s.has_asked("apply_flag_settings")
        assert flags["settings"]["env"]["ANTHROPIC_CUSTOM_HEADERS"] == (
            f"Authorization: Bearer {SECRET}"
        )
        (argv,) = fake_cli.argvs()
        settings = json.loads(argv[argv.index("--settings") + 1])
        assert settings["env"]["ANTHROPIC_BASE_URL"] == "https://gw.example/x"
        listing = await s.agent.request("providers/list")
        assert listing["providers"] == [
            {
                "providerId": "main",
                "supported": ["anthropic", "bedrock", "vertex"],
                "required": False,
                "current": {"apiType": "anthropic", "baseUrl": "https://gw.example/x"},
            }
        ]
        assert hides_the_secret(s)


async def test_scenario_87_an_address_that_is_none_is_refused(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        error = await s.refused("providers/set", **provider("ftp://x"))
        assert error.code == -32602
        current = (await s.agent.request("providers/list"))["providers"][0]["current"]
        assert current == {"apiType": "anthropic", "baseUrl": "https://api.anthropic.com"}
        assert hides_the_secret(s)


async def test_scenario_87_a_gateway_that_cannot_be_asked_changes_nothing(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with stage(fake_cli, tmp_path) as s, site(lambda request: (500, {})) as gateway:
        await s.open()
        before = await s.agent.request("providers/list")
        error = await s.refused("providers/set", **provider(gateway.url))
        assert error.code == -32603
        assert error.data == {
            "providerId": "main",
            "apiType": "anthropic",
            "baseUrl": gateway.url,
        }
        assert await s.agent.request("providers/list") == before
        assert len(fake_cli.argvs()) == 1
        assert hides_the_secret(s)


async def test_scenario_87_a_provider_waits_for_the_turn_and_sessions_keep_their_choices(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[WAITS, [{"open": {}}, {"say": "echo: {prompt}"}, {"done": {}}]])
    listed = models("claude-haiku", "other")
    async with stage(fake_cli, tmp_path) as s, site(lambda request: listed) as gateway:
        s.agent.on("session/request_permission", None)
        await s.open()
        options = [("mode", "acceptEdits"), ("model", "haiku")]
        for id_, value in options:
            await s.agent.request(
                "session/set_config_option", sessionId=s.session, configId=id_, value=value
            )
        turn = s.agent.begin_prompt(s.session, "go")
        asked = await s.agent.wait_request("session/request_permission")
        rows = [
            {"value": "default", "displayName": "Default", "resolvedModel": "claude-x"},
            {"value": "haiku", "displayName": "Haiku", "resolvedModel": "claude-haiku"},
        ]
        fake_cli.play(control={"initialize": {"response": {**INIT, "models": rows}}})
        change = s.agent.begin("providers/set", **provider(gateway.url))
        await eventually(lambda: gateway.requests, "a list of models was asked for")
        queued = s.agent.begin_prompt(s.session, "next")
        opening = s.agent.begin("session/new", cwd=str(s.cwd), mcpServers=[])
        choice = {"outcome": {"outcome": "selected", "optionId": "allow-once"}}
        assert not change.done()
        assert len(fake_cli.argvs()) == 1
        s.agent.answer(asked["id"], choice)
        assert (await turn)["stopReason"] == "end_turn"
        assert await change == {}
        assert (await queued)["stopReason"] == "end_turn"
        await opening
        assert s.agent.text().endswith("echo: next")

        restarted = fake_cli.argvs()[1]
        assert restarted[restarted.index("--permission-mode") + 1] == "acceptEdits"
        asked_models = [one["model"] for one in fake_cli.requests("set_model")]
        assert asked_models == ["haiku", "haiku"]
        update = await s.agent.wait_update("config_option_update", session=s.session)
        shown = s.agent.updates("config_option_update", s.session)[-1]["configOptions"]
        assert update
        assert s.option("mode", shown) == "acceptEdits"
        assert s.option("model", shown) == "haiku"
        (model,) = [one for one in shown if one["id"] == "model"]
        assert [row["value"] for row in model["options"]] == ["haiku"]
        assert s.statuses()[-1]["kind"] == "gateway"
        assert hides_the_secret(s)


async def test_a_change_that_the_client_takes_back_lets_its_prompts_go_on(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(turns=[WAITS, [{"open": {}}, {"say": "echo: {prompt}"}, {"done": {}}]])
    async with stage(fake_cli, tmp_path) as s, site(lambda request: models("x")) as gateway:
        s.agent.on("session/request_permission", None)
        await s.open()
        turn = s.agent.begin_prompt(s.session, "go")
        asked = await s.agent.wait_request("session/request_permission")
        change = s.agent.begin("providers/set", **provider(gateway.url))
        await eventually(lambda: s.statuses()[-1:] and "gateway" in str(s.statuses()), "a change")
        queued = s.agent.begin_prompt(s.session, "next")
        s.agent.notify("$/cancel_request", requestId=s.agent._count - 1)
        s.agent.cancel(s.session)
        assert (await queued)["stopReason"] == "cancelled"
        s.agent.answer(asked["id"], {"outcome": {"outcome": "cancelled"}})
        assert (await turn)["stopReason"] == "cancelled"
        assert change.done()
        assert (await s.agent.prompt(s.session, "again"))["stopReason"] == "end_turn"


async def test_a_provider_that_is_disabled_gives_the_environment_its_say_again(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with stage(fake_cli, tmp_path) as s, site(lambda request: (404, {})) as gateway:
        await s.open()
        await s.agent.request("providers/set", **provider(gateway.url))
        assert await s.agent.request("providers/disable", providerId="other") == {}
        assert len(fake_cli.argvs()) == 2
        assert await s.agent.request("providers/disable", providerId="main") == {}
        assert await s.agent.request("providers/disable", providerId="main") == {}
        first, second, third = fake_cli.argvs()
        assert "--settings" in second
        assert "--settings" not in third
        assert "--settings" not in first
        current = (await s.agent.request("providers/list"))["providers"][0]["current"]
        assert current["baseUrl"] == "https://api.anthropic.com"


async def test_a_logout_ends_a_provider_and_starts_its_sessions_anew(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(auth={"status": {"loggedIn": False, "authMethod": "none"}})
    async with stage(fake_cli, tmp_path) as s, site(lambda request: (404, {})) as gateway:
        await s.open()
        await s.agent.request("providers/set", **provider(gateway.url))
        assert await s.agent.request("logout") == {}
        assert s.statuses()[-1] == {"kind": "none", "label": "Not logged in"}
        assert len(fake_cli.argvs()) == 3
        assert "--settings" not in fake_cli.argvs()[2]
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"


async def test_a_provider_lifts_the_ban_on_subscriptions(fake_cli: FakeCli, tmp_path: Path) -> None:
    mine = {"tokenSource": "claude.ai", "subscriptionType": "Claude Max"}
    fake_cli.play(control={"initialize": {"response": {**INIT, "account": mine}}})
    async with (
        stage(fake_cli, tmp_path, hide_subscription=True) as s,
        site(lambda request: (404, {})) as gateway,
    ):
        await s.agent.initialize()
        await s.agent.request("providers/set", **provider(gateway.url))
        await s.agent.new_session(s.cwd)


async def test_the_real_cli_goes_to_the_provider_whatever_the_settings_files_say() -> None:
    """One conversation over two models: the second knows what the first was told."""
    first, second = (
        Rule(When(says="hello"), "Here is one."),
        Rule(When(says="again"), "Here is two."),
    )
    async with world(first) as w, ScriptedModel([second], pace=0.0) as gateway:
        settings = w.config / "settings.json"
        given = json.loads(settings.read_text())
        await w.open()
        await w.prompt("hello")
        env = {"ANTHROPIC_CUSTOM_HEADERS": "X-Mine: no", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
        settings.write_text(json.dumps({**given, "env": env}))
        await w.agent.request("providers/set", **provider(gateway.url))
        await w.prompt("again")
        assert w.agent.text() == "Here is one.Here is two."
        asked = gateway.turns[-1]
        assert "hello" in str(asked.body)
        assert asked.headers["authorization"] == f"Bearer {SECRET}"
        assert "x-mine" not in asked.headers
        assert SECRET not in str(w.agent.frames) + w.agent.stderr
