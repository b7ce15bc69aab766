"""Keys always go somewhere, whatever the terminal did meanwhile."""

from __future__ import annotations

import pytest
from textual import events

from canopy_tui.model.intents import SendPrompt
from tui_app.playing import NARROW, WIDE, playing

TOO_SMALL = (39, 9)


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_terminal_that_was_too_small_leaves_the_keys_where_they_went(
    size: tuple[int, int],
) -> None:
    async with playing(size) as play:
        await play.write("go on")
        await play.pilot.resize_terminal(*TOO_SMALL)
        await play.settle()
        await play.pilot.resize_terminal(*size)
        await play.settle()
        assert play.app.main.composer.area.has_focus
        await play.press("enter")
        assert [one.text for one in play.stage.acted if isinstance(one, SendPrompt)] == ["go on"]


async def test_a_tree_that_has_the_keys_stays_in_view_on_a_smaller_terminal() -> None:
    async with playing(WIDE) as play:
        play.stage.spawn("a", "explore")
        await play.press("ctrl+t", "down")
        await play.pilot.resize_terminal(*NARROW)
        await play.settle()
        assert play.app.main.agents.has_focus
        await play.shows("explore")
        await play.press("enter")
        assert play.app.open_session == "a"


async def test_after_a_dialog_keys_go_to_the_message_and_not_to_a_hidden_tree() -> None:
    async with playing(NARROW) as play:
        await play.press("f10")
        for size in (TOO_SMALL, NARROW):
            await play.pilot.resize_terminal(*size)
            await play.settle()
        await play.press("escape")
        assert play.app.main.composer.area.has_focus


async def test_a_click_where_nothing_is_drawn_yet_takes_the_keys_from_nobody() -> None:
    async with playing(NARROW) as play:
        beyond = (NARROW[0] + 5, NARROW[1] + 5)
        for kind in (events.MouseDown, events.MouseUp):
            play.app.post_message(kind(None, *beyond, 0, 0, 1, shift=False, meta=False, ctrl=False))
        await play.settle()
        assert play.app.main.composer.area.has_focus


async def test_a_search_that_is_closed_where_there_is_no_transcript_leads_to_the_message() -> None:
    async with playing() as play:
        assert not play.app.main.transcript.display
        await play.press("ctrl+f", "ctrl+f", "ctrl+c")
        assert play.app.main.composer.area.has_focus
