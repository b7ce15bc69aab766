"""The end is followed only while it is in view; otherwise the text under the eye stays."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
from textual.events import MouseScrollUp

from canopy_tui.model.entries import ToolEntry
from canopy_tui.view.transcript.transcript import TranscriptView
from tui_transcript.samples import ANSWER, add, grow, message, text_content, tool, world
from tui_transcript.stage import Playing, playing

CHUNKS = [ANSWER[at : at + 11] for at in range(0, len(ANSWER), 11)]
SEEN, LEFT = TranscriptView.SeenEnd, TranscriptView.LeftEnd


def wheel(stage: Playing) -> MouseScrollUp:
    """One notch up over the middle of the view."""
    return MouseScrollUp(stage.view, 40, 12, 0, -1, 0, False, False, False, 40, 12)


def first_line(stage: Playing) -> str:
    return stage.lines[0]


async def test_the_end_is_followed_while_text_streams() -> None:
    answer = message("", settled=False)
    state = world(message(ANSWER), answer)
    async with playing(state) as stage:
        for number in range(40):
            await stage.tell(grow(state, answer, f"word{number}\n\n"))
            assert stage.lines[-1].endswith(f"word{number}")
        await stage.tell(add(state, tool("Read last.py")))
        assert stage.lines[-1] == " ✓ Read last.py"
        assert "new below" not in stage.text


async def test_a_scrolled_view_holds_still_whatever_streams_in() -> None:
    """2,000 chunks with fences and tables; a tool above and one below the view grow meanwhile."""
    above = tool("make", status="in_progress", has_terminal=True, output="start")
    answer = message("", settled=False)
    state = world(above, *(message(ANSWER) for _ in range(3)), answer)
    async with playing(state) as stage:
        await stage.tell(grow(state, answer, ANSWER))
        for _ in range(10):
            stage.view.scroll_relative(y=-3, animate=False)
        await stage.pilot.pause()
        held = stage.lines[:-1]
        chunks = cycle(CHUNKS)
        for number in range(50):
            for chunk in islice(chunks, 40):
                grow(state, answer, chunk)
            above.output += f"\nline {number}"
            above.revision += 1
            await stage.tell(answer.key, above.key)
            assert stage.lines[:-1] == held
        assert "▼ 1 new below (End)" in stage.lines[-1]
        await stage.tell(add(state, tool("one")), add(state, tool("two")))
        assert stage.lines[:-1] == held
        assert "▼ 3 new below (End)" in stage.lines[-1]
        await stage.press("end")
        assert stage.lines[-1] == " ✓ two"
        assert "new below" not in stage.text
        await stage.tell(add(state, tool("three")))
        assert stage.lines[-1] == " ✓ three"


@pytest.mark.parametrize("width", [60, 100])
async def test_the_text_under_the_eye_survives_another_width(width: int) -> None:
    words = "\n\n".join(
        " ".join(f"w{paragraph}x{word}" for word in range(120)) for paragraph in range(12)
    )
    state = world(
        *(message(f"Before {number}.\n\n{ANSWER}") for number in range(3)), message(words)
    )
    async with playing(state) as stage:
        stage.view.scroll_relative(y=-25, animate=False)
        await stage.pilot.pause()
        word = first_line(stage).split()[0]
        assert word.startswith("w")
        await stage.pilot.resize_terminal(width, 24)
        await stage.pilot.pause()
        assert word in first_line(stage)
        await stage.pilot.resize_terminal(80, 15)
        await stage.pilot.pause()
        assert word in first_line(stage)


async def test_resizing_at_the_end_stays_at_the_end() -> None:
    async with playing(world(message(ANSWER), message("The last line."))) as stage:
        for size in ((40, 10), (120, 40), (80, 24)):
            await stage.pilot.resize_terminal(*size)
            await stage.pilot.pause()
            assert stage.lines[-1] == "   The last line."


async def test_scrolling_back_to_the_end_follows_again() -> None:
    state = world(*(message(f"Number {number}.") for number in range(60)))
    async with playing(state) as stage:
        await stage.press("pageup", "pageup")
        top = first_line(stage)
        await stage.tell(add(state, message("new")))
        assert first_line(stage) == top
        await stage.press("pagedown", "pagedown", "pagedown")
        assert stage.lines[-1] == "   new"
        await stage.tell(add(state, message("newer")))
        assert stage.lines[-1] == "   newer"


async def test_every_way_to_scroll() -> None:
    state = world(message("\n\n".join(f"line {number}" for number in range(200))))
    async with playing(state) as stage:
        assert stage.lines[-1] == "   line 199"
        await stage.press("home")
        assert first_line(stage) == "   line 0"
        await stage.press("pagedown")
        assert stage.lines[1] == "   line 12"
        await stage.press("pageup")
        assert first_line(stage) == "   line 0"
        stage.view.scroll_to(y=100, animate=False)
        await stage.pilot.pause()
        assert first_line(stage) == "   line 50"
        assert stage.view.scroll_offset.y == 100
        stage.view.scroll_end(animate=False)
        await stage.pilot.pause()
        assert stage.lines[-1] == "   line 199"
        stage.view.post_message(wheel(stage))
        await stage.pilot.pause()
        assert stage.lines[-1] == "   line 198"


async def test_scrolling_up_through_entries_nobody_saw_is_exact() -> None:
    """Their heights are guesses until they come into view; the rows must not jump for that."""
    state = world(*(message(f"Start {number}\n\n{ANSWER}") for number in range(30)))
    async with playing(state, 70, 20) as stage:
        before = stage.lines
        for _ in range(80):
            stage.view.scroll_relative(y=-3, animate=False)
            now = stage.lines
            assert now[3:] == before[:-3]
            before = now


async def test_the_app_is_told_when_the_end_is_seen_and_left() -> None:
    state = world(*(message(f"Number {number}.") for number in range(60)))
    async with playing(state) as stage:
        assert len(stage.told(SEEN)) == 1
        await stage.tell(add(state, message("one")))
        await stage.pilot.pause()
        assert len(stage.told(SEEN)) == 2
        await stage.press("pageup")
        assert len(stage.told(LEFT)) == 1
        await stage.tell(add(state, message("two")))
        await stage.press("pageup")
        assert (len(stage.told(SEEN)), len(stage.told(LEFT))) == (2, 1)
        await stage.press("end")
        assert len(stage.told(SEEN)) == 3
        await stage.press("end", "pagedown")
        assert len(stage.told(SEEN)) == 3
        assert {note.session_id for note in stage.app.told} == {"main"}


async def test_a_click_on_the_note_below_goes_to_the_end() -> None:
    state = world(*(message(f"Number {number}.") for number in range(60)))
    async with playing(state) as stage:
        await stage.press("pageup")
        await stage.tell(add(state, message("new")))
        assert "1 new below" in stage.lines[-1]
        await stage.pilot.click(TranscriptView, offset=(70, 23))
        await stage.pilot.pause()
        assert stage.lines[-1] == "   new"


async def test_a_change_above_the_view_is_not_called_new_below() -> None:
    call = tool("make", status="in_progress")
    state = world(call, *(message(f"Number {number}.") for number in range(60)))
    async with playing(state) as stage:
        await stage.press("pageup")
        call.content, call.revision = (text_content("done"),), 2
        assert isinstance(call, ToolEntry)
        await stage.tell(call.key)
        assert "new below" not in stage.text
