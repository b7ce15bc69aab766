"""The palette: whatever a key does is there too, and what is there does something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.keyboard import keys
from canopy_tui.view.screens.commands import all_commands
from tui_app.playing import playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from canopy_tui.view.keyboard.keys import Key

PLACES = (keys.EVERYWHERE, keys.COMPOSER, keys.TRANSCRIPT, keys.FOLLOWED, keys.TREE)
MOVES = (
    *("cursor", "cursor_up", "cursor_down", "move", "move_to", "page", "start", "end"),
    *("fold", "unfold", "app.scroll_transcript"),
)
"""Actions that go somewhere in what has the focus: nobody looks for these by name."""
OTHERWISE = {
    "palette": "it is the palette",
    "stop": "Stop the turn",
    "interrupt": "Stop the turn",
    "next-request": "Next question that waits",
    "previous-request": "Next question that waits",
    "transcript.export": "Export the transcript as Markdown",
    "transcript.next_found": "Next found",
    "transcript.previous_found": "Found before",
    "find-previous": "Next found",
    "previous-sibling": "Agent before",
    "mode-here": "Next permission mode",
    "tree-stop-all": "Stop all work in the background",
    "tree-open": "Agent: main",
    "tree-slot": "Agent: main",
    "tree-stop": "Stop only a child",
    "followed-place": "Follow the agent through files, or not",
}
"""Key → what stands for it in the palette."""


def is_move(key: Key) -> bool:
    return key.action.partition("(")[0] in MOVES


async def test_whatever_a_key_does_is_in_the_palette() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("child", "a child")
        play.stage.say("An answer.")
        titles = {command.title for command in all_commands(play.app)}
        wanted = [key for group in PLACES for key in group.keys if key.action and not is_move(key)]
        titles.add(OTHERWISE["palette"])
        missing = [
            key.id
            for key in wanted
            if key.label not in titles and OTHERWISE.get(key.id) not in titles
        ]
        assert not missing
        needless = [id for id in OTHERWISE if id not in {key.id for key in wanted}]
        assert not needless


async def test_what_only_the_transcript_hears_is_done_from_the_palette() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.say("# The **answer**")
        await play.settle()
        for words, shown in [
            ("show the entry as it came", "# The **answer**"),
            ("copy the text of the entry", "Copied"),
        ]:
            await play.press("ctrl+p")
            await play.write(words)
            await play.press("enter")
            await play.shows(shown)
