"""A click that comes when its line is gone, and codes in what is pasted into one line."""

from __future__ import annotations

import pytest
from textual import events
from textual.command import CommandList
from textual.style import Style
from textual.widgets import Input, OptionList

from hostile import harmless
from tui_app.playing import playing


def click(rows: OptionList, place: int) -> events.Click:
    """A click on the option that was at ``place``."""
    x, y, *_ = rows.region
    event = events.Click(None, x, y, 0, 0, 1, shift=False, meta=False, ctrl=False)
    event._style = Style.from_meta({"option": place}).rich_style
    event._set_forwarded()  # by its screen, which found the line
    return event


@pytest.mark.parametrize(
    ("keys", "kind"),
    [(("ctrl+p",), CommandList), (("ctrl+r",), OptionList), (("ctrl+f", "w"), OptionList)],
)
async def test_a_click_on_a_line_that_is_gone_does_nothing(
    keys: tuple[str, ...], kind: type[OptionList]
) -> None:
    async with playing(history=["one"]) as play:
        play.stage.say("words")
        await play.press(*keys)
        screen = play.screen
        rows = screen.query_one(kind)
        rows.post_message(click(rows, 10_000))
        await play.settle()
        assert play.app.is_running
        assert play.screen is screen


@pytest.mark.parametrize("key", ["ctrl+f", "ctrl+r", "ctrl+p", "f2"])
async def test_codes_in_what_is_pasted_into_one_line_are_dropped(key: str) -> None:
    async with playing(history=["one"]) as play:
        await play.press(key)
        play.app.post_message(events.Paste("a\x1b[2J\x0eb\x07c\x9b"))
        await play.settle()
        assert harmless(play.text)
        values = [line.value for line in play.screen.query(Input)]
        assert any(value.startswith("a") for value in values)
        assert all(harmless(value) for value in values)
