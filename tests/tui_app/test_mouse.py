"""What a person does with the mouse: text is selected, beyond the edges too, and copied."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from canopy_tui.kept.background_note import note_width, noted_width
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.transcript.selection import line_of
from canopy_tui.view.tree.tree_column import LEAST
from tui_app.playing import SMALLEST_WIDE, Play, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_tui.view.transcript.transcript import TranscriptView


def row_with(play: Play, text: str) -> int:
    """The row of the transcript on which ``text`` is."""
    return next(at for at, line in enumerate(play.lines) if text in line) - top(play)


def top(play: Play) -> int:
    """The first row of the transcript on the screen."""
    return play.app.main.transcript.region.y


def selected(play: Play) -> str:
    """What Ctrl+C would copy."""
    return play.screen.get_selected_text() or ""


def patient(play: Play) -> None:
    """Clicks belong together however slow the machine is."""
    play.app.CLICK_CHAIN_TIME_THRESHOLD = 60.0  # type: ignore[misc]


async def drag(play: Play, start: tuple[int, int], *way: tuple[int, int]) -> TranscriptView:
    """Press, and move on; the button is not let go."""
    view = play.app.main.transcript
    await play.pilot.mouse_down(view, offset=start)
    for place in way:
        await play.pilot.hover(view, offset=place)
    return view


async def test_a_selection_stays_in_its_transcript_and_scrolls_beyond_the_edges() -> None:
    copied: list[str] = []
    async with playing(SMALLEST_WIDE) as play:
        play.app.copy = copied.append  # type: ignore[method-assign]
        play.stage.act(SendPrompt(ROOT, "say it"))
        play.stage.say("\n\n".join(f"line {number} 日本 /a/b.py:3." for number in range(16)))
        play.stage.spawn("kid", "scout", task="look")
        await play.shows("line 15")
        row = row_with(play, "line 15")
        # Letters keep their colour on the ground of what is selected.
        view = await drag(play, (3, row), (13, row))
        await play.settle()
        assert selected(play) == "line 15 日本"
        cells = [part for part in view.render_line(row) if "line 15" in part.text]
        assert all(part.style and part.style.color != part.style.bgcolor for part in cells)
        await play.pilot.mouse_up(view, offset=(13, row))
        await play.press("ctrl+c")
        assert copied == ["line 15 日本"]
        await play.press("escape")
        assert not play.screen.selections
        assert play.app.shows_main

        # Up beyond the edge, over what lies there, until the start comes into view.
        view = await drag(play, (13, row), (13, 3), (4, -1))
        await play.until(lambda: view.scroll_y == 0, "the first line")
        play.stage.say("\n\nwhat came meanwhile")
        await play.until(lambda: selected(play).startswith("say it\n\nline 0 "), "all up to there")
        assert list(play.screen.selections) == [view]
        assert selected(play).endswith("line 15 日本")
        # And down again: the pointer rests, and the selection goes on.
        await play.pilot.hover(view, offset=(20, view.size.height + 1))
        await play.until(lambda: "meanwhile" in play.text, "the last line")
        await play.until(lambda: "came meanwhile" in selected(play), "it in the selection")
        assert selected(play).startswith("本 /a/b.py:3.\n\nwhat came")
        await play.pilot.mouse_up(view, offset=(20, 3))
        # What is selected is of this transcript.
        await play.press("alt+down")
        await play.until(lambda: play.app.open_session == "kid", "the child")
        assert not play.screen.selections
        await play.press("ctrl+c")
        assert len(copied) == 1


@pytest.mark.parametrize("copies", [True, False])
async def test_a_selection_is_copied_at_its_end_where_that_is_wanted(
    copies: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr(CanopyApp, "copy", lambda _app, text: copied.append(text))
    async with playing(SMALLEST_WIDE, copies_selection=copies) as play:
        play.stage.say("first words to take")
        await play.shows("first words")
        patient(play)
        row = row_with(play, "first words")
        view = await drag(play, (3, row), (7, row))
        assert copied == []
        await play.pilot.mouse_up(view, offset=(7, row))
        await play.settle()
        assert copied == (["first"] if copies else [])
        await play.pilot.click(view, offset=(10, row), times=2)
        await play.settle()
        assert copied == (["first", "words"] if copies else [])
        assert selected(play) == "words"


async def test_two_clicks_take_a_word_and_three_its_line() -> None:
    async with playing(SMALLEST_WIDE) as play:
        words = "see src/till/prices.py:40, " + "and then more of it " * 12
        play.stage.act(SendPrompt(ROOT, "say it"))
        play.stage.say(f"{words.strip()}.\n\nnot this")
        await play.shows("not this")
        patient(play)
        view, row = play.app.main.transcript, row_with(play, "see src")
        await play.pilot.click(view, offset=(12, row), times=2)
        await play.settle()
        assert selected(play) == "src/till/prices.py:40"
        await play.pilot.click(view, offset=(30, row + 1))
        await play.pilot.click(view, offset=(12, row + 1), times=3)
        await play.settle()
        assert selected(play) == f"{words.strip()}."
        (place,) = [place for place, found in view.viewport.shown if "see src" in found.text]
        assert play.screen.selections[view].start.y == line_of(place)
        # Below the last line and between entries there is no word, and nothing else is taken.
        await play.pilot.click(view, offset=(12, view.size.height - 1))
        await play.pilot.click(view, offset=(60, view.size.height - 1), times=2)
        await play.settle()
        assert not selected(play)


async def test_the_border_of_the_tree_is_dragged_or_moved_by_keys_and_kept(tmp_path: Path) -> None:
    keep = partial(note_width, tmp_path / "cache")
    async with playing(SMALLEST_WIDE, keep_tree_width=keep) as play:
        column, usual = play.app.main.tree_column, play.app.main.tree_column.region.width
        await play.pilot.mouse_down(offset=(usual - 1, 8))
        await play.pilot.hover(offset=(usual + 4, 9))
        await play.settle()
        assert column.region.width == usual + 5
        await play.pilot.hover(offset=(3, 9))  # no narrower than its rows, nor over the transcript
        await play.settle()
        assert column.region.width == LEAST
        await play.pilot.mouse_up(offset=(99, 9))
        await play.settle()
        assert 40 < column.region.width < 60
        assert noted_width(tmp_path / "cache") == column.region.width
        assert not play.screen.selections
        await play.pilot.hover(offset=(30, 9))  # it was let go
        widest = column.region.width
        await play.press("ctrl+t", "-", "-", "+")
        await play.until(lambda: column.region.width == widest - 2, "a narrower tree")
        # What is over the transcript has its own width; afterwards the chosen one is back.
        await play.pilot.resize_terminal(80, 24)
        await play.settle()
        await play.press("-")
        await play.shows("its width is fixed")
        await play.pilot.resize_terminal(100, 28)
        await play.until(lambda: column.region.width == widest - 2, "the chosen width")
    async with playing(SMALLEST_WIDE, tree_width=noted_width(tmp_path / "cache")) as play:
        patient(play)
        column = play.app.main.tree_column
        assert column.region.width == widest - 2
        await play.pilot.click(offset=(widest - 3, 8), times=2)
        await play.until(lambda: column.region.width == usual, "the usual width")
    (tmp_path / "cache" / "tree-width").write_text("-3 wide", encoding="utf-8")
    assert noted_width(tmp_path / "cache") == 0
