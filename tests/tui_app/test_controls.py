"""The controls of a session: its options, what it uses, its MCP servers."""

from __future__ import annotations

import pytest

from canopy_shared.ext.canopy_controls import McpServer, ModelUse, UsageReport
from canopy_shared.updates import (
    AvailableCommandsUpdate,
    Command,
    ConfigChoice,
    ConfigOption,
    ConfigOptionUpdate,
    UsageUpdate,
)
from canopy_tui.model import events as e
from canopy_tui.model.intents import AskServers, AskUsage, SendPrompt, SetMode, SetOption
from canopy_tui.view.controls.control_screen import ControlScreen
from tui_app.playing import NARROW, Play, playing
from tui_app.stage import ROOT

CHOICES = (ConfigChoice("o", "Opus", "For complex work"), ConfigChoice("h", "Haiku"))
OPTIONS = (
    ConfigOption("model", "Model", "select", "o", "model", None, CHOICES),
    ConfigOption("fast", "Fast mode", "boolean", False, description="Costs more"),
)


@pytest.fixture(autouse=True)
def no_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is asked by the clock: what a tick asks is looked at where it matters."""
    monkeypatch.setattr("canopy_tui.view.controls.control_screen._TICK", 3600.0)


async def _click(play: Play, text: str) -> None:
    row = next(number for number, line in enumerate(play.lines) if text in line)
    await play.pilot.click(offset=(play.lines[row].index(text) + 1, row))
    await play.settle()


async def test_options_are_changed_by_keys_and_by_mouse() -> None:
    async with playing(NARROW) as play:
        stage = play.stage
        stage.update(ConfigOptionUpdate(OPTIONS))
        stage.spawn("a", "explore")
        play.app.go("a")  # a child has the options of its main agent
        await play.press("f10")
        assert isinstance(play.screen, ControlScreen)
        for text in ("Mode ", "Manual", "Model", "Opus", "Fast mode", "off", "Costs more"):
            await play.shows(text)
        await play.press("down", "enter")
        await play.shows("For complex work")
        await play.press("down", "enter")
        assert stage.acted == [SetOption(ROOT, "model", "h")]
        stage.apply(e.OptionAsked(ROOT, "model", "h"))
        await play.shows("to be: Haiku")
        stage.apply(e.OptionSettled(ROOT, "model", "Haiku is not in your plan"))
        await play.shows("not changed to Haiku: Haiku is not in your plan")
        await play.press("down", "space")
        assert stage.acted[1:] == [SetOption(ROOT, "fast", True)]
        await _click(play, "Mode  ")
        await _click(play, "( ) Plan")
        assert stage.acted[2:] == [SetMode(ROOT, "plan")]
        await play.press("enter")
        await play.shows("( ) Plan")
        await play.press("escape")  # folds
        await play.shows_no("( ) Plan")
        await play.press("escape")
        assert play.app.shows_main
        assert play.app.open_session == "a"


async def test_keys_in_one_burst_each_count() -> None:
    """A held key over a slow line, or keys that tmux sends at once: nothing is drawn between."""
    async with playing(NARROW) as play:
        play.stage.update(ConfigOptionUpdate(OPTIONS))
        await play.press("f10")
        screen = play.screen
        assert isinstance(screen, ControlScreen)
        screen.action_move(1)
        screen.action_move(1)  # from the mode over the model
        screen.action_choose()
        await play.settle()
        assert play.stage.acted == [SetOption(ROOT, "fast", True)]
        screen.action_move(-1)
        screen.action_choose()  # unfolds the models, with the cursor on the first
        screen.action_move(1)
        screen.action_choose()
        await play.settle()
        assert play.stage.acted[1:] == [SetOption(ROOT, "model", "h")]


async def test_an_agent_without_options_says_so() -> None:
    async with playing(NARROW, ready=False) as play:
        await play.press("f10")
        await play.shows("The agent is not there yet.")
        stage = play.stage
        stage.apply(
            e.LinkChanged(status="ready", at=1.0), e.SessionOpened(session=ROOT, at=1.0, cwd="/")
        )
        await play.press("f10")
        await play.shows("offers nothing that can be set")


OWN = {"steering": {"supported": True}, "canopy": {"version": 1, "controls": True}}
SERVERS = (
    McpServer("docs", "connected", "", ("search", "read"), "user"),
    McpServer("dead", "failed", "no such \x1bprogram"),
    McpServer("locked", "needs-auth"),
    McpServer("off", "disabled"),
)


async def test_usage_and_servers_of_our_own_agent() -> None:
    async with playing(NARROW) as play:
        stage = play.stage
        stage.ready(meta=OWN)
        stage.update(UsageUpdate(50_000, 200_000, {"amount": 0.42, "currency": "USD"}))
        await play.shows("$0.42  25% context")
        await _click(play, "25% context")
        assert stage.acted == [AskUsage(ROOT)]
        stage.apply(e.UsageAsked(ROOT))
        await play.shows("asking the agent")
        report = UsageReport("max", models=(ModelUse("opus", 1200, 34, 5, 6, 0.42),))
        stage.apply(e.UsageTold(ROOT, report))
        for text in ("50k of 200k tokens", "$0.42", "max", "1.2k", "There are none."):
            await play.shows(text)
        await play.press("r")
        assert stage.acted[1:] == [AskUsage(ROOT)]
        await play.press("tab")
        assert stage.acted[2:] == [AskServers(ROOT)]
        stage.apply(e.ServersTold(ROOT, ()))
        for text in ("canopy --cli mcp add", ".mcp.json", "F5 ask anew"):
            await play.shows(text)
        assert "reconnect" not in play.text
        stage.apply(e.ServersTold(ROOT, SERVERS))
        await play.shows("r reconnect  e on / off  o log in  F5 ask anew  Enter tools  Esc close")
        for text in ("connected · 2 tools · user", "no such ␛program", "needs a login"):
            await play.shows(text)
        assert isinstance(play.screen, ControlScreen)
        assert play.screen.page.tick() == AskServers(ROOT)  # a login is waited for
        await play.press("enter")
        await play.shows("search, read")
        await play.press("escape", "down", "r", "down", "o", "down", "e")
        assert stage.acted[3:] == [
            AskServers(ROOT, "reconnect", "dead"),
            AskServers(ROOT, "signIn", "locked"),
            AskServers(ROOT, "enable", "off"),
        ]
        stage.apply(e.ServersAsked(ROOT, "enable", "off"))
        await play.shows("enabling")
        stage.apply(e.ServersTold(ROOT, SERVERS, server="off", problem="not allowed here"))
        await play.shows("not enabled: not allowed here")
        await play.press("f5", "shift+tab", "shift+tab")
        await play.shows("Manual")
        await play.press("escape")
        assert play.app.shows_main


async def test_an_agent_that_tells_nothing_is_asked_by_its_commands() -> None:
    async with playing(NARROW) as play:
        stage = play.stage
        await play.press("alt+u")
        for text in ("Cost       not told", "Context    not told", "does not tell them"):
            await play.shows(text)
        await play.press("tab")
        await play.shows("tells nothing of its MCP servers")
        await play.press("enter")
        assert stage.acted == []
        stage.update(AvailableCommandsUpdate((Command("mcp", "servers"),)))
        await play.shows("Send /mcp")
        await play.press("enter")
        assert stage.acted == [SendPrompt(ROOT, "/mcp")]


async def test_send_and_newline_are_remapped_and_questions_may_wait_for_their_key() -> None:
    keymap = {"send": "ctrl+j", "newline": "alt+enter", "steer": "ctrl+b"}
    async with playing(NARROW, keymap=keymap, opens_requests=False) as play:
        stage = play.stage
        await play.shows("@ for files · Ctrl+J sends")
        await play.write("a")
        await play.press("enter", "alt+enter")
        await play.write("b")
        assert (play.draft, stage.acted) == ("a\n\nb", [])
        await play.press("ctrl+j")
        assert stage.acted == [SendPrompt(ROOT, "a\n\nb")]
        await play.shows("^B say now")
        stage.ask_permission()
        await play.shows("1 waiting")
        play.clock.pass_by(5.0)
        play.app.desk.look()
        assert play.app.shows_main
        await play.press("f4")
        assert not play.app.shows_main
