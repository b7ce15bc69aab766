"""Text of models, tools and agents is shown as it is: no markup, action or control code (B73)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.updates import (
    AvailableCommandsUpdate,
    Command,
    ConfigChoice,
    ConfigOption,
    ConfigOptionUpdate,
    Plan,
    PlanEntry,
    SessionInfoUpdate,
)
from canopy_tui.model import events as e
from canopy_tui.model.shelf import Draft
from canopy_tui.view.keyboard.key_guard import QUIET
from canopy_tui.view.transcript.start_view import Scene
from tui_app.playing import WIDE, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from tui_app.playing import Play

NASTY = ["[/", "[b", "[red]x", "\\[", "[@click=app.quit]x", "[/red]", "[[", "$x", "[link=x]y"]


def controls_in(play: Play) -> set[str]:
    """Control codes among the characters on screen."""
    return {
        character for character in play.text if ord(character) < 32 or ord(character) == 127
    } - {"\n"}


@pytest.mark.parametrize("nasty", NASTY)
async def test_in_every_part_of_the_main_screen(nasty: str) -> None:
    scenes = [Scene(f"title {nasty}", nasty, f"hint {nasty}")]
    facts: dict[str, Any] = {"scenes": scenes, "history": [nasty], "draft": Draft(nasty)}
    size = (180, 40)  # so that nothing is cut
    async with playing(size, ready=False, directory=f"/dir {nasty}", **facts) as play:
        for text in (f"/dir {nasty}", f"title {nasty}", f"hint {nasty}"):
            assert text in play.text, text
        now = 1.0
        choice = ConfigChoice(nasty, f"model {nasty}")
        option = ConfigOption("model", "Model", "select", nasty, "model", options=(choice,))
        play.stage.apply(
            e.LinkChanged(status="ready", at=now, name=f"agent {nasty}"),
            e.SessionOpened(session=ROOT, at=now, mode="m", modes=(("m", f"mode {nasty}"),)),
        )
        play.stage.update(ConfigOptionUpdate((option,)))
        play.stage.update(AvailableCommandsUpdate((Command(f"c{nasty}", f"does {nasty}"),)))
        play.stage.say(f"says {nasty}\x1b[31m\x07")
        play.stage.call("1", f"tool {nasty}", kind="execute", status="completed")
        play.stage.update(Plan((PlanEntry(f"step {nasty}", "pending"),)))
        play.stage.spawn("a", f"kid {nasty}", task=f"task {nasty}")
        await play.settle()
        for text in (f"agent {nasty}", f"model {nasty}", f"mode {nasty}", f"tool {nasty}"):
            assert text in play.text, text
        assert f"step {nasty}" in play.text
        assert play.text.count(f"kid {nasty}") == 2  # its row and its card
        await play.press("ctrl+u")
        await play.write("/")
        await play.shows(f"does {nasty}")
        await play.press("escape", "ctrl+u")
        play.stage.act_queue(f"queued {nasty}")
        await play.shows(f"queued {nasty}")
        play.app.go("a")
        await play.shows(f"main › kid {nasty}")
        await play.shows(f"main › kid {nasty}")
        play.stage.update(SessionInfoUpdate(title=f"title {nasty}"))
        play.stage.apply(e.SessionOpened(session="root-2", at=now))
        await play.shows(f"title {nasty}")
        play.stage.apply(
            e.LinkChanged(
                status="lost", at=now, detail=f"why {nasty}", stderr=f"err {nasty}\x1b[2J"
            )
        )
        await play.shows(f"why {nasty}")
        await play.shows(f"err {nasty}")
        assert controls_in(play) == set()
        assert play.app.return_code is None


async def test_in_requests() -> None:
    async with playing(WIDE) as play:
        for number, nasty in enumerate(NASTY):
            child = f"child-{number}"
            play.stage.spawn(child, f"kid {nasty}")
            await permission_is_plain(play, child, nasty)
            await form_is_plain(play, nasty)
            play.stage.ask_page(f"https://example.org/{nasty}", f"open {nasty}")
            await play.shows(f"open {nasty}")
            await play.shows(f"https://example.org/{nasty}")
            play.clock.pass_by(QUIET + 0.01)
            await play.press("d")
        assert len(play.stage.acted) == 3 * len(NASTY)


async def permission_is_plain(play: Play, child: str, nasty: str) -> None:
    """Everything in a permission request stands there as it came."""
    reason = {"version": 1, "title": f"title {nasty}", "description": f"because {nasty}"}
    play.stage.ask_permission(
        session=child,
        kind="execute",
        rawInput={"command": f"echo {nasty}\x1b]0;owned\x07", f"key {nasty}": f"value {nasty}"},
        options=[{"optionId": "o", "name": f"option {nasty}", "kind": f"kind {nasty}"}],
        meta={"jetbrains": {"air": {"version": 1, "permission": reason}}},
    )
    await play.shows(f"kid {nasty} asks")
    for text in ("title", "because", "$ echo", "value", "option"):
        await play.shows(f"{text} {nasty}")
    assert controls_in(play) == set()
    play.clock.pass_by(QUIET + 0.01)
    await play.press("1")


async def form_is_plain(play: Play, nasty: str) -> None:
    """Everything in a form stands there as it came."""
    option = {"const": nasty, "title": f"label {nasty}", "description": f"about {nasty}"}
    field = {"type": "string", "title": f"field {nasty}", "description": f"help {nasty}"}
    schema = {"type": "object", "properties": {"q": {**field, "oneOf": [option]}}}
    play.stage.ask_form(schema, f"message {nasty}")
    for text in ("message", "field", "help", "label", "about"):
        await play.shows(f"{text} {nasty}")
    play.clock.pass_by(QUIET + 0.01)
    await play.press("d")


async def test_in_the_palette_and_in_questions() -> None:
    scenes = [Scene(f"scene {nasty}", nasty) for nasty in NASTY]
    async with playing(WIDE, scenes=scenes) as play:
        for number, nasty in enumerate(NASTY):
            play.stage.spawn(f"child-{number}", f"kid {nasty}", task=f"task {nasty}")
        await play.press("ctrl+p")
        await play.write("kid")
        for nasty in NASTY:
            await play.shows(f"Agent: kid {nasty}")
            await play.shows(f"task {nasty}")
        await play.press("escape")
        for number, nasty in enumerate(NASTY):
            play.app.ask_stop(f"child-{number}")
            await play.shows(f"Stop kid {nasty} only?")
            await play.press("escape")
            play.app.ask_open(f"https://example.org/{nasty}")
            await play.shows(f"https://example.org/{nasty}")
            await play.press("escape")
            play.app.say(f"says {nasty}")
            await play.shows(f"says {nasty}")


async def test_a_link_is_opened_only_after_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing() as play:
        opened: list[str] = []
        monkeypatch.setattr(play.app, "open_url", opened.append)
        play.app.ask_open("javascript:alert(1)")
        await play.shows("Only web pages, mail and files are opened.")
        play.app.ask_open("https://example.org")
        await play.shows("https://example.org")
        await play.press("enter", "n")
        assert opened == []
        play.app.ask_open("https://example.org")
        await play.settle()
        await play.press("y")
        assert opened == ["https://example.org"]
