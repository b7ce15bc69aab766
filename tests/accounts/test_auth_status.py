"""What a client is told of who pays, over the wire: at start, at prompts, after a logout."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from accounts.stage import stage
from canopy_agent.demo.rules import Rule, When
from e2e.world import world
from fakes.fake_host import INIT
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

KEY = {"kind": "api_key", "label": "Anthropic API key", "detail": "ANTHROPIC_API_KEY"}
NOBODY = {"kind": "none", "label": "Not logged in"}
LOGGED_OUT = {"loggedIn": False, "authMethod": "none"}
SUBSCRIPTION = {
    "loggedIn": True,
    "authMethod": "claude.ai",
    "email": "me@example.com",
    "subscriptionType": "max",
}


def greeting(account: dict[str, Any]) -> dict[str, Any]:
    """The CLI's answer to ``initialize`` under ``account``."""
    return {"initialize": {"response": {**INIT, "account": account}}}


async def test_a_client_without_a_session_is_told_once(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(auth={"status": {"apiKeySource": "ANTHROPIC_API_KEY"}})
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        await eventually(s.statuses, "a status")
        assert s.statuses() == [KEY]
        (asked,) = fake_cli.log("auth")
        assert asked["argv"] == ["auth", "status", "--json"]


async def test_the_account_of_a_session_is_told_and_asks_no_further(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    account = {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY"}
    fake_cli.play(control=greeting(account))
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        await s.agent.prompt(s.session, "hi")
        assert s.statuses() == [KEY]
        assert fake_cli.log("auth") == []


async def test_a_status_tells_the_plan_and_no_token(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(auth={"status": SUBSCRIPTION})
    async with stage(fake_cli, tmp_path, env={"CLAUDE_CODE_OAUTH_TOKEN": "sk-secret"}) as s:
        await s.agent.initialize()
        await eventually(s.statuses, "a status")
        assert s.statuses() == [
            {
                "kind": "account",
                "label": "Claude Max",
                "account": {"plan": "max", "email": "me@example.com"},
            }
        ]
        assert "sk-secret" not in str(s.agent.frames) + s.agent.stderr


@pytest.mark.parametrize(
    "auth", [{"status": {"out": "no JSON", "code": 0}}, {"status": {"out": "", "code": 3}}]
)
async def test_a_status_that_is_not_understood_is_no_status(
    fake_cli: FakeCli, tmp_path: Path, auth: dict[str, Any]
) -> None:
    fake_cli.play(auth=auth)
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        await eventually(lambda: fake_cli.log("auth"), "a question")
        await s.open()
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"
        assert s.statuses() == []


async def test_scenario_90_a_slow_status_is_no_status_and_no_error(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(auth={"delay": 60})
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        await eventually(lambda: fake_cli.log("auth"), "a question")
        await s.open()
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"
        assert s.statuses() == []
        methods = {frame.get("method") for frame in s.agent.frames if "method" in frame}
        assert methods == {"session/update"}
    # the stage checks that the slow command is gone with the agent


async def test_scenario_89_a_logout_tells_who_pays_then(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(auth={"status": SUBSCRIPTION})
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        await eventually(s.statuses, "a status")
        fake_cli.play(auth={"status": LOGGED_OUT})
        assert await s.agent.request("logout") == {}
        assert s.statuses()[-1] == NOBODY
        words = [entry["argv"] for entry in fake_cli.log("auth")]
        assert ["auth", "logout"] in words
        assert words[-1] == ["auth", "status", "--json"]


async def test_scenario_89_a_logout_without_a_report_says_none(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(auth={"status": {"out": "?"}})
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        assert await s.agent.request("logout") == {}
        assert s.statuses() == [NOBODY]


async def test_a_logout_that_fails_says_why(fake_cli: FakeCli, tmp_path: Path) -> None:
    fake_cli.play(auth={"logout": {"code": 1, "err": "the keychain is locked\n"}})
    async with stage(fake_cli, tmp_path) as s:
        await s.agent.initialize()
        error = await s.refused("logout")
        assert error.code == -32603
        assert error.data == {"stderr": "the keychain is locked"}


async def test_the_settings_of_a_session_decide_who_pays(fake_cli: FakeCli, tmp_path: Path) -> None:
    """The settings go before the subcommand; the CLI reads them nowhere else."""
    settings = {"apiKeyHelper": "print-key"}
    async with stage(fake_cli, tmp_path) as s:
        await s.open(_meta={"claudeCode": {"options": {"settings": settings}}})
        await s.agent.prompt(s.session, "hi")
        asked = await eventually(
            lambda: [e for e in fake_cli.log("auth") if "--settings" in e["argv"]], "a question"
        )
        argv = asked[0]["argv"]
        assert argv[0] == "--settings"
        assert "print-key" in argv[1]
        assert argv[2:] == ["auth", "status", "--json"]


async def test_b40_a_login_that_is_asked_for_is_an_auth_error_whatever_shape_it_has(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    """The text is never shown, and says what to do; then the same process goes on."""
    words = "Not logged in · Please run /login"
    said = {
        "type": "assistant",
        "parent_tool_use_id": None,
        "error": "authentication_failed",
        "message": {
            "id": "m",
            "model": "<synthetic>",
            "role": "assistant",
            "content": [{"type": "text", "text": words}],
        },
    }
    forms: list[list[dict[str, Any]]] = [
        [{"open": {}}, {"emit": said}, {"done": {"is_error": True, "result": words}}],
        [{"open": {}}, {"done": {"is_error": True, "result": words}}],
        [{"open": {}}, {"emit": said}, {"done": {"is_error": True, "result": "401"}}],
    ]
    fine = [{"open": {}}, {"say": "welcome"}, {"done": {}}]
    fake_cli.play(turns=[*forms, fine])
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        for _ in forms:
            with pytest.raises(RpcError) as failed:
                await s.agent.prompt(s.session, "hi")
            assert failed.value.code == -32000
            assert "log" in failed.value.message.lower() or "401" in failed.value.message
        assert s.agent.text() == ""
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"
        assert s.agent.text() == "welcome"


async def test_b40_credentials_that_appear_serve_the_same_process() -> None:
    hello = Rule(When(says="hello"), "Hello.")
    async with world(hello, env={"ANTHROPIC_API_KEY": ""}) as w:
        await w.open()
        with pytest.raises(RpcError) as failed:
            await w.prompt("hello")
        assert failed.value.code == -32000
        assert "auth login" in failed.value.message
        settings = w.config / "settings.json"
        given = json.loads(settings.read_text())
        settings.write_text(json.dumps({**given, "apiKeyHelper": "echo sk-ant-key"}))

        async def answered() -> bool:
            """The CLI notices the settings file in its own time."""
            try:
                return bool(await w.prompt("hello"))
            except RpcError as error:
                return error.code != -32000

        async with asyncio.timeout(30):
            while not await answered():
                pass
        assert w.agent.text().endswith("Hello.")  # a key that is half read is told as invalid
        told = await eventually(
            lambda: [f for f in w.agent.frames if "apiKeyHelper" in str(f.get("params"))], "a key"
        )
        status = {"kind": "api_key", "label": "Anthropic API key", "detail": "apiKeyHelper"}
        assert told[0]["params"] == {"authStatus": status}


# --- subscriptions hidden -----------------------------------------------------------------------

MINE = {"tokenSource": "claude.ai", "subscriptionType": "Claude Max", "email": "me@example.com"}
KEYED = {"tokenSource": "none", "apiKeySource": "ANTHROPIC_API_KEY"}


async def test_a_subscription_opens_no_session_where_it_is_hidden(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control=greeting(MINE))
    async with stage(fake_cli, tmp_path, hide_subscription=True) as s:
        await s.agent.initialize()
        error = await s.refused("session/new", cwd=str(s.cwd), mcpServers=[])
        assert error.code == -32000
        assert error.data == {"reason": "claude_subscription_not_supported"}
        fake_cli.play(control=greeting({"tokenSource": "none"}))
        error = await s.refused("session/new", cwd=str(s.cwd), mcpServers=[])
        assert (error.code, error.data) == (-32000, None)
        fake_cli.play(control=greeting(KEYED))
        await s.agent.new_session(s.cwd)


async def test_a_subscription_opens_a_session_where_it_is_not_hidden(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control=greeting(MINE))
    async with stage(fake_cli, tmp_path) as s:
        await s.open()
        assert (await s.agent.prompt(s.session, "hi"))["stopReason"] == "end_turn"


async def test_a_session_under_a_hidden_subscription_starts_anew_once_the_identity_changed(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    fake_cli.play(control=greeting(KEYED), auth={"status": SUBSCRIPTION})
    async with stage(fake_cli, tmp_path, hide_subscription=True) as s:
        await s.open()
        assert (await s.agent.prompt(s.session, "one"))["stopReason"] == "end_turn"
        fake_cli.play(control=greeting(MINE), auth={"status": SUBSCRIPTION})
        await s.agent.request("logout")  # whoever logs in meanwhile is found by the next report
        with pytest.raises(RpcError) as failed:
            await s.agent.prompt(s.session, "two")
        assert failed.value.code == -32000
        assert failed.value.data == {"reason": "claude_subscription_not_supported"}
        fake_cli.play(control=greeting(KEYED))
        assert (await s.agent.prompt(s.session, "three"))["stopReason"] == "end_turn"
        assert "three" in s.agent.text()
        assert "two" not in s.agent.text()
