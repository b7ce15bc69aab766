"""What is offered while a slash command is typed: what fits, and never a refusal."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from canopy_shared.updates import AvailableCommandsUpdate, Command
from canopy_tui.model import intents as i
from canopy_tui.model.nearest import nearest
from canopy_tui.model.own_commands import EXPORT, OWN
from canopy_tui.view.composer.slash_offers import NO_COMMANDS, offers_for
from tui_app.playing import NARROW, WIDE, playing
from tui_app.stage import ROOT

LONG_HINT = "[pr-number | branch-name | url] [--comments] [--severity=low|medium|high] [areas …]"
AGENTS = (
    Command("tasks", "List the background tasks"),
    Command("review", "Review a pull request", {"hint": LONG_HINT}),
    Command("mcp:" + "a-very-long-name-of-a-server:" * 2 + "prompt", "A prompt of a server"),
    Command("context", "Show what fills the context"),
)
LISTED = ", ".join(f"/canopy:{own.name}" for own in OWN)
NO_SUCH = f"Canopy has no such command. There is {LISTED}."
UNKNOWN = "The agent has told of no {}: Enter twice sends it as a message."


def offered(text: str, agents: tuple[Command, ...] = AGENTS) -> tuple[list[str], str, bool] | None:
    found = offers_for(text, agents)
    return None if found is None else ([one.text for one in found.offers], found.note, found.sure)


@pytest.mark.parametrize(
    ("text", "offers", "note", "sure"),
    [
        ("/tasks", ["/tasks"], "", True),
        ("/ta", ["/tasks"], "", True),
        ("/tsaks", ["/tasks"], UNKNOWN.format("/tsaks"), False),
        ("/exprot", ["/export"], UNKNOWN.format("/exprot"), False),
        ("/zzz", [], UNKNOWN.format("/zzz"), False),
        ("/zzz and more", [], UNKNOWN.format("/zzz"), False),
        ("/z\x1b[31m", [], UNKNOWN.format("/z␛[31m"), False),
        ("/export", ["/export", *(f"/export {word}" for word in EXPORT.choices)], "", True),
        ("/export ", ["/export", *(f"/export {word}" for word in EXPORT.choices)], "", True),
        ("/export JS", ["/export json"], "", True),
        ("/export pdf", [], "/export takes md, json, svg, html.", True),
        ("/canopy:exp", ["/canopy:export"], "", True),
        ("/canopy:zzz", ["/canopy:new", "/canopy:mcp"], NO_SUCH, False),
    ],
)
def test_offers(text: str, offers: list[str], note: str, sure: bool) -> None:
    assert offered(text) == (offers, note, sure)


@pytest.mark.parametrize("text", ["", "tasks", "/etc/hosts", "/tasks now", "/ or", "/a\nb", "//"])
def test_nothing_is_offered_for_what_is_no_command_in_the_making(text: str) -> None:
    assert offered(text) is None


def test_before_the_agent_has_told_its_commands_none_is_called_unknown() -> None:
    assert offered("/tas", ()) == ([], NO_COMMANDS, False)
    assert offered("/tas now", ()) is None
    assert offered("/", ()) == ([f"/{own.name}" for own in OWN], NO_COMMANDS, True)


def test_nearest() -> None:
    assert nearest("inpsect", ["replay", "inspect"]) == ["inspect"]
    assert nearest("inspect", ["replay", "inspect"]) == []
    assert nearest("INS", ["inspect", "insert", "replay"]) == ["inspect", "insert"]
    assert nearest("", ["a"]) == nearest("x" * 1000, ["x" * 999]) == nearest("a", []) == []


async def test_the_list_says_what_may_follow_and_never_holds_a_command_back() -> None:
    async with playing(NARROW) as play:
        play.stage.update(AvailableCommandsUpdate(AGENTS))
        await play.write("/")
        await play.shows("Review a pull request")
        rows = [line for line in play.lines if line.lstrip().startswith("/")]
        abouts = ("List the", "Review a", "Show what")
        starts = {
            cell_len(line.partition(about)[0]) for line in rows for about in abouts if about in line
        }
        assert len(starts) == 1, rows  # one column, however long a hint is
        assert any("A prompt of a server" in line for line in rows)

        await play.write("review")
        await play.shows("[areas …]")  # whole, once the command is
        await play.shows("Review a pull request")
        await play.press("enter")
        assert play.stage.acted[-1] == i.SendPrompt(ROOT, "/review")

        await play.write("/tsaks")
        await play.shows(UNKNOWN.format("/tsaks"))
        await play.shows("List the background tasks")
        await play.press("tab")
        assert play.draft == "/tasks "
        await play.press("ctrl+u")
        await play.write("/tsaks")
        await play.shows(UNKNOWN.format("/tsaks"))
        await play.press("enter", "enter")
        assert play.draft == ""


async def test_a_command_that_nobody_told_of_is_sent_by_the_second_press_and_never_lost() -> None:
    async with playing(NARROW) as play:
        await play.write("/foo")  # the agent has told no commands: nobody can know
        await play.press("enter")
        assert play.stage.acted[-1] == i.SendPrompt(ROOT, "/foo")
        play.stage.update(AvailableCommandsUpdate(AGENTS))
        tries = [("/foo", "enter", "Enter"), ("/foo the bar", "ctrl+n", "Ctrl+N")]
        for text, key, shown in tries:
            before = len(play.stage.acted)
            await play.write(text)
            await play.press(key)
            command = text.partition(" ")[0]
            await play.shows(f"No command {command} is known: {shown} again sends it as a message.")
            assert (play.draft, len(play.stage.acted)) == (text, before)
            await play.write("d")  # another text: asked anew
            await play.press(key)
            assert (play.draft, len(play.stage.acted)) == (f"{text}d", before)
            await play.press(key)
            sent = i.SendPrompt if key == "enter" else i.SteerPrompt
            assert play.stage.acted[-1] == sent(ROOT, f"{text}d")
            assert play.draft == ""
        await play.write("/tmp/a is broken")  # a path, as it is pasted
        await play.press("enter")
        assert play.stage.acted[-1] == i.SendPrompt(ROOT, "/tmp/a is broken")


async def test_arguments_are_picked_and_a_command_of_before_leaves_the_keys_alone() -> None:
    async with playing(WIDE) as play:
        play.stage.update(AvailableCommandsUpdate(AGENTS))
        await play.write("first")
        await play.press("enter")
        await play.write("/export")
        await play.shows("/export html")
        await play.press("down", "down", "enter")
        assert play.draft == "/export json "
        await play.press("ctrl+u")
        await play.write("/export")
        await play.press("enter")  # whole: it is carried out, not completed
        assert play.draft == ""
        await play.press("up")
        assert play.draft == "/export"
        await play.shows_no("/export html")
        await play.press("up")
        assert play.draft == "first"


async def test_a_list_that_is_open_follows_the_size_of_the_terminal() -> None:
    async with playing(WIDE) as play:
        long = [Command(f"command-{at}", "What it does, in many words: " * 5) for at in range(3)]
        play.stage.update(AvailableCommandsUpdate(tuple(long)))
        await play.write("/co")
        await play.press("down")
        await play.shows("/command-2")
        await play.pilot.resize_terminal(*NARROW)
        await play.settle()
        rows = [line for line in play.lines if "What it does" in line]
        assert len(rows) == 3
        assert all("/command-" in row and "…" in row for row in rows)
        await play.press("tab")
        assert play.draft == "/command-1 "
