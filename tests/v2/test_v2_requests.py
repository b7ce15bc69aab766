"""What ACP v2 lets a client ask, how strictly it is read, and which methods are not there."""

from __future__ import annotations

import asyncio
import base64
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.advertise import NAME
from canopy_agent.auth.methods import Relaunch
from canopy_agent.settings import AdapterSettings, SettingsError, read_settings
from canopy_agent.wire.v2_hello import hello, profile_of, read_hello
from canopy_agent.wire.v2_updates import Updates
from canopy_shared import content as c
from canopy_shared import updates as u
from canopy_shared.errors import AcpError
from canopy_shared.ext import air
from canopy_shared.updates import SessionUpdate
from v2 import schema as judges
from v2.desk import INFO, desk
from v2.playing import V2Play
from v2.schema import complaint
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]
TEXT = {"type": "text", "text": "hi"}
REFUSED, NOT_FOUND, INVALID, NO_SESSION = -32600, -32601, -32602, -32002


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
    malformed = {"protocolVersion": 2, "info": INFO, "capabilities": [], "_meta": 1}
    assert read_hello(malformed).client_capabilities == {}


@pytest.mark.parametrize(
    "params",
    [
        {"protocolVersion": 2},
        {"protocolVersion": 2, "info": {"name": "x"}},
        {"protocolVersion": 2, "info": {"name": 1, "version": "1"}},
    ],
)
def test_a_hello_says_who_it_is(params: Json) -> None:
    with pytest.raises(AcpError) as caught:
        read_hello(params)
    assert caught.value.code == INVALID


SSE = {"type": "sse", "name": "a", "url": "http://127.0.0.1:9"}
STDIO = {"type": "stdio", "name": "a", "command": "/bin/true"}
ARCHIVE = {
    "uri": "file:///a.zip",
    "mimeType": "application/zip",
    "blob": base64.b64encode(b"PK").decode(),
}
OF_VERSION_1 = (
    "authenticate",
    "logout",
    "session/load",
    "session/set_mode",
    "_session/steering",
    "_session/goal",
    "_session/async_task/stop",
    "_session/batch_get",
    "_session/archive",
)
WRONG: dict[str, tuple[Json, ...]] = {
    "session/new": (
        {"mcpServers": [SSE]},
        {"mcpServers": [{"name": "a", "command": "/bin/true"}]},
        {"mcpServers": [STDIO, STDIO]},
        {"mcpServers": {}},
        {"mcpServers": [1]},
        {"mcpServers": [{**STDIO, "args": "x"}]},
        {"cwd": 1},
        {"cwd": "here"},
        {"cwd": "/no/such/place"},
        {"additionalDirectories": ["here"]},
        {"systemPrompt": {"mode": "shout", "content": []}},
        {"systemPrompt": {"mode": "append", "content": [{"type": "image"}]}},
    ),
    "session/prompt": tuple(
        {"prompt": blocks}
        for blocks in (
            [],
            None,
            {},
            ["hi"],
            [{"text": "hi"}],
            [{"type": "text"}],
            [{"type": "text", "text": 1}],
            [{"type": "image", "data": "AA=="}],
            [{"type": "audio", "data": "AA==", "mimeType": "audio/wav"}],
            [{"type": "resource_link", "uri": "file:///x"}],
            [{"type": "resource"}],
            [{"type": "resource", "resource": {"uri": "file:///x"}}],
            [TEXT, {"type": "resource", "resource": ARCHIVE}],
        )
    ),
    "session/set_config_option": (
        {"configId": "mode", "value": "plan"},
        {"configId": "mode", "type": "select", "value": "plan"},
        {"configId": "mode", "type": "id", "value": True},
        {"configId": "mode", "type": "boolean", "value": True},
        {"configId": "mode", "type": "id", "value": "no"},
        {"configId": "no", "type": "id", "value": "x"},
        {"configId": 1, "type": "id", "value": "x"},
        {"sessionId": None, "configId": "mode", "type": "id", "value": "plan"},
    ),
    "session/resume": (
        {"replayFrom": {"type": "message"}},
        {"replayFrom": {}},
        {"replayFrom": "start"},
        {"sessionId": 7},
    ),
    "session/fork": ({"sessionId": None}, {"mcpServers": [SSE]}),
    "session/list": ({"cwd": 1}, {"cwd": "here"}, {"cursor": "never given"}),
    "session/close": ({"sessionId": []},),
    "session/delete": ({"sessionId": {}},),
    "tool_call/cancel": ({"toolCallId": "none"}, {"toolCallId": None}),
    "terminal/cancel": ({"terminalId": "none"}, {}),
    "auth/login": ({}, {"methodId": "claude-ai-login"}, {"methodId": 1}),
    "providers/set": ({"providerId": "main", "apiType": "anthropic", "baseUrl": "ftp://x"},),
}
"""What gets invalid params, over a request that is right."""


async def test_requests_are_read_strictly(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with desk(fake_cli, tmp_path) as client:
        setup = {"cwd": str(tmp_path), "mcpServers": []}
        # before the greeting: nothing but a greeting
        for method in ("session/new", "auth/login", "no/such", "session/load"):
            assert await client.code(method, setup) == REFUSED
        client.peer.notify("session/cancel", {"sessionId": "x"})
        for hello in (None, [], {}, {"protocolVersion": "2"}, {"protocolVersion": 2}):
            assert await client.code("initialize", hello) == INVALID
        await client.hello({"elicitation": {"form": {}}})
        # one greeting is enough: another changes nothing, and not the version
        assert await client.code("initialize", {"protocolVersion": 1, "info": INFO}) == REFUSED
        assert (await client.hello())["protocolVersion"] == 2

        session = (await client.ask("session/new", setup))["sessionId"]
        here = {**setup, "sessionId": session}
        for method in (*OF_VERSION_1, "no/such", "_x"):
            assert await client.code(method, here) == NOT_FOUND, method
        for method, wrongs in WRONG.items():
            for wrong in wrongs:
                assert await client.code(method, {**here, **wrong}) == INVALID, (method, wrong)
            for params in ([1], "x", 7):
                assert await client.code(method, params) == INVALID, (method, params)
        prompt = {"sessionId": "none", "prompt": [TEXT]}
        assert await client.code("session/prompt", prompt) == NO_SESSION
        for method in ("session/resume", "session/fork"):
            assert await client.code(method, {**setup, "sessionId": "none"}) == NO_SESSION
        stop = {"sessionId": "none", "terminalId": "t"}
        assert await client.code("terminal/cancel", stop) == NO_SESSION
        for params in (None, 7, {"sessionId": 7}, {"sessionId": "none"}):
            client.peer.notify("session/cancel", params)
            client.peer.notify("no/such", params)

        # what need not be there counts as absent when it is malformed
        odd = {**TEXT, "annotations": 1, "_meta": []}
        link = {"type": "resource_link", "name": "x", "uri": "file:///x", "size": -1, "title": 7}
        answer = await client.ask(
            "session/prompt", {"sessionId": session, "prompt": [odd, link], "_meta": 7}
        )
        (message,) = client.updates("user_message")
        assert message["messageId"] == answer["messageId"]
        shown = {key: link[key] for key in ("type", "name", "uri")}
        assert message["content"] == [TEXT, shown]

        assert (await client.ask("providers/list", None))["providers"]
        assert "sessions" in await client.ask("session/list", None)
        for method in ("session/close", "session/delete", "session/close"):
            assert await client.ask(method, {"sessionId": session, "_meta": "x"}) == {}
        assert await client.code("session/prompt", {**here, "prompt": [TEXT]}) == NO_SESSION


async def test_a_storm_of_cancels_ends_every_prompt_once(fake_cli: FakeCli, tmp_path: Path) -> None:
    async with desk(fake_cli, tmp_path) as client:
        await client.hello()
        setup = {"cwd": str(tmp_path), "mcpServers": []}
        session = (await client.ask("session/new", setup))["sessionId"]
        here = {"sessionId": session}
        codes = []
        for _ in range(12):
            asked = {**here, "prompt": [TEXT]}
            codes.append(asyncio.ensure_future(client.code("session/prompt", asked)))
            await asyncio.sleep(0)
            for _ in range(5):
                client.peer.notify("session/cancel", here)
        assert set(await asyncio.gather(*codes)) <= {None, -32800}
        taken = len(client.updates("user_message"))
        assert taken == [code.result() for code in codes].count(None)
        # it goes on as if nothing had been
        before = len(client.updates("state_update"))
        await client.ask("session/prompt", {**here, "prompt": [TEXT]})

        def ended() -> bool:
            told = client.updates("state_update")[before:]
            return any(one.get("stopReason") == "end_turn" for one in told)

        await eventually(ended, "the end of the work")
        states = [one["state"] for one in client.updates("state_update")]
        assert all(one != two for one, two in pairwise(states))
        assert "sessions" in await client.ask("session/list", [])  # {}, as PHP writes it
        assert await client.ask("session/close", here) == {}


@pytest.mark.parametrize(
    ("served", "asked", "answered"),
    [
        ("auto", 2, 2),
        ("auto", 3, 2),
        ("auto", 1, 1),
        ("v1", 2, 1),
        ("v2", 2, 2),
        ("v2", 1, -32022),
        ("", 0, 1),
    ],
)
async def test_the_environment_says_which_versions_are_served(
    served: str, asked: int, answered: int, fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path, CLAUDE_AGENT_ACP_PROTOCOL=served) as client:
        params = {"protocolVersion": asked, "info": INFO}
        if answered > 0:
            told = await client.peer.request("initialize", params)
            assert told["protocolVersion"] == answered
            return
        with pytest.raises(AcpError) as refused:
            await client.ask("initialize", params)
        assert refused.value.code == answered
        assert refused.value.data == {"requested": asked, "supported": [2]}
        # a greeting that failed leaves the connection open
        assert (await client.hello())["protocolVersion"] == 2


def test_another_word_for_the_versions_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(SettingsError, match="CLAUDE_AGENT_ACP_PROTOCOL must be auto, v1 or v2"):
        read_settings({"CLAUDE_AGENT_ACP_PROTOCOL": "v3"})


async def test_version_1_does_not_have_the_methods_of_version_2(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    async with desk(fake_cli, tmp_path) as client:
        await client.peer.request("initialize", {"protocolVersion": 1})
        params = {"sessionId": "s", "terminalId": "t", "toolCallId": "t"}
        for method in ("terminal/cancel", "tool_call/cancel", "auth/login", "auth/logout"):
            assert await client.code(method, params) == NOT_FOUND


# --- the judges -----------------------------------------------------------------------------------


def update(kind: str, **fields: Any) -> Json:
    return {"sessionId": "S", "update": {"sessionUpdate": kind, **fields}}


@pytest.mark.parametrize(
    ("definition", "good", "bad"),
    [
        (
            "UpdateSessionNotification",
            update("agent_message_chunk", messageId="m", content=TEXT),
            update("agent_message_chunk", content=TEXT),
        ),
        (
            "UpdateSessionNotification",
            update("state_update", state="idle", background=[{"type": "_x", "a": 1}]),
            update("state_update", state="idle", background=[{"type": "terminal"}]),
        ),
        (
            "UpdateSessionNotification",
            update("terminal_output_chunk", terminalId="t", data="eA=="),
            update("terminal_output_chunk", terminalId="t"),
        ),
        (
            "UpdateSessionNotification",
            update("tool_call_update", toolCallId="t", status=None, title="x"),
            update("tool_call_update", status="completed"),
        ),
        ("PromptResponse", {"messageId": "m"}, {"stopReason": "end_turn"}),
        ("InitializeResponse", {"protocolVersion": 2, "info": INFO}, {"protocolVersion": 2}),
        ("ListSessionsResponse", {"sessions": []}, {"sessions": [{"sessionId": "s"}]}),
        ("Error", {"code": 1, "message": "m"}, {"code": "x", "message": "m"}),
    ],
)
@pytest.mark.parametrize("by_subset", [False, True], ids=["schema", "subset"])
def test_both_judges_can_say_no(definition: str, good: Json, bad: Json, by_subset: bool) -> None:
    assert complaint(definition, good, by_subset=by_subset) is None
    assert complaint(definition, bad, by_subset=by_subset) is not None


def test_every_frame_has_a_judge_and_without_npm_it_is_the_subset(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    subset = json.loads(judges.SUBSET.read_text())
    assert {*judges.PARAMS.values(), *judges.RESULTS.values(), "Error"} <= set(subset["$defs"])
    with pytest.raises(AssertionError, match="nobody judges"):
        complaint("NoSuchFrame", {})
    monkeypatch.setattr(judges, "KEPT", tmp_path / "none.json")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert judges.schema.__wrapped__() == subset


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
