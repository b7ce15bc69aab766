"""What ACP v2 lets a client ask, how strictly it is read, and which methods are not there."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.advertise import NAME
from canopy_agent.auth.methods import Relaunch
from canopy_agent.settings import AdapterSettings
from canopy_agent.wire.v2_hello import hello, profile_of, read_hello
from canopy_agent.wire.v2_updates import Updates
from canopy_shared import content as c
from canopy_shared import updates as u
from canopy_shared.errors import AcpError
from canopy_shared.ext import air
from canopy_shared.updates import SessionUpdate
from raw_client import RawClient, RpcError
from v2.playing import V2Play
from v2.schema import complaint
from v2.world import INFO, V2Client

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]
TEXT = {"type": "text", "text": "hi"}
NOT_FOUND, INVALID, NO_SESSION = -32601, -32602, -32002


def greeted(capabilities: Json) -> Json:
    profile = profile_of(capabilities)
    told = hello(profile, AdapterSettings(), Relaunch("/opt/python"))
    assert complaint("InitializeResponse", told) is None
    return told


def test_the_hello_of_a_plain_client() -> None:
    told = greeted({})
    assert told["capabilities"] == {
        "session": {
            "prompt": {"image": {}, "embeddedContext": {}},
            "mcp": {"stdio": {}, "http": {}},
            "delete": {},
            "fork": {},
            "additionalDirectories": {},
            "systemPrompt": {"mode": {"override": {}}},
        },
        "providers": {},
        "_meta": {"claudeCode": {"promptQueueing": True}, "authStatus": {}},
    }
    assert (told["protocolVersion"], told["info"]["name"]) == (2, NAME)
    assert (told["authMethods"], "_meta" in told) == ([], False)


def test_ways_to_log_in_and_air() -> None:
    told = greeted({"auth": {"terminal": {}}, "_meta": air.client_meta()})
    (first, *_) = told["authMethods"]
    assert (first["methodId"], first["type"]) == ("claude-ai-login", "terminal")
    offered = told["_meta"]["jetbrains"]["air"]
    assert "goal" not in offered
    assert offered["capabilities"] == [
        "sessionFailure",
        "agentFileChangeReport",
        "nativeSubagentSessions",
        "customInstructions",
        "recommendedValue",
        "diffPatch",
        "planFile",
    ]
    assert greeted({"auth": {"terminal": True}})["authMethods"] == []


@pytest.mark.parametrize(
    "params",
    [
        {"protocolVersion": 2},
        {"protocolVersion": 2, "info": {"name": "x"}},
        {"protocolVersion": 2, "info": {"name": 1, "version": "1"}},
        {"protocolVersion": 2, "info": INFO, "capabilities": []},
    ],
)
def test_a_hello_says_who_it_is(params: Json) -> None:
    with pytest.raises(AcpError) as caught:
        read_hello(params)
    assert caught.value.code == INVALID


async def test_requests_are_read_strictly(fake_cli: FakeCli, tmp_path: Path) -> None:
    setup = {"cwd": str(tmp_path), "mcpServers": []}
    server = {"type": "stdio", "name": "a", "command": "/bin/true"}
    blob = base64.b64encode(b"PK").decode()
    archive = {"uri": "file:///a.zip", "mimeType": "application/zip", "blob": blob}
    async with V2Client.spawn(env=fake_cli.env, cwd=str(tmp_path)) as agent:
        assert isinstance(agent, V2Client)
        with pytest.raises(RpcError) as early:
            await agent.request("session/new", **setup)
        assert early.value.code == -32600
        with pytest.raises(RpcError):
            await agent.request("initialize", protocolVersion=2)
        await agent.hello()

        async def refused(code: int, method: str, **params: Any) -> None:
            with pytest.raises(RpcError) as caught:
                await agent.request(method, **params)
            assert caught.value.code == code, (method, params)

        session = await agent.new_session(tmp_path)
        here = {"sessionId": session}
        for method in (
            "authenticate",
            "logout",
            "session/load",
            "session/set_mode",
            "_session/steering",
            "_session/goal",
            "_session/async_task/stop",
            "_session/batch_get",
        ):
            await refused(NOT_FOUND, method, **here)
        for servers in (
            [{**server, "type": "sse", "url": "http://x"}],
            [{"name": "a", "command": "/bin/true"}],
            [server, server],
        ):
            await refused(INVALID, "session/new", **{**setup, "mcpServers": servers})
        for blocks in (
            [],
            [{"type": "text"}],
            [{"type": "image", "data": "AA=="}],
            [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}],
            [{"type": "resource_link", "uri": "file:///x"}],
            [{"type": "resource", "resource": {"uri": "file:///x"}}],
            [TEXT, {"type": "resource", "resource": archive}],
        ):
            await refused(INVALID, "session/prompt", **here, prompt=blocks)
        for option in (
            {"configId": "mode", "value": "plan"},
            {"configId": "mode", "type": "select", "value": "plan"},
            {"configId": "mode", "type": "id", "value": True},
            {"configId": "no", "type": "id", "value": "x"},
        ):
            await refused(INVALID, "session/set_config_option", **here, **option)
        await refused(INVALID, "session/resume", **setup, **here, replayFrom={"type": "message"})
        await refused(INVALID, "session/resume", **setup, **here, replayFrom="start")
        await refused(NO_SESSION, "session/resume", **setup, sessionId="none")
        await refused(INVALID, "tool_call/cancel", **here, toolCallId="none")
        await refused(NO_SESSION, "terminal/cancel", sessionId="none", terminalId="t")

        assert (await agent.request("providers/list"))["providers"]
        assert "sessions" in await agent.request("session/list", cwd=str(tmp_path))
        assert await agent.request("session/close", **here) == {}
        assert await agent.request("session/delete", **here) == {}
        assert agent.complaints() == []


async def test_version_1_does_not_have_the_methods_of_version_2(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with RawClient.spawn(env=fake_cli.env, cwd=str(tmp_path)) as agent:
        await agent.initialize()
        session = await agent.new_session(tmp_path)
        for method in ("terminal/cancel", "tool_call/cancel", "auth/login", "auth/logout"):
            with pytest.raises(RpcError) as caught:
                await agent.request(method, sessionId=session, terminalId="t", toolCallId="t")
            assert caught.value.code == NOT_FOUND


# --- the encoder alone ----------------------------------------------------------------------------


def told(encoder: Updates, update: u.Update, *, replayed: bool = False) -> list[Json]:
    play = V2Play()
    play.encoder = encoder
    play.told("S", update, replayed=replayed)
    return play.updates()


def test_history_clears_each_message_once_and_calls_completely() -> None:
    encoder = Updates()
    chunk = u.AgentMessageChunk(c.TextContent("a"), "m1")
    call = u.ToolCallStart("t1", "Read", name="Read", kind="read", meta={"mine": 1})
    told(encoder, chunk)
    told(encoder, call)
    first = told(encoder, chunk, replayed=True)
    assert [one["sessionUpdate"] for one in first] == ["agent_message", "agent_message_chunk"]
    assert first[0]["content"] == []
    assert len(told(encoder, chunk, replayed=True)) == 1
    again = u.ToolCallStart("t1", "Read", name="Read", meta={"other": 2})
    (whole,) = told(encoder, again, replayed=True)
    for field in ("kind", "status", "content", "locations", "rawInput", "rawOutput"):
        assert whole[field] is None
    assert whole["_meta"] == {"other": 2, "mine": None}
    state = u.SubagentUpdate("a1", state={"state": "running"})
    assert len(told(encoder, state, replayed=True)) == 1
    assert len(told(encoder, u.SubagentUpdate("a1", state={"state": "idle"}), replayed=True)) == 1
    held, _ = told(encoder, u.Notice("info", "Here."))
    assert (held["sessionUpdate"], held["state"]) == ("state_update", "idle")


def test_what_version_2_says_otherwise() -> None:
    encoder = Updates()
    assert told(encoder, u.CurrentModeUpdate("plan")) == []
    (plan,) = told(encoder, u.Plan((u.PlanEntry("x", "pending"),)))
    assert (plan["sessionUpdate"], plan["plan"]["planId"]) == ("plan_update", "plan")
    commands = (u.Command("a", "A", {"hint": "[x]"}), u.Command("b", "B", None))
    (offered,) = told(encoder, u.AvailableCommandsUpdate(commands))
    assert offered["availableCommands"] == [
        {
            "type": "command",
            "name": "a",
            "description": "A",
            "input": {"type": "text", "hint": "[x]"},
        },
        {"type": "command", "name": "b", "description": "B"},
    ]
    option = u.ConfigOption("fast", "Fast", "boolean", True)
    (options,) = told(encoder, u.ConfigOptionUpdate((option,)))
    assert options["configOptions"][0]["configId"] == "fast"
    (said,) = told(encoder, u.AgentMessageChunk(c.TextContent("a")))
    assert said["messageId"]
    diff = u.ToolCallUpdate("t1", status=None, content=(c.Diff("/x", "new\n", None),))
    (call,) = told(encoder, diff)
    assert "status" not in call
    (change,) = call["content"]
    assert change["changes"] == [{"operation": "add", "path": "/x", "fileType": "text"}]
    assert "+++ /x\n@@ -0,0 +1 @@\n+new\n" in change["patch"]["text"]


def test_chunks_pass_as_the_objects_that_they_are() -> None:
    params = SessionUpdate("S", u.AgentMessageChunk(c.TextContent("a"), "m"))
    assert Updates().told(params) == [params]
