"""Slash commands of the client itself: offered beside those of the agent, and never sent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from canopy_shared.updates import AvailableCommandsUpdate, Command
from canopy_tui.desk.desktop import write_new
from canopy_tui.model import events as e
from canopy_tui.model import intents as i
from canopy_tui.model.own_commands import BY_NAME, OWN, Call, called, offered
from canopy_tui.view.apps.command_app import ACTIONS
from tui_app.playing import NARROW, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from pathlib import Path

AGENTS = (Command("export", "The agent's own"), Command("canopy:odd", "Odd"))


def names(commands: list[Command]) -> list[str]:
    return [command.name for command in commands]


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("/export", Call("export", "markdown")),
        (" /export  HTML ", Call("export", "html")),
        ("/canopy:export svg", Call("export", "svg")),
        ("/export pdf", Call("export", fault="/export takes md, json, svg, html.")),
        ("/exports", None),
        ("/exit", Call("quit")),
        ("/canopy:model", Call("model")),
        ("/model opus", Call("model", fault="/model takes no words after it.")),
        ("export", None),
        ("/export\nthis", None),
        ("/", None),
    ],
)
def test_what_a_text_calls(text: str, call: Call | None) -> None:
    assert called(text, ()) == call


def test_the_agents_own_command_wins_and_ours_has_another_name() -> None:
    assert "export" in names(offered(()))
    assert "canopy:export" in names(offered(AGENTS))
    assert "export" not in names(offered(AGENTS))
    assert called("/export json", AGENTS) is None
    assert called("/canopy:export json", AGENTS) == Call("export", "json")
    assert called("/canopy:odd", AGENTS) is None
    unknown = called("/canopy:other", AGENTS)
    assert unknown is not None
    assert unknown.fault.startswith("Canopy has no such command. There is /canopy:help, ")


def test_a_bare_command_of_our_own_agent_opens_the_page() -> None:
    ours = (Command("model", "Choose"), Command("mcp", "Servers"), Command("export", "Other"))
    assert called("/model", ours) is None
    assert called("/model", ours, pages=True) == Call("model")
    assert called("/mcp", ours, pages=True) == Call("mcp")
    assert called("/model opus", ours, pages=True) is None
    assert called("/export", ours, pages=True) is None


def test_names_from_elsewhere_are_offered_once_they_are_typed() -> None:
    assert "exit" not in names(offered((), "/"))
    assert "exit" in names(offered((), "/ex"))
    assert "quit" in names(offered((), "/qu"))
    taken = (Command("exit", "The agent's own"),)
    assert "exit" not in names(offered(taken, "/ex"))
    assert called("/exit", taken) is None
    assert called("/canopy:exit", taken) == Call("quit")


def test_every_command_has_an_action_and_names_of_its_own() -> None:
    assert set(ACTIONS) == {one.name for one in OWN}
    assert len(BY_NAME) == sum(len(one.names) for one in OWN)


async def test_export_is_written_as_a_command_and_no_agent_gets_it(tmp_path: Path) -> None:
    async with playing(NARROW, ready=False, write_new=write_new) as play:
        play.stage.ready(str(tmp_path))
        play.stage.say("Hello")
        await play.write("/exp")
        await play.shows("/export md | json | svg | html")
        await play.shows("Canopy: write the transcript in view")
        await play.press("tab")
        await play.write("pdf")
        await play.press("enter")
        await play.shows("/export takes md, json, svg, html.")
        assert play.draft == "/export pdf"
        await play.press("backspace", "backspace", "backspace")
        await play.write("json")
        await play.press("ctrl+n")
        await play.until(lambda: list(tmp_path.glob("*.json")), "the file")
        assert play.draft == ""
        await play.press("up")
        assert play.draft == "/export json"
        await play.press("ctrl+u")

        play.stage.update(AvailableCommandsUpdate(AGENTS))
        await play.write("/exp")
        await play.shows("/canopy:export")
        await play.shows("The agent's own")
        await play.press("ctrl+u")
        await play.write("/canopy:export html")
        await play.press("enter")
        await play.until(lambda: list(tmp_path.glob("*.html")), "the file")
        assert not any(isinstance(one, i.SendPrompt) for one in play.stage.acted)
        await play.write("/export it")
        await play.press("enter")
        assert i.SendPrompt(ROOT, "/export it") in play.stage.acted
        play.stage.act_queue("later")
        await play.settle()
        await play.press("up", "ctrl+u")
        await play.write("/canopy:export md")
        await play.press("enter")
        await play.shows("does not wait in the queue")


async def test_a_command_that_needs_an_agent_says_that_there_is_none(tmp_path: Path) -> None:
    async with playing(NARROW, ready=False, write_new=write_new) as play:
        for command in ("/login", "/new", "/model", "/usage"):
            await play.write(command)
            await play.press("enter")
            await play.shows("The agent is not there yet.")
            play.app.say("")
        assert i.OpenSession() not in play.stage.acted
        play.stage.ready(str(tmp_path / "gone"))
        play.stage.say("Hello")
        await play.write("/export md")
        await play.press("enter")
        await play.shows(f"Not exported: {str(tmp_path)[:20]}")
        play.stage.apply(e.LinkChanged(status="lost", at=1.0))
        await play.write("/new")
        await play.press("enter")
        await play.shows("F5 starts it again.")
        assert i.OpenSession() not in play.stage.acted


async def test_commands_that_people_know_from_elsewhere_open_the_pages() -> None:
    async with playing(NARROW) as play:
        for command, shown in [
            ("/help", "Keys"),
            ("/cost", "Usage"),
            ("/resume", "Sessions"),
            ("/theme", "canopy-light"),
        ]:
            await play.write(command)
            await play.press("enter")
            await play.shows(shown)
            await play.press("escape")
            await play.until(lambda: play.app.screen is play.app.main, "the main screen")
        await play.write("/copy")
        await play.press("enter")
        await play.shows("There is no answer to copy yet.")
        play.stage.say("**One** answer")
        await play.settle()
        await play.write("/copy")
        await play.press("enter")
        await play.until(lambda: play.app.clipboard == "**One** answer", "the copy")
        await play.write("/exit")
        await play.press("enter")
        await play.until(lambda: play.app.return_value == 0, "the end")
        assert not any(isinstance(one, i.SendPrompt) for one in play.stage.acted)
