"""Keys that come faster than they are taken go where they would have gone one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from canopy_tui.model.intents import SendPrompt, SteerPrompt
from canopy_tui.view.screens.history_screen import HistoryScreen
from tui_app.playing import key_event, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from tui_app.playing import Play


async def at_once(play: Play, *keys: str) -> None:
    """Press keys before any of them is taken."""
    for key in keys:
        play.app.post_message(key_event(key))
    await play.settle()


async def test_keys_behind_a_key_that_acts_go_where_it_leads() -> None:
    history = ["find me", "newest"]
    async with playing(history=history, opens_requests=False) as play:
        stage = play.stage
        await at_once(play, *"ab", "left", *"xy", "backspace", "z", "home", *"<", "end", ">")
        assert play.draft == "<axzb>"
        await at_once(play, "ctrl+u", *"first", "enter", *"second", "ctrl+n", *"third")
        assert play.draft == "third"
        assert [one for one in stage.acted if isinstance(one, SendPrompt)] == [
            SendPrompt(ROOT, "first")
        ]
        assert [one.text for one in stage.acted if isinstance(one, SteerPrompt)] == ["second"]

        await at_once(play, "ctrl+u", "ctrl+r", *"find")
        await play.until(lambda: isinstance(play.screen, HistoryScreen), "the history")
        await play.until(lambda: play.screen.query_one(Input).value == "find", "what is looked for")
        await at_once(play, "escape", *"own", "ctrl+r", *"me", "enter", *"!")
        await play.until(lambda: play.draft == "find me!", "the message found, and what was typed")

        await at_once(play, "ctrl+f", *"word", "escape")
        await play.until(lambda: play.app.find_panel.query_text == "word", "the word in the search")
        assert play.draft == "find me!"
        play.app.main.composer.area.focus()
        await at_once(play, "ctrl+p", *"usage", "escape", *"?")
        await play.until(lambda: play.draft == "find me!?", "the message")
        await at_once(play, "f10", "down", "escape", "f1", "q", *"k")
        await play.until(lambda: play.draft == "find me!?k", "the message")
