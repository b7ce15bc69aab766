"""Small terminals: what matters most is in view, and everything else can be reached from there."""

from __future__ import annotations

import pytest

from canopy_shared.updates import UsageUpdate
from tui_app.playing import playing

SMALLEST = (40, 10)
SMALL = (60, 16)


@pytest.mark.parametrize("size", [SMALLEST, SMALL, (80, 24)])
async def test_the_tree_begins_with_who_asks_else_with_who_works(size: tuple[int, int]) -> None:
    async with playing(size) as play:
        for number in range(40):
            play.stage.spawn(f"k{number}", f"agent {number}")
            if number < 30 and number != 4:
                play.stage.end_child(f"k{number}")
        play.stage.spawn("k4-1", "inner", "k4")
        await play.press("ctrl+t")
        await play.shows("├─▶ agent 4 ")
        await play.press("escape")
        play.stage.ask_permission(session="k35")
        await play.settle()
        await play.press("escape", "ctrl+t")
        await play.shows("├─! agent 35 ")
        await play.press("enter")
        assert play.app.open_session == "k35"


async def test_the_tree_opens_at_the_agent_in_view_and_scrolls_only_as_far_as_needed() -> None:
    async with playing(SMALLEST) as play:
        for number in range(40):
            play.stage.spawn(f"k{number}", f"agent {number}")
        play.app.go("k33")
        await play.press("ctrl+t")
        await play.shows("▌ ├─▶ agent 33")
        before = play.lines[1:6]
        await play.press("down", "up")
        assert play.lines[1:6] == before
        await play.press("home")
        await play.shows("0 ◌ main")


@pytest.mark.parametrize("place", ["message", "tree", "transcript", "child"])
async def test_the_last_line_of_the_smallest_screen_names_the_page_of_keys(place: str) -> None:
    async with playing(SMALLEST) as play:
        play.stage.spawn("kid", "fix tests")
        play.stage.usage(2000)
        match place:
            case "tree":
                await play.press("ctrl+t")
            case "transcript":
                play.app.main.transcript.focus()
            case "child":
                play.app.go("kid")
        await play.settle()
        assert "F1 " in play.lines[-1]
        assert "%" not in play.lines[-1]
        play.stage.ask_permission()
        await play.settle()
        await play.press("escape")
        await play.shows("F4 1 waiting")
        assert "F1 " in play.lines[-1]
        play.stage.update(UsageUpdate(190_000, 200_000), play.app.open_session or "")
        await play.shows("95% context")
