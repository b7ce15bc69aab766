"""MCP servers of a client on the real CLI: started, listed, switched, signed in to."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Rule, ToolUse, When
from e2e.world import world
from mcp_servers.serving import listening, shell_server, stdio_server, web_server
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from e2e.world import World

HELLO = Rule(When(says="hello"), "Hello.")
URL = {"elicitation": {"url": {}}}
NOTICES = {"session": {"notices": {}}}


def calls(server: str) -> tuple[Rule, ...]:
    """A model that finds the echo tool of a server and calls it."""
    tool = f"mcp__{server}__echo"
    return (
        Rule(When(after_tool=tool), "Done."),
        Rule(When(after_tool="ToolSearch"), [ToolUse(tool, {"text": "hi"})]),
        Rule(When(says="echo"), [ToolUse("ToolSearch", {"query": f"select:{tool}"})]),
    )


async def open_with(w: World, *servers: dict[str, Any], **capabilities: Any) -> None:
    """A session with ``servers``."""
    await w.agent.initialize(capabilities)
    w.session = await w.agent.new_session(w.cwd, mcpServers=list(servers))


async def state(w: World, *names: str) -> str:
    """What ``/mcp`` says once none of the servers is connecting any more."""
    for _ in range(100):
        before = len(w.agent.text())
        await w.prompt("/mcp")
        said = w.agent.text()[before:]
        if "Connecting" not in said:
            return said
    raise AssertionError(f"still connecting: {said}")


async def test_b59_a_server_over_stdio_gets_its_arguments_and_environment(tmp_path: Path) -> None:
    booted = tmp_path / "booted.json"
    server = stdio_server("my tools", "--flag", BOOTED=str(booted), MINE="1")
    async with world(*calls("my_tools"), HELLO) as w:
        w.agent.on_permission("allow_once")
        await open_with(w, server)
        assert "`my tools`: 1 tool" in await state(w)
        seen = json.loads(booted.read_text())
        assert seen["argv"] == ["--flag"]
        assert seen["env"]["MINE"] == "1"
        await w.prompt("echo please")
        assert "echo: hi" in str(w.agent.updates("tool_call_update"))


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_b59_a_server_over_the_network_gets_its_headers(kind: str) -> None:
    async with listening(kind) as here, world(*calls("net")) as w:
        w.agent.on_permission("allow_once")
        secret = "Bearer sk-very-secret"
        await open_with(w, web_server("net", kind, here.url, Authorization=secret))
        assert "`net`: 1 tool" in await state(w)
        assert all(one.get("authorization") == secret for one in here.headers)
        await w.prompt("echo please")
        assert "echo: hi" in str(w.agent.updates("tool_call_update"))
        assert "sk-very-secret" not in str(w.agent.frames) + w.agent.stderr


async def test_a_slow_or_dead_server_keeps_no_session_from_starting() -> None:
    """The CLI gives such a server its time at the first prompt; that can be cancelled."""
    slow, dead = shell_server("slow", "sleep 60"), shell_server("dead", "exit 3")
    async with world(HELLO) as w:
        await open_with(w, slow, dead)
        turn = w.agent.begin_prompt(w.session, "hello")
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"


async def test_a_client_is_told_which_server_holds_its_first_prompt() -> None:
    async with world(HELLO) as w:
        await open_with(w, stdio_server("quick"), shell_server("slow", "sleep 60"), **NOTICES)
        turn = w.agent.begin_prompt(w.session, "hello")
        notice = await w.agent.wait_update("notice")
        assert notice["severity"] == "info"
        assert notice["title"].startswith("Waiting for MCP server")
        assert "`slow`" in notice["title"]  # on a busy machine the other one is not there yet
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"


async def test_b59_a_server_that_failed_is_told_once_by_its_name() -> None:
    async with world(HELLO) as w:
        await open_with(w, shell_server("dead", "exit 3"), **NOTICES)
        for _ in range(2):
            await w.prompt("/mcp")
        (notice,) = w.agent.updates("notice")
        assert notice["severity"] == "warning"
        assert notice["title"] == "MCP server `dead` did not start"


async def test_b59_a_client_without_notices_reads_it_in_the_transcript() -> None:
    async with world(HELLO) as w:
        await open_with(w, shell_server("dead", "exit 3"))
        await w.prompt("/mcp")
        meta = {"kind": "mcpServerStatus", "server": "dead", "status": "failed"}
        told = [u for u in w.agent.updates("agent_message_chunk") if "_meta" in u]
        assert [one["_meta"]["claudeCode"] for one in told] == [meta]


async def test_scenario_82_the_command_on_the_real_cli() -> None:
    async with world(HELLO) as w:
        await open_with(w, stdio_server("srv"), shell_server("dead", "exit 3"))
        first = await state(w)
        assert "**Failed**\n- `dead`" in first
        assert "**Connected**\n- `srv`: 1 tool" in first
        for command, words in [
            ("/mcp disable srv", "- Disabled `srv`"),
            ("/mcp enable srv", "- Enabled `srv`"),
            ("/mcp reconnect srv", "- Reconnected `srv`"),
            ("/mcp reconnect dead", "- `dead` could not be reconnected: Connection closed"),
            ("/mcp reconnect nosuch", "There is no MCP server `nosuch`."),
        ]:
            before = len(w.agent.text())
            assert (await w.prompt(command))["stopReason"] == "end_turn"
            said = w.agent.text()[before:]
            assert said.startswith(words), command
            assert said.count("MCP server**") + said.count("MCP servers**") == 1
        before = len(w.agent.text())
        await w.prompt("/mcp foo")
        said = w.agent.text()[before:]
        assert said
        assert "**Connected**" not in said


async def test_prompts_of_a_server_are_commands() -> None:
    politely = Rule(When(says="Say hello to Bob politely"), "Hello, dear Bob.")
    async with world(politely) as w:
        await open_with(w, stdio_server("srv"))
        update = await w.agent.wait_update(
            "available_commands_update", match=lambda u: "mcp:srv:greet" in str(u)
        )
        (command,) = [c for c in update["availableCommands"] if c["name"] == "mcp:srv:greet"]
        assert command["description"] == "Greet someone."
        await w.prompt("/mcp:srv:greet Bob")
        assert w.agent.text() == "Hello, dear Bob."


# --- signing in -----------------------------------------------------------------------------------


def visit(url: str) -> None:
    """Open a page as a browser does, wherever it leads."""
    with urllib.request.urlopen(url, timeout=20) as response:
        response.read()


async def test_scenario_83_a_page_is_shown_after_the_session_is_there_and_completed() -> None:
    async with listening("http", sign_in=True) as here, world(*calls("locked")) as w:
        w.agent.on("elicitation/create", None)
        w.agent.on_permission("allow_once")
        await open_with(w, web_server("locked", "http", here.url), **URL)
        asked = await w.agent.wait_request("elicitation/create")
        params = asked["params"]
        assert params["mode"] == "url"
        assert params["sessionId"] == w.session
        assert params["elicitationId"].startswith("mcp-oauth-")
        assert "locked" in params["message"]
        opened = next(
            i for i, f in enumerate(w.agent.frames) if "sessionId" in str(f.get("result"))
        )
        assert opened < w.place_of(asked)
        await asyncio.to_thread(visit, params["url"])
        done = await eventually(
            lambda: [f for f in w.agent.frames if f.get("method") == "elicitation/complete"],
            "the end of the sign-in",
            bound=20,
        )
        assert done[0]["params"] == {"elicitationId": params["elicitationId"]}
        withdrawn = await eventually(
            lambda: [f for f in w.agent.frames if f.get("method") == "$/cancel_request"],
            "withdrawn",
        )
        assert withdrawn[0]["params"]["requestId"] == asked["id"]
        assert here.sign_ins == 1
        await w.prompt("echo please")
        assert "echo: hi" in str(w.agent.updates("tool_call_update"))


async def test_a_page_that_is_declined_is_not_shown_again_until_somebody_reconnects() -> None:
    async with listening("http", sign_in=True) as here, world() as w:
        w.agent.on("elicitation/create", {"action": "decline"})
        await open_with(w, web_server("locked", "http", here.url), **URL)
        await w.agent.wait_request("elicitation/create")
        assert "**Needs authentication**\n- `locked`" in await state(w)
        assert len(w.agent.requests("elicitation/create")) == 1
        await w.prompt("/mcp reconnect locked")
        await eventually(
            lambda: len(w.agent.requests("elicitation/create")) == 2, "a second page", bound=20
        )
        assert here.sign_ins == 0


async def test_a_client_without_pages_is_told_of_the_sign_in() -> None:
    async with listening("http", sign_in=True) as here, world() as w:
        await open_with(w, web_server("locked", "http", here.url))
        await state(w)
        await w.prompt("/mcp")
        assert "**MCP server `locked` needs a sign-in:**" in w.agent.text()
        assert w.agent.requests("elicitation/create") == []


async def test_a_session_that_closes_takes_its_page_back() -> None:
    async with listening("http", sign_in=True) as here, world() as w:
        w.agent.on("elicitation/create", None)
        await open_with(w, web_server("locked", "http", here.url), **URL)
        asked = await w.agent.wait_request("elicitation/create")
        await w.agent.request("session/close", sessionId=w.session)
        withdrawn = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
        assert [f["params"]["requestId"] for f in withdrawn] == [asked["id"]]


# --- asked beside the conversation ----------------------------------------------------------------

OWN = {"_meta": {"canopy": {"version": 1}}, **URL}


async def test_our_own_client_sees_and_changes_servers_and_use_without_a_turn() -> None:
    async with listening("http", sign_in=True) as here, world(HELLO) as w:
        w.agent.on("elicitation/create", {"action": "decline"})
        hello = await w.agent.initialize(OWN)
        assert hello["_meta"]["canopy"].items() >= {"version": 1, "controls": True}.items()
        servers = [
            stdio_server("srv"),
            shell_server("dead", "exit 3"),
            web_server("locked", "http", here.url),
        ]
        w.session = await w.agent.new_session(w.cwd, mcpServers=servers)

        async def listed(**params: Any) -> tuple[dict[str, Any], str]:
            told = await w.agent.request("_canopy/mcp_servers", sessionId=w.session, **params)
            return {row["name"]: row for row in told["servers"]}, told["problem"]

        rows, problem = await listed()
        while any(row["status"] == "pending" for row in rows.values()):
            rows, problem = await listed()
        assert {name: row["status"] for name, row in rows.items()} == {
            "srv": "connected",
            "dead": "failed",
            "locked": "needs-auth",
        }
        assert (rows["srv"]["tools"], problem) == (["echo"], "")
        assert "Connection closed" in rows["dead"]["error"]
        rows, problem = await listed(action="disable", server="srv")
        assert (rows["srv"]["status"], problem) == ("disabled", "")
        _, problem = await listed(action="reconnect", server="dead")
        assert "Connection closed" in problem
        await w.agent.wait_request("elicitation/create")
        before = len(w.agent.requests("elicitation/create"))
        while (await listed(action="signIn", server="locked"))[1]:
            pass  # the page before it is not over yet
        await eventually(
            lambda: len(w.agent.requests("elicitation/create")) > before, "a page", bound=30
        )
        with pytest.raises(RpcError) as refused:
            await listed(action="melt", server="srv")
        assert refused.value.code == -32602

        await w.prompt("hello")
        use = await w.agent.request("_canopy/usage", sessionId=w.session)
        assert use["cost"] is not None
        assert [row["output"] > 0 for row in use["models"]] == [True]
        assert use["agents"] == []
        one = await w.agent.request("_canopy/usage", sessionId=w.session, agent="a0000001")
        assert (one["agents"], one["models"]) == ([], [])


async def test_other_clients_are_offered_none_of_it() -> None:
    async with world(HELLO) as w:
        hello = await w.agent.initialize({})
        assert "canopy" not in hello.get("_meta", {})
        for method in ("_canopy/mcp_servers", "_canopy/usage"):
            with pytest.raises(RpcError) as refused:
                await w.agent.request(method, sessionId="s")
            assert refused.value.code == -32601
