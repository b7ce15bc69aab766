"""The controls of a session: its options on one screen."""

from __future__ import annotations

from canopy_shared.updates import ConfigChoice, ConfigOption, ConfigOptionUpdate
from canopy_tui.model import events as e
from canopy_tui.model.intents import SetMode, SetOption
from canopy_tui.view.control_screen import ControlScreen
from tui_app.playing import NARROW, Play, playing
from tui_app.stage import ROOT

CHOICES = (ConfigChoice("o", "Opus", "For complex work"), ConfigChoice("h", "Haiku"))
OPTIONS = (
    ConfigOption("model", "Model", "select", "o", "model", None, CHOICES),
    ConfigOption("fast", "Fast mode", "boolean", False, description="Costs more"),
)


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


async def test_an_agent_without_options_says_so() -> None:
    async with playing(NARROW, ready=False) as play:
        await play.press("f10")
        await play.shows("There is no session yet.")
        stage = play.stage
        stage.apply(
            e.LinkChanged(status="ready", at=1.0), e.SessionOpened(session=ROOT, at=1.0, cwd="/")
        )
        await play.press("f10")
        await play.shows("offers nothing that can be set")
