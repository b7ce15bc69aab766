"""What is on screen at the start, without an agent, in help and palette, in grey and ASCII."""

from __future__ import annotations

from functools import partial

import pytest
from textual.color import Color

from canopy_shared.updates import ConfigChoice, ConfigOption, ConfigOptionUpdate
from canopy_tui.model import events as e
from canopy_tui.model.glyphs import ASCII, UNICODE, marks
from canopy_tui.model.intents import RestartAgent, SendPrompt, SetMode, SetOption
from canopy_tui.view.drawing.theme import DARK, LIGHT
from canopy_tui.view.keyboard.keymap import filled
from canopy_tui.view.keyboard.keys import GROUPS
from canopy_tui.view.screens.help import HelpScreen
from canopy_tui.view.transcript.start_view import Scene
from tui_app.playing import NARROW, WIDE, Play, playing
from tui_app.stage import ROOT

SCENES = [Scene("First", "do one", "what it shows"), Scene("Second", "do two")]


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_start_teaches(size: tuple[int, int]) -> None:
    async with playing(size, ready=False, scenes=SCENES) as play:
        for text in ("Canopy", "Enter", "Ctrl+T", "F4", "F1", "Try one", "1  First", "2  Second"):
            assert text in play.text, text
        assert "The agent is starting" in play.text
        play.stage.ready()
        await play.shows_no("The agent is starting")


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_start_says_what_does_not_last_and_what_does(size: tuple[int, int]) -> None:
    long = "/home/ada/" + "deep/" * 40 + "here"
    async with playing(size, scenes=SCENES, exports_to=long) as play:
        await play.shows("This project is deleted at the end; exports go to …")
        [line] = [line for line in play.lines if "exports go to" in line]
        assert line.rstrip().endswith("deep/here")
    async with playing(size, scenes=SCENES) as play:
        assert "deleted" not in play.text


@pytest.mark.parametrize("size", [(39, 9), (30, 20), (150, 9)])
async def test_a_terminal_that_is_too_small_shows_nothing_else(size: tuple[int, int]) -> None:
    async with playing(NARROW) as play:
        play.stage.spawn("a1", "scout")
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.act(SendPrompt(ROOT, "and then"))
        await play.shows("and then")
        await play.press("ctrl+t")
        await play.pilot.resize_terminal(*size)
        await play.until(
            lambda: " ".join(play.text.split()) == "Canopy needs 40 columns and 10 rows.",
            "that alone",
        )
        await play.pilot.resize_terminal(*NARROW)
        await play.shows("and then")


async def test_a_number_starts_a_scene_only_while_nothing_is_written() -> None:
    async with playing(scenes=SCENES) as play:
        await play.write("a2")
        assert play.draft == "a2"
        await play.press("ctrl+u", "3")  # there are only two
        assert play.draft == "3"
        await play.press("ctrl+u", "2")
        assert play.stage.acted == [SendPrompt(ROOT, "do two")]
        await play.shows("do two")
        await play.press("1")  # the list is gone, so it is a character
        assert play.draft == "1"


async def test_a_click_starts_a_scene() -> None:
    async with playing(scenes=SCENES) as play:
        await play.pilot.click("#scenes", offset=(4, 1))
        await play.settle()
        assert play.stage.acted == [SendPrompt(ROOT, "do one")]


@pytest.mark.parametrize("status", ["lost", "failed"])
async def test_an_agent_that_is_gone_is_told_as_far_as_it_is_known(status: str) -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.acted.clear()
        await play.write("a draft")
        lines = "\n".join(f"line {number}" for number in range(20))
        play.stage.apply(
            e.LinkChanged(
                status=status,
                at=1.0,
                detail="The agent ended with exit status 143.",
                stderr=lines,
            )
        )
        await play.shows("exit status 143")
        await play.shows("line 19")
        await play.shows("F5 starts it again" if status == "lost" else "F5 tries again")
        assert ("takes up its sessions" in play.text) is (status == "lost")
        assert ("The agent is gone" in play.text) is False  # there is a draft in its place
        assert "1 running" not in play.text
        await play.press("f5")
        assert play.stage.acted == [RestartAgent()]
        assert play.draft == "a draft"
        play.stage.ready()
        await play.shows_no("F5 ")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("lost", "The agent is gone · F5 starts it again"),
        ("failed", "The agent did not start · F5 tries again"),
    ],
)
async def test_the_empty_field_tells_a_start_that_failed_from_an_agent_that_is_gone(
    status: str, words: str
) -> None:
    async with playing() as play:
        play.stage.apply(e.LinkChanged(status=status, at=1.0))
        await play.shows(words)


async def test_nothing_is_invented_about_an_agent_that_is_gone() -> None:
    async with playing(ready=False) as play:
        play.stage.apply(e.LinkChanged(status="lost", at=1.0))
        await play.shows("The connection to the agent was lost.")
        assert "exit" not in play.text
        await play.press("f5")
        assert play.stage.acted == [RestartAgent()]


async def test_f5_asks_before_it_ends_an_agent_that_is_there() -> None:
    async with playing() as play:
        await play.press("f5", "f5")
        await play.shows("Starting it again")
        await play.press("escape")
        assert play.stage.acted == []
        await play.press("f5")
        await play.shows("Starting it again")
        await play.press("y")
        assert play.stage.acted == [RestartAgent(although_there=True)]


async def test_an_agent_that_opens_no_session_is_started_again_by_one_key() -> None:
    async with playing(ready=False) as play:
        play.stage.apply(e.LinkChanged(status="ready", at=1.0, detail="No session.", stderr="busy"))
        await play.shows("No session.")
        await play.shows("busy")
        await play.press("f5")
        assert play.stage.acted == [RestartAgent()]


async def test_help_lists_every_key() -> None:
    async with playing((120, 420)) as play:
        await play.press("f1")
        assert isinstance(play.screen, HelpScreen)
        for mark in marks(UNICODE):
            assert f"{mark.glyph} {mark.meaning}" in play.text
        for group in GROUPS:
            assert filled(group.title) in play.text
            for key in group.keys:
                if not key.id.startswith("slot-"):
                    assert filled(key.label) in play.text, key
        assert "Ctrl+J / Alt+Enter / Shift+Enter" in play.text
        await play.press("f1")
        assert play.app.shows_main


async def test_a_long_directory_gives_way_before_the_mode() -> None:
    async with playing() as play:
        place, modes = f"/srv/{'deep/' * 20}till", (("default", "Manual"),)
        opened = e.SessionOpened(session=ROOT, at=1.0, cwd=place, mode="default", modes=modes)
        play.stage.apply(opened)
        await play.shows("mode: Manual")
        assert "…" in play.lines[0]
        assert "/deep/till · " in play.lines[0]


async def test_a_small_screen_tells_the_mode_too() -> None:
    async with playing(NARROW) as play:
        modes = (("default", "Manual"), ("acceptEdits", "Accept edits"))
        for mode, name in modes:
            play.stage.apply(e.SessionOpened(session=ROOT, at=1.0, mode=mode, modes=modes))
            await play.shows(f"^O {name}  F1 keys")
        await play.shows("─ Accept edits ─╯")
        play.stage.apply(e.SessionOpened(session=ROOT, at=1.0, mode="default", modes=modes))
        await play.shows_no("Accept edits")


async def test_modes_go_round_without_the_dangerous_one() -> None:
    async with playing() as play:
        modes = (("default", "Manual"), ("bypassPermissions", "Bypass"), ("plan", "Plan"))
        play.stage.apply(e.SessionOpened(session=ROOT, at=1.0, mode="default", modes=modes))
        await play.press("ctrl+o")
        play.stage.apply(e.SessionOpened(session=ROOT, at=1.0, mode="plan", modes=modes))
        await play.shows("mode: Plan")
        await play.press("shift+tab")  # as in Claude Code
        assert play.stage.acted == [SetMode(ROOT, "plan"), SetMode(ROOT, "default")]


async def test_palette_finds_modes_models_agents_and_themes() -> None:
    async with playing() as play:
        choices = (ConfigChoice("o", "Opus"), ConfigChoice("h", "Haiku"))
        option = ConfigOption("model", "Model", "select", "o", "model", options=choices)
        fast = ConfigOption("fast", "Fast mode", "boolean", False)
        play.stage.update(ConfigOptionUpdate((option, fast)))
        play.stage.spawn("a", "explore")
        asked = (
            ("haiku", "Model: Haiku"),
            ("accept", "Mode: Accept edits"),
            ("fast", "Fast mode: on"),
        )
        for query, shown in asked:
            await play.press("ctrl+p")
            await play.write(query)
            await play.shows(shown)
            await play.press("enter")
        assert play.stage.acted == [
            SetOption(ROOT, "model", "h"),
            SetMode(ROOT, "acceptEdits"),
            SetOption(ROOT, "fast", True),
        ]
        await play.press("ctrl+p")
        await play.write("agent: expl")
        await play.shows("Agent: explore")
        await play.press("enter")
        await play.until(lambda: play.app.open_session == "a", "the child in view")
        await play.press("ctrl+p")
        await play.write("stop only")
        await play.shows("Stop only explore")
        await play.press("enter")
        await play.shows("Stop explore only? Everything else goes on.")
        await play.press("n", "ctrl+g")
        await play.press("ctrl+p")
        await play.write("html")
        await play.shows("Export the transcript as HTML")
        await play.press("enter")
        await play.shows("Not exported: /home/ada/till is not written to")
        assert play.app.theme == DARK
        await play.press("ctrl+p")
        await play.write("theme light")
        await play.shows(f"Theme: {LIGHT}")
        await play.press("enter")
        await play.until(lambda: play.app.theme == LIGHT, "the light theme")
        await play.shows(f"theme is {LIGHT} until you quit.")
        await play.press("ctrl+p")
        await play.write("theme: auto")
        await play.shows("follows the terminal")
        await play.press("enter")
        await play.until(lambda: play.app.theme == DARK, "the theme of the terminal")
        for query, draft in (("undo", ""), ("redo", "x")):
            await play.press("ctrl+g")
            await play.write("x" if query == "undo" else "")
            await play.press("ctrl+p")
            await play.write(query)
            await play.shows(query.capitalize())
            await play.press("enter")
            await play.until(lambda draft=draft: play.draft == draft, query)
        assert play.app.theme_choice == "auto"


async def test_palette_finds_what_stands_beside_a_title_behind_what_is_called_so() -> None:
    async with playing() as play:
        play.stage.spawn("kid", "fix tests", task="Find the failing receipts, and mend them")
        await play.press("ctrl+p")
        await play.write("receipts")
        await play.shows("Agent: fix tests")
        await play.press(*["backspace"] * len("receipts"))
        await play.write("alt+u")
        await play.shows("Usage: context")
        await play.press(*["backspace"] * len("alt+u"))
        await play.write("find")
        await play.shows("Agent: fix tests")  # by its task
        first = next(at for at, line in enumerate(play.lines) if "Find; once more" in line)
        assert first < next(at for at, line in enumerate(play.lines) if "Agent: fix" in line)


async def test_ascii_terminals_get_ascii() -> None:
    async with playing(glyphs=ASCII) as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("a", "explore")
        play.stage.spawn("b", "reader", parent="a")
        play.stage.say("done", "b")
        play.stage.end_child("b")
        play.stage.usage(50_000)
        await play.shows("explore")
        allowed = set("│╭╮╰╯─▕›·…┃▊▎█▁▂▃▄▅▆▇")  # frames and scrollbars of the toolkit
        others = {c for c in play.text if ord(c) > 126} - allowed
        assert others == set()


async def test_without_colour_everything_is_grey(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("a", "explore")
        play.stage.ask_permission(session="a")
        await play.until(lambda: not play.app.shows_main, "the request on screen")
        await play.settle()
        for strip in play.screen._compositor.render_strips():
            for segment in strip.apply_filter(play.app._filters[-1], Color(0, 0, 0)):
                for colour in (segment.style.color, segment.style.bgcolor):
                    if colour is not None and colour.triplet is not None:
                        assert len(set(colour.triplet)) == 1


async def test_a_small_terminal_drops_whole_words_and_the_palette_follows_its_size() -> None:
    async with playing(NARROW, scenes=SCENES) as play:
        await play.shows("@ for files · Enter sends · Ctrl+J new line ")
        await play.pilot.resize_terminal(60, 16)
        await play.shows("@ for files · Enter sends  ")
        await play.pilot.resize_terminal(40, 10)
        await play.shows("Message, or / for commands, @ for fi…")
        await play.pilot.resize_terminal(120, 40)
        # A demo's scenes are offered again once there is something else in their place.
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.say("done")
        play.stage.end_turn()
        await play.shows("@ for files · Ctrl+P has the scenes (demo) · Enter sends")
        await play.press("ctrl+p")
        for size in ((60, 16), (120, 40), (40, 10), (80, 24)):
            await play.pilot.resize_terminal(*size)
            await play.until(partial(_in_one_line, play), f"whole lines at {size}")
        await play.write("demo")
        await play.shows("Demo: First")


def _in_one_line(play: Play) -> bool:
    lines = [line for line in play.lines if "To the agents, and back" in line]
    return len(lines) == 1 and "  Ctrl+T " in lines[0]
