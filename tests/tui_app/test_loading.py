"""The line over a session that is being loaded, and the keys and the click that stop it."""

from __future__ import annotations

import pytest

from canopy_tui.model import events as e
from canopy_tui.model.intents import CancelTurn
from canopy_tui.view.bars.load_banner import LoadBanner
from tui_app.playing import NARROW, WIDE, playing


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_load_shows_how_far_it_is_and_can_be_stopped(size: tuple[int, int]) -> None:
    async with playing(size, ready=False) as play:
        play.stage.apply(
            e.LinkChanged(status="ready", at=1.0),
            e.ReplayStarted(session="old", at=1.0, title="Old"),
        )
        await play.shows("0 updates")
        assert "Write already: it is sent when the session is loaded" in play.text
        play.stage.say("What was.", session="old")
        await play.shows("1 update · 1 entry")
        await play.shows("What was.")
        await play.press("escape")
        assert "Esc again stops loading." in play.text
        assert play.stage.acted[-1:] != [CancelTurn("old")]
        await play.press("escape")
        assert play.stage.acted[-1] == CancelTurn("old")
        play.stage.acted.clear()
        at = next(line for line in play.lines if "[stop]" in line).index("[stop]")
        banner = play.app.main.query_one(LoadBanner)
        await play.pilot.click(LoadBanner, offset=(at - banner.region.x + 1, 0))
        await play.until(lambda: CancelTurn("old") in play.stage.acted, "the click")
        play.stage.apply(e.SessionOpened(session="old", at=2.0))
        await play.settle()
        assert not banner.display
