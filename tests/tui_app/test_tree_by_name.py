"""The tree by name: typed, counted, in the same order, with keys, mouse and palette."""

from __future__ import annotations

from canopy_tui.model import tree
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.tree.name_line import NameLine
from tui_app.playing import NARROW, SMALLEST_WIDE, Play, playing
from tui_app.stage import ROOT
from tui_app.test_panes import tree_rows

MANY = 30


async def crowd(play: Play) -> None:
    """Many children, one with a child of its own, some that ended."""
    play.stage.act(SendPrompt(ROOT, "go"))
    for number in range(MANY):
        play.stage.spawn(f"kid{number}", f"reader {number}")
    play.stage.spawn("deep", "Lint the docs", parent="kid7")
    play.stage.end_child("kid9")
    await play.settle()


async def test_agents_are_found_by_a_part_of_their_name() -> None:
    async with playing(SMALLEST_WIDE, hides_ended=True) as play:
        await crowd(play)
        agents = play.app.main.agents
        await play.press("ctrl+t", "/")
        await play.write("reader 2")
        await play.shows("12 of 32")
        assert agents.matches == ["kid2", "kid12", *(f"kid{number}" for number in range(20, 30))]
        assert len(tree_rows(play)) == 13  # with the main agent above
        await play.press("down", "down", "up", "enter")
        assert play.app.open_session == "kid12"
        assert agents.has_focus
        # One that comes meanwhile is there too; the filters hold together.
        play.stage.spawn("new", "reader 2 again")
        await play.shows("13 of 33")
        play.stage.end_child("kid21")
        agents.filter = tree.Filter.DONE
        agents.show(play.app.open_session)
        await play.shows("1 of 33")
        agents.filter = tree.Filter.ALL
        agents.show(play.app.open_session)
        # The line is there as long as the filter; Esc takes both away, and then leaves.
        await play.press("escape")
        await play.shows_no(" of 33")
        assert len(agents.matches) == 0
        assert agents.has_focus
        await play.press("escape")
        assert play.app.main.composer.area.has_focus

        # Folded and ended ones are found; nothing is found as such; a click shows all.
        agents.focus()
        agents._folded.add("kid7")
        await play.press("/")
        await play.write("DOCS lint")
        await play.shows("1 of 33")
        assert agents.marked.id == "deep"
        await play.press("ctrl+a", "ctrl+k")
        await play.write("reader 9 ")
        assert "kid9" in agents.matches
        await play.write("x")
        await play.shows("0 of 33")
        await play.press("enter")
        assert play.app.open_session == "kid12"
        await play.pilot.click("#name-count", offset=(2, 0))
        await play.until(lambda: not agents.wanted, "all of them")
        assert not play.app.main.query_one(NameLine).display


async def test_the_palette_opens_the_tree_for_it_where_that_lies_over_the_transcript() -> None:
    async with playing(NARROW) as play:
        await crowd(play)
        await play.press("ctrl+p")
        await play.write("by name")
        await play.shows("Filter agents by name")
        await play.press("enter")
        await play.until(lambda: play.app.shows_main and play.app.main.query(NameLine), "the line")
        await play.write("reader 15")
        await play.shows("1 of 32")
        await play.press("enter")
        assert play.app.open_session == "kid15"
        await play.shows_no("of 32")  # the tree is gone from the transcript
