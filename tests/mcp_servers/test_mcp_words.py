"""The words of ``/mcp``: the list, the errors in it, and what each form of the command does."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any

import pytest

from canopy_agent.claude.errors import ControlFailed
from canopy_agent.session.mcp_command import McpCommand, carry_out, kept_words, mcp_command
from canopy_agent.session.mcp_notices import McpNotices
from canopy_agent.session.mcp_patience import McpPatience
from canopy_agent.session.mcp_status import (
    NO_SERVERS,
    code_span,
    error_words,
    servers_of,
    status_markdown,
)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/mcp", McpCommand()),
        ("  /mcp \n", McpCommand()),
        ("/mcp reconnect", McpCommand("reconnect")),
        ("/mcp RECONNECT all", McpCommand("reconnect", "all")),
        ("/mcp enable my server", McpCommand("enable", "my server")),
        ("/mcp disable a  b ", McpCommand("disable", "a  b")),
        ("/mcp foo", None),
        ("/mcp reconnectall", None),
        ("/mcpx", None),
        ("see /mcp", None),
        ("/mcp:srv:cmd", None),
    ],
)
def test_scenario_82_what_is_the_command(text: str, command: McpCommand | None) -> None:
    assert mcp_command(text) == command


def row(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "status": status, **more}


def listed(*rows: dict[str, Any]) -> str:
    return status_markdown(servers_of({"mcpServers": list(rows)}))


def test_scenario_82_servers_that_need_somebody_come_first() -> None:
    text = listed(
        row("fine", "connected", tools=[{"name": "a"}]),
        row("off", "disabled"),
        row("broken", "failed", error="Error: MCP error -32000: Connection closed"),
        row("locked", "needs-auth"),
        row("slow", "pending"),
        row("odd", "sleeping"),
    )
    assert text.splitlines() == [
        "**6 MCP servers**: 1 connected, 1 connecting, 1 not authenticated, 1 failed, "
        "1 disabled, 1 sleeping",
        "",
        "**Failed**",
        "- `broken`: Connection closed",
        "",
        "**Needs authentication**",
        "- `locked`",
        "",
        "**Connecting**",
        "- `slow`",
        "",
        "**Connected**",
        "- `fine`: 1 tool",
        "",
        "**Sleeping**",
        "- `odd`",
        "",
        "**Disabled:** `off`",
        "",
        "Try `/mcp reconnect <server>`, or `/mcp reconnect` for all of them.",
    ]


def test_no_servers_and_nothing_to_reconnect() -> None:
    assert listed() == NO_SERVERS
    assert "reconnect" not in listed(row("a", "connected"), row("b", "disabled"))


def test_two_servers_of_one_name_are_told_apart() -> None:
    text = listed(
        row("a", "connected", scope="user"),
        row("a", "failed", source="plugin:x"),
        row("b", "failed"),
    )
    assert "- `a` (user)" in text
    assert "- `a` (plugin:x)" in text
    assert "- `b`" in text


@pytest.mark.parametrize(
    ("every", "titles"),
    [
        (False, ["MCP server `given` did not start"]),
        (True, ["MCP server `given` did not start", "MCP server `set up` did not start"]),
    ],
)
def test_which_servers_that_did_not_start_are_told(every: bool, titles: list[str]) -> None:
    told: list[Any] = []
    notices = McpNotices(frozenset({"given"}), told.append, signs_in=False, every=every)
    rows = [row("given", "failed"), row("set up", "failed"), row("locked", "needs-auth")]
    for _turn in range(2):
        notices.frame({"type": "system", "subtype": "init", "mcp_servers": rows})
    assert [fact.title for fact in told] == titles


@pytest.mark.parametrize(
    ("name", "span"),
    [("plain", "`plain`"), ("a`b", "``a`b``"), ("`x", "`` `x ``"), ("a\nb", "`a b`")],
)
def test_a_name_cannot_leave_its_code_span(name: str, span: str) -> None:
    assert code_span(name) == span


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("Error: SSE error: TypeError: fetch failed", "fetch failed"),
        ("One. Two. Three.", "One. Two."),
        ("x" * 300, "x" * 159 + "…"),
        (
            "failed for https://me:pw@h.example/mcp?token=abc now",
            "failed for https://h.example/mcp now",
        ),
        ("Error:", "Error:"),
    ],
)
def test_errors_are_short_and_hold_no_login(error: str, words: str) -> None:
    assert error_words(error) == words


def test_foreign_words_are_no_markup() -> None:
    text = listed(row("a", "failed", error="**bold** [x](y) <b>"))
    assert r"\*\*bold\*\* \[x\](y) \<b\>" in text


@pytest.mark.parametrize("answer", [{}, {"mcpServers": 3}, {"mcpServers": [1, {"name": 2}, {}]}])
def test_an_answer_of_another_shape_lists_nothing(answer: dict[str, Any]) -> None:
    assert servers_of(answer) == ()


class Cli:
    """Answers control requests from a table of servers."""

    def __init__(self, *rows: dict[str, Any], fails: str | None = None, hangs: str = "") -> None:
        self.rows = list(rows)
        self.fails = fails
        self.hangs = hangs
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["subtype"] == "mcp_status":
            return {"mcpServers": self.rows}
        self.asked.append(request)
        if request["serverName"] == self.hangs:
            await asyncio.Event().wait()
        if self.fails is not None:
            raise ControlFailed(request["subtype"], self.fails)
        for one in self.rows:
            if one["name"] == request["serverName"]:
                one["status"] = "connected" if request.get("enabled", True) else "disabled"
        return {}


async def said(command: str, cli: Cli, printed: str = "") -> str:
    parsed = mcp_command(command)
    assert parsed is not None
    return (await carry_out(parsed, printed, cli)).text


async def test_scenario_82_disable_asks_the_cli_and_lists_again() -> None:
    cli = Cli(row("srv", "connected"), row("other", "connected"))
    text = await said("/mcp disable srv", cli, "Not available in this session.")
    assert cli.asked == [{"subtype": "mcp_toggle", "serverName": "srv", "enabled": False}]
    assert text.startswith("- Disabled `srv`\n\n**2 MCP servers**")
    assert "**Disabled:** `srv`" in text


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("/mcp reconnect", ["failed", "locked", "slow"]),
        ("/mcp reconnect all", ["failed", "locked", "slow"]),
        ("/mcp reconnect fine", ["fine"]),
        ("/mcp enable all", ["off"]),
        ("/mcp disable all", ["failed", "locked", "slow", "fine"]),
    ],
)
async def test_all_means_those_that_it_applies_to(command: str, asked: list[str]) -> None:
    cli = Cli(
        row("failed", "failed"),
        row("locked", "needs-auth"),
        row("slow", "pending"),
        row("fine", "connected"),
        row("off", "disabled"),
    )
    await said(command, cli)
    assert [one["serverName"] for one in cli.asked] == asked


async def test_what_was_to_be_reconnected_is_reported() -> None:
    cli = Cli(row("a", "failed"), row("b", "failed"))
    report = await carry_out(McpCommand("reconnect", "a"), "", cli)
    assert report.reconnected == ("a",)
    assert (await carry_out(McpCommand("disable", "a"), "", cli)).reconnected == ()
    failing = Cli(row("a", "failed"), fails="Error: Connection closed")
    report = await carry_out(McpCommand("reconnect"), "", failing)
    assert report.reconnected == ("a",)
    assert "- `a` could not be reconnected: Connection closed" in report.text


async def test_commands_that_name_nothing_or_nobody() -> None:
    cli = Cli(row("a", "connected"))
    assert (await said("/mcp disable", cli)).startswith("Say which server: `/mcp disable <server>`")
    assert (await said("/mcp enable nosuch", cli)).startswith("There is no MCP server `nosuch`.")
    assert (await said("/mcp reconnect", cli)).startswith("There is no MCP server to reconnect.")
    assert cli.asked == []


def test_sentences_that_refuse_or_point_to_a_terminal_are_dropped() -> None:
    printed = "Done so far. Reconnect isn't available here. Run `/mcp` in the terminal for more."
    assert kept_words(printed) == "Done so far."


# --- servers that hold the first prompt ----------------------------------------------------------


async def told_of_waiting(*events: str) -> list[str]:
    """The titles told when ``events`` happen, ``later`` being the end of the patience."""
    told: list[Any] = []
    ends: list[asyncio.Event] = []
    tasks: list[asyncio.Task[None]] = []

    async def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        assert request == {"subtype": "mcp_status"}
        rows = [("slow", "pending"), ("quick", "connected"), ("two`s", "pending")]
        return {"mcpServers": [{"name": name, "status": status} for name, status in rows]}

    async def pause(seconds: float) -> None:
        ends.append(asyncio.Event())
        await ends[-1].wait()

    def spawn(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        tasks.append(asyncio.create_task(work))
        return tasks[-1]

    watch = McpPatience(ask, spawn, told.append, pause)
    for event in events:
        match event:
            case "init":
                watch.frame({"type": "system", "subtype": "init"})
            case "later":
                await asyncio.sleep(0)
                for end in ends:
                    end.set()
                await asyncio.gather(*tasks, return_exceptions=True)
            case _:
                getattr(watch, event)()
    for task in tasks:
        task.cancel()
    return [one.title for one in told]


@pytest.mark.parametrize(
    "events",
    [
        ("started", "later"),
        ("started", "prompted", "init", "later"),
        ("started", "prompted", "rested", "later"),
        ("started", "prompted", "init", "rested", "prompted", "later"),
        ("started", "prompted", "started", "later"),
    ],
)
async def test_a_prompt_that_no_server_holds_tells_nothing(events: tuple[str, ...]) -> None:
    assert await told_of_waiting(*events) == []


@pytest.mark.parametrize(
    "events",
    [
        ("started", "prompted", "later"),
        ("started", "prompted", "prompted", "later", "rested", "prompted", "later"),
        ("started", "prompted", "init", "rested", "started", "prompted", "later"),
    ],
)
async def test_servers_that_hold_a_prompt_are_told_once(events: tuple[str, ...]) -> None:
    assert await told_of_waiting(*events) == ["Waiting for MCP servers `slow`, ``two`s``"]
