"""Small things are said where one looks for them, on one line, and no longer than they are true."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.drawing.labels import whole
from canopy_tui.view.drawing.markdown_split import fences
from canopy_tui.view.drawing.plain_words import plain_words
from canopy_tui.view.drawing.short_path import in_the_middle, short_path
from canopy_tui.view.screens.commands import all_commands
from canopy_tui.view.transcript.finding import hits_in, pattern_of
from canopy_tui.view.transcript.start_view import at_a_word
from tui_app.playing import NARROW, WIDE, playing
from tui_app.stage import ROOT
from tui_transcript.samples import message, world

if TYPE_CHECKING:
    from dataclasses import replace
from pathlib import Path

ANSWER = "# A **head**\n\nThe **needle** is in `the_needle`.\n"


async def test_an_export_is_told_on_one_line_that_leads_to_the_file(tmp_path: Path) -> None:
    def write_new(folder: Path, stem: str, ending: str, text: str) -> Path:
        path = folder / f"{stem}{ending}"
        path.write_text(text)
        return path

    place = tmp_path / f"deep{'er' * 30}"
    place.mkdir()
    async with playing(NARROW, write_new=write_new, directory=str(tmp_path)) as play:
        play.stage.ready(cwd=str(place))
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.say(ANSWER)
        await play.press("tab", "e")
        await play.until(
            lambda: "Exported to deep" in play.lines[-1], "the notice in the last line"
        )
        assert "….md" not in play.lines[-1]
        assert ".md" in play.lines[-1]
        assert play.lines[-2].strip(" ╰─╯") == ""
        await play.pilot.click("#footer", offset=(4, 0))
        await play.until(lambda: isinstance(play.screen, ConfirmScreen), "the question")
        assert play.app.exported.startswith(str(place))
        await play.press("escape")
        told = {command.title: command.help for command in all_commands(play.app)}
        assert told["Copy the path of the exported file"] == play.app.exported
        lasts = tmp_path / "lasts"
        lasts.mkdir()
        play.app.around = replace(play.app.around, exports_to=str(lasts))
        await play.press("e")
        await play.until(lambda: play.app.exported.startswith(str(lasts)), "an export that lasts")


async def test_raw_is_said_with_the_key_that_leaves_it_and_a_stop_only_until_it_stopped() -> None:
    async with playing() as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.say(ANSWER)
        await play.press("tab", "v")
        await play.shows("raw, as it came  [v: as usual]")
        await play.shows("# A **head**")
        await play.press("v")
        await play.shows_no("as it came")
        play.stage.end_turn()
        # An agent takes its time: the word stays till the turn is over, however it ends.
        act, play.stage.act = play.stage.act, lambda _intent: None  # type: ignore[method-assign]
        for reason in ("cancelled", "end_turn", "refusal"):
            act(SendPrompt(ROOT, "more"))
            await play.press("ctrl+c")
            await play.shows("Stopping.")
            play.stage.end_turn(reason)
            await play.shows_no("Stopping.")


async def test_side_by_side_is_named_where_it_does_something() -> None:
    change = {"file_path": "a.py", "old_string": "one\n", "new_string": "two\n"}
    async with playing(WIDE) as play:
        play.stage.ask_permission(rawInput=change, kind="edit")
        await play.shows("d side by side · ")
        play.clock.pass_by(1)
        await play.press("d")
        await play.shows("d one below the other · ")
        await play.press("r")
        await play.shows("raw request · r: as usual")
        await play.shows_no("d one below")
        await play.press("r")
        await play.pilot.resize_terminal(*NARROW)
        await play.shows("d one below the other · ")
        await play.pilot.resize_terminal(66, 24)
        await play.shows_no("d one below")
        play.stage.withdraw(1)
        await play.pilot.resize_terminal(*WIDE)
        play.stage.ask_permission(call="call-2", title="ls", rawInput={"command": "ls"})
        await play.shows("$ ls")
        await play.shows_no("side by side")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("**bold** and `code` x_y_z", "bold and code x_y_z"),
        ("## A `head`", "A head"),
        ("- [x] do **it**", "[x] do it"),
        ("> 2. quoted *x*", "quoted x"),
        ("| a | `b` | c \\| d |", "a  b  c | d"),
        ("[one](https://x.y) <b> \\*", "one (https://x.y) <b> *"),
        ("2 * 3 * 4 in snake_case_name", "2 * 3 * 4 in snake_case_name"),
        ("***", "***"),
        ("plain", "plain"),
    ],
)
def test_a_line_is_read_without_its_marks(line: str, words: str) -> None:
    assert plain_words(line) == words


def test_hits_are_shown_as_they_are_read() -> None:
    text = f"{ANSWER}\n```py\n**needle**\n```\n**needles**\n"
    entry, pattern, marks = message(text), pattern_of("needle"), pattern_of("**need")
    assert pattern is not None
    assert marks is not None
    read = [hit.line for hit in hits_in(entry, "main", pattern, world(entry))]
    assert read == [
        "The needle is in the_needle.",
        "The needle is in the_needle.",
        "**needle**",
        "needles",
    ]
    # What is not among the words is shown as it is written.
    assert (
        hits_in(entry, "main", marks, world(entry))[0].line == "The **needle** is in `the_needle`."
    )
    assert fences("a\n~~~\nb") == [(2, 7)]


def test_a_path_keeps_its_end_in_few_cells() -> None:
    assert short_path("/home/ada/till/a.md", "/home/ada/till", 20) == "a.md"
    assert short_path("/tmp/a.md", "/home/ada", 20) == "/tmp/a.md"
    for room in range(40):
        cut = in_the_middle("/very/long/日本語/path/to/the/file.md", room)
        assert cell_len(cut) <= room
    assert in_the_middle("/very/long/path/to/the/file.md", 16) == "/very…he/file.md"


def test_facts_and_keys_are_left_out_whole() -> None:
    parts = ("5 agents", "28s of work", "18 tool calls")
    assert whole(parts, 40) == "5 agents · 28s of work · 18 tool calls"
    assert whole(parts, 37) == "5 agents · 28s of work"
    assert whole(parts, 1) == "5 agents"
    keys = ("Tab next", "c copy", "Esc close")
    assert whole(keys, 20, "  ", stays=1) == "Tab next  Esc close"
    assert whole(keys, 1, "  ", stays=1) == "Esc close"


def test_a_hint_ends_at_a_word() -> None:
    text = "a form, and a reply that uses it"
    assert at_a_word(text, 40) == text
    assert at_a_word(text, 20) == "a form, and a …"
    assert at_a_word(text, 9) == ""
