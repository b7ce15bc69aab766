"""Search: over the text of all agents, folded or not, and from hit to hit by keys and mouse."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from textual.widgets import OptionList

from canopy_shared.content import TextContent, ToolContent
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.transcript.find_panel import FindPanel
from canopy_tui.view.transcript.finding import MOST_HITS, hits_in, pattern_of
from tui_app.playing import SMALLEST_WIDE, playing
from tui_app.stage import ROOT
from tui_transcript.samples import message, text_content, tool, world

if TYPE_CHECKING:
    from tui_app.playing import Play


def test_case_counts_only_with_a_capital_letter_and_a_space_goes_over_line_ends() -> None:
    lower, capital = pattern_of("parse  config"), pattern_of("Parse")
    assert lower is not None
    assert capital is not None
    assert lower.search("Parse\n  Config")
    assert not capital.search("parse")
    assert pattern_of("  ") is None
    assert pattern_of("a.b(").search("x a.b( y")  # type: ignore[union-attr]


def test_every_text_of_a_call_is_searched_in_the_order_of_the_screen() -> None:
    call = tool(
        "needle in the title",
        raw_input={"pattern": "needle", "all": True},
        content=(text_content("a needle\nand a needle"),),
        output="needle at the end",
    )
    pattern = pattern_of("needle")
    assert pattern is not None
    hits = hits_in(call, "main", pattern, world(call))
    assert [hit.line for hit in hits] == [
        "needle in the title",
        "pattern: needle",
        "a needle",
        "and a needle",
        "needle at the end",
    ]
    assert [hit.number for hit in hits] == [0, 1, 2, 3, 4]


def test_a_hit_shows_foreign_text_harmless_and_a_search_is_bounded() -> None:
    entry = message("x" * 500 + "needle \x1b[2J \u202e here " + "y" * 500)
    pattern = pattern_of("needle")
    assert pattern is not None
    (hit,) = hits_in(entry, "main", pattern, world(entry))
    assert hit.line.startswith("…xxx")
    assert "needle ␛[2J <U+202E> here" in hit.line
    assert len(hit.line) < 220
    many = message("needle " * (MOST_HITS + 5))
    assert len(hits_in(many, "main", pattern, world(many))) == MOST_HITS


def found(play: Play) -> FindPanel:
    return play.app.main.query_one(FindPanel)


async def test_from_hit_to_hit_over_all_agents() -> None:
    async with playing(SMALLEST_WIDE) as play:
        play.stage.act(SendPrompt(ROOT, "look for it"))
        for number in range(60):
            play.stage.say(f"Line {number} of nothing.\n\n", message="m1")
        play.stage.call("c1", "Read deep.txt", kind="read", status="in_progress")
        deep = "\n".join(f"row {row}" for row in range(400)) + "\nthe Needle itself\n"
        part = ToolContent(TextContent(deep))
        play.stage.call_update("c1", status="completed", content=(part,))
        play.stage.spawn("kid", "scout", task="find the needle in the child")
        for number in range(40):
            play.stage.say(f"more {number}\n\n", message="m2")
        await play.press("ctrl+f")
        await play.write("needle")
        await play.until(lambda: len(found(play).hits) == 1, "the hit of this agent")
        await play.press("enter")
        await play.shows("the Needle itself")
        assert play.app.open_session == "root-1"

        await play.press("tab")
        await play.until(lambda: len(found(play).hits) >= 2, "the hits of all agents")
        await play.shows("scout")
        sessions = [hit.session for hit in found(play).hits]
        assert sessions == sorted(sessions, key=["root-1", "kid"].index)
        child = sessions.index("kid")
        found(play).query_one(OptionList).action_last()
        found(play).aim(child)
        await play.until(lambda: play.app.open_session == "kid", "the transcript of the child")
        await play.shows("find the needle in the child")
        await play.press("shift+f3")
        await play.until(lambda: play.app.open_session == "root-1", "the hit before")
        await play.shows("the Needle itself")

        await play.press("escape")
        assert not found(play).display
        assert play.app.main.transcript.has_focus
        await play.press("n")
        await play.until(lambda: play.app.open_session == "kid", "the next hit by n")
        await play.press("escape")
        assert play.app.main.transcript.wanted is None
        assert play.draft == ""


async def test_the_first_hit_is_the_one_nearest_to_what_is_in_view() -> None:
    async with playing(SMALLEST_WIDE) as play:
        lines = [f"{'early' if number < 9 else 'later'} needle {number}" for number in range(60)]
        play.stage.say("\n".join(lines))
        await play.press("ctrl+f")
        await play.write("needle")
        await play.until(lambda: len(found(play).hits) == 60, "the hits")
        await play.press("enter")
        first = found(play).at
        assert first is not None
        assert first > 30  # not of the same entry far above
        await play.press("shift+enter")
        assert found(play).at == first - 1
        await play.press("ctrl+a", "ctrl+k")
        await play.write("early")
        await play.until(lambda: len(found(play).hits) == 9, "the other hits")
        play.app.main.transcript.action_end()
        await play.settle()
        await play.press("enter")
        assert found(play).at == 8
        await play.shows("early needle 8")


async def test_nothing_found_says_so_and_writes_nothing_into_the_message() -> None:
    async with playing(SMALLEST_WIDE) as play:
        play.stage.say("Hello.")
        await play.write("half")
        await play.press("ctrl+f")
        await play.write("zzz")
        await play.shows("nothing found")
        await play.press("enter", "escape")
        assert play.draft == "half"
        assert len(play.screen.query(FindPanel)) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 160])
async def test_every_hit_shows_whose_it_is_and_what_was_found(width: int) -> None:
    async with playing((width, 30)) as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        play.stage.spawn("child", "Reader of files")
        for session in (ROOT, "child"):
            for before, after in itertools.product((0, 9, 60, 400), repeat=2):
                words = f"{'ab ' * before}needle{' yz' * after}"
                play.stage.say(words, session=session, message=f"{before}-{after}")
        await play.press("ctrl+f", "ctrl+f")
        await play.write("needle")
        await play.until(lambda: len(play.app.find_panel.hits) == 32, "the hits")
        listed = play.app.screen.query_one("#find-hits", OptionList)
        await play.settle()
        for at in range(32):
            listed.highlighted = at
            await play.settle()
            strip = listed.render_line(at - listed.scroll_offset.y).text
            assert strip.strip().startswith("main" if at < 16 else "Reader"), strip
            assert "needle" in strip, strip
