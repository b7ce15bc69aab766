"""Agents that ended are left out of the tree on demand, and never one that still matters."""

from __future__ import annotations

from canopy_tui.model.ended import over
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.tree.ended_line import EndedLine
from canopy_tui.view.tree.session_row import RowLook, row
from tui_app.playing import SMALLEST_WIDE, Play, playing
from tui_app.stage import ROOT
from tui_app.test_panes import tree_rows

MANY = 40


async def crowd(play: Play) -> None:
    """A turn with many children that ended, one of them above a living one, and some with news."""
    play.stage.act(SendPrompt(ROOT, "go"))
    for number in range(MANY):
        play.stage.spawn(f"kid{number}", f"reader {number}")
    play.stage.spawn("deep", "grandchild", parent="kid3")
    play.stage.say("news", "kid5")
    play.stage.ask_permission(session="kid7")
    for number in range(MANY):
        if number != 9:
            play.stage.end_child(f"kid{number}", "failed" if number == 8 else "completed")
    await play.until(lambda: not play.app.shows_main, "the request")
    play.clock.pass_by(1)
    await play.press("escape")


async def test_ended_agents_are_hidden_and_shown_by_a_key() -> None:
    kept: list[str] = []
    async with playing(SMALLEST_WIDE, keep_ended=kept.append) as play:
        await crowd(play)
        play.app.go("kid8")
        await play.press("ctrl+t", "e")
        here = [
            "main",
            "reader 3 ",
            "grandchild",
            "reader 5 ",
            "reader 7 ",
            "reader 8 ",
            "reader 9 ",
        ]
        rows = tree_rows(play)
        assert [name for name, line in zip(here, rows, strict=True) if name in f"{line} "] == here
        hidden = MANY - 5
        await play.shows(f"{hidden} ended hidden  e shows")
        assert "●1" in rows[3]
        # The numbers are those of what is there.
        await play.press("g", "1")
        assert play.app.open_session == "kid3"
        await play.shows(f"{hidden + 1} ended hidden")  # that was open
        await play.press("s")
        await play.shows(f"{hidden + 2} ended hidden")
        await play.press("f")
        await play.shows("needs you")
        await play.shows_no("ended hidden")
        await play.press("f", "f")
        await play.until(lambda: len(tree_rows(play)) > 10, "all that are done")
        await play.press("f")
        await play.shows("Agents · failed")
        assert any("reader 8" in line for line in tree_rows(play))
        await play.press("f")
        await play.shows(f"{hidden + 2} ended hidden")
        await play.pilot.click(EndedLine, offset=(3, 0))
        await play.shows_no("ended hidden")
        assert kept == ["hidden", "shown"]


async def test_the_choice_holds_at_the_next_start() -> None:
    async with playing(hides_ended=True) as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("a", "explore")
        play.stage.end_child("a")
        await play.shows("1 ended hidden")
        assert over(play.stage.state) == {"a"}
        assert over(play.stage.state, ("a",)) == frozenset()


def test_a_blank_parts_the_number_from_the_mark() -> None:
    from canopy_tui.model.glyphs import UNICODE, Badges

    marks = Badges(state="idle", asks=0, asks_below=0, new=0, after_turn=None, live=False)
    for lead in ("0", "▌", " "):
        assert row(RowLook("main", marks, lead=lead), 20, UNICODE).plain.startswith(f"{lead} ◌ ma")
