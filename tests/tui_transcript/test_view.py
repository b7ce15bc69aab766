"""What a person does with a transcript: expand, open, copy, select, and look at other sessions."""

from __future__ import annotations

import time

import pytest
from rich.cells import cell_len
from rich.segment import Segment

from canopy_shared.content import Diff
from canopy_tui.model.entries import ChildEntry, NoticeEntry, Role, RuleEntry
from canopy_tui.model.source import copied_whole
from canopy_tui.model.state import Phase, SessionView
from canopy_tui.view.drawing.strips import ASCII
from canopy_tui.view.drawing.theme import DARK, LIGHT
from canopy_tui.view.transcript import canvas as transcript_canvas
from canopy_tui.view.transcript.transcript import TranscriptView
from tui_transcript.samples import (
    ANSWER,
    AT,
    NEW,
    OLD,
    add,
    add_child,
    grow,
    message,
    text_content,
    tool,
    tour,
    world,
)
from tui_transcript.stage import playing

OPEN, COPY = TranscriptView.OpenChild, TranscriptView.CopyText


# --- cursor and keys -----------------------------------------------------------------------------


async def test_the_cursor_walks_entries_and_scrolls_through_tall_ones() -> None:
    tall = message("\n\n".join(f"line {number}" for number in range(40)))
    state = world(message("first"), tool("one"), tall, tool("two"), message("last"))
    async with playing(state, height=20) as stage:
        await stage.press("home")
        assert "▌" not in stage.text
        await stage.press("down")
        assert stage.lines[0] == "▌  first"
        await stage.press("j")
        assert "▌✓ one" in stage.lines
        await stage.press("down")
        assert any(line.startswith("▌  line 0") for line in stage.lines)
        seen: list[str] = []
        while True:
            marked = [line for line in stage.lines if line.startswith("▌ ") or "✓" in line]
            seen += [line for line in marked if "▌" in line and line not in seen]
            assert len(seen) < 50
            if seen[-1] == "▌  last":
                break
            await stage.press("down")
        assert [line for line in seen if "line" in line] == [f"▌  line {n}" for n in range(40)]
        assert seen[-2:] == ["▌✓ two", "▌  last"]
        await stage.press("k")
        assert "▌✓ two" in stage.lines


async def test_the_cursor_is_seen_only_with_focus() -> None:
    async with playing(world(message("one"), message("two"))) as stage:
        await stage.press("up")
        assert "▌" in stage.text
        stage.app.set_focus(None)
        await stage.pilot.pause()
        assert "▌" not in stage.text


async def test_space_expands_and_folds_and_the_header_stays() -> None:
    output = "\n".join(f"line {number}" for number in range(60))
    call = tool("make", kind="execute", has_terminal=True, output=output)
    state = world(*(message(f"Number {number}.") for number in range(20)), call)
    async with playing(state) as stage:
        assert stage.lines[-1] == " ✓ $ make  60 lines"
        await stage.press("up", "space")
        assert stage.lines[1:3] == ["▌✓ $ make  60 lines", "▌  ▎line 0"]
        await stage.press("pagedown")
        assert "line 40" in stage.text
        await stage.press("end")
        assert stage.lines[-1] == "   ▎line 59"
        await stage.press("up", "space")
        assert stage.lines[-1] == "▌✓ $ make  60 lines"


async def test_what_is_expanded_at_the_end_comes_into_view() -> None:
    call = tool("grep", kind="search", content=(text_content("one\n\ntwo\n\nthree"),))
    state = world(*(message(f"Number {number}.") for number in range(20)), call)
    async with playing(state) as stage:
        await stage.press("space")
        assert stage.lines[-1] == "▌  three"
        await stage.tell(add(state, message("follows")))
        assert stage.lines[-1] == "   follows"


async def test_keys_mean_what_is_in_view() -> None:
    state = world(*(message(f"Number {number}.") for number in range(100)))
    async with playing(state) as stage:
        await stage.press("home", "down", "end", "pageup", "y")
        assert stage.told(COPY)[0].text in stage.text


async def test_v_shows_an_entry_as_it_came_and_back() -> None:
    async with playing(world(message("**bold** [link](https://e.org)"))) as stage:
        assert stage.lines[0] == "   bold link (https://e.org)"
        await stage.press("v")
        assert stage.lines[:2] == [
            "▌  raw, as it came  [v: as usual]",
            "▌  **bold** [link](https://e.org)",
        ]
        await stage.press("v")
        assert stage.lines[0] == "▌  bold link (https://e.org)"


async def test_y_copies_the_exact_source() -> None:
    source = f"{ANSWER}\x1b[31m\ud800\r\n\ttail  "
    state = world(message("first"), message(source), tool("t", has_terminal=True, output="out\x1b"))
    async with playing(state) as stage:
        await stage.press("y", "up", "y")
        assert [told.text for told in stage.told(COPY)] == ["out\x1b", source]


async def test_the_end_of_a_turn_copies_its_answer_and_never_a_word_of_the_protocol() -> None:
    end = RuleEntry(at=AT, kind="turn_end", text="end_turn")
    state = world(
        *(message("one", Role.USER), message("an answer"), tool("t"), end),
        *(message("two", Role.USER), message("hm", Role.THOUGHT)),
        RuleEntry(at=AT, kind="turn_end", text="cancelled"),
    )
    async with playing(state) as stage:
        await stage.press("y", "up", "up", "up", "y")  # a turn without an answer, then the first
        assert [told.text for told in stage.told(COPY)] == ["", "an answer"]
    whole = copied_whole(state.sessions[state.roots[0]].entries, state)
    assert whole.startswith("one\n\nan answer\n\n")
    assert whole.endswith("\n\ntwo\n\nhm")
    assert "end_turn" not in whole


async def test_enter_opens_children_and_actions_and_expands_the_rest() -> None:
    notice = NoticeEntry(at=AT, severity="error", title="Gone", action="restart_agent")
    flat = tool("Task", child="kid")
    thought = message("one\n\n" * 20, Role.THOUGHT)
    state = world(thought, ChildEntry(at=AT, child="kid"), flat, notice)
    add_child(state, "kid")
    async with playing(state) as stage:
        await stage.press("enter")
        assert stage.told(TranscriptView.NoticeAction)[0].action == "restart_agent"
        await stage.press("up", "enter", "up", "enter")
        assert [told.session_id for told in stage.told(OPEN)] == ["kid", "kid"]
        assert "more lines" in stage.text
        await stage.press("up", "enter")
        assert "more lines" not in stage.text


async def test_keys_do_nothing_in_an_empty_transcript() -> None:
    async with playing(world()) as stage:
        await stage.press(
            *"jkyv", "space", "enter", "up", "down", "home", "end", "pageup", "pagedown"
        )
        await stage.pilot.click(TranscriptView, offset=(5, 5))
        assert stage.text.strip() == ""
        await stage.tell(add(stage.view.state or world(), message("hello")))
        assert stage.lines[0] == "   hello"


# --- mouse ---------------------------------------------------------------------------------------


async def test_clicks_open_cards_toggle_tools_and_move_the_cursor() -> None:
    call = tool("grep", kind="search", content=(text_content("a\nb"),))
    state = world(message("text"), call, ChildEntry(at=AT, child="kid"))
    add_child(state, "kid", phase=Phase.RUNNING)
    async with playing(state) as stage:
        await stage.pilot.click(TranscriptView, offset=(6, 2))
        await stage.pilot.pause()
        assert stage.lines[2:5] == ["▌✓ grep  2 matches", "▌  a", "▌  b"]
        await stage.pilot.click(TranscriptView, offset=(6, 5))
        await stage.pilot.pause()
        assert stage.told(OPEN)[0].session_id == "kid"
        await stage.pilot.click(TranscriptView, offset=(6, 0))
        await stage.pilot.pause()
        assert stage.lines[0] == "▌  text"


async def test_a_double_click_toggles_once() -> None:
    call = tool("grep", content=(text_content("found"),))
    async with playing(world(call)) as stage:
        await stage.pilot.click(TranscriptView, offset=(6, 0), times=2)
        await stage.pilot.pause()
        assert stage.lines[1] == "▌  found"


async def test_a_link_only_tells_and_shows_its_target() -> None:
    async with playing(
        world(message("[here](https://e.org/a?b=1) and [@click=app.quit]x"))
    ) as stage:
        assert stage.lines[0] == "   here (https://e.org/a?b=1) and [@click=app.quit]x"
        await stage.pilot.click(TranscriptView, offset=(4, 0))
        await stage.pilot.click(TranscriptView, offset=(52, 0))
        await stage.pilot.pause()
        (told,) = stage.told(TranscriptView.Leads)
        assert [lead.target for lead in told.leads] == ["https://e.org/a?b=1"]
        assert stage.app.is_running


async def test_selected_text_is_joined_and_without_decoration() -> None:
    words = " ".join(f"word{number}" for number in range(30))
    state = world(message(words), tool("Edit", content=(Diff("/p/a", NEW, OLD),)), message("after"))
    async with playing(state) as stage:
        await stage.pilot.mouse_down(TranscriptView, offset=(3, 0))
        await stage.pilot.hover(TranscriptView, offset=(20, 2))
        await stage.pilot.mouse_up(TranscriptView, offset=(20, 2))
        await stage.pilot.pause()
        selected = stage.app.screen.get_selected_text()
        assert selected is not None
        assert words.startswith(selected)
        assert len(selected) > 100
        assert "\n" not in selected
        assert not stage.told(OPEN)
        await stage.tell(add(state, message("more")))
        assert stage.app.screen.get_selected_text() == selected


async def test_a_selection_over_entries_keeps_their_lines() -> None:
    state = world(message("one"), message("- two\n- three"), message("four"))
    async with playing(state) as stage:
        stage.view.text_select_all()
        await stage.pilot.pause()
        assert stage.app.screen.get_selected_text() == "one\n\ntwo\nthree\n\nfour"


# --- other sessions, themes, sizes ---------------------------------------------------------------


async def test_another_session_and_back_keeps_place_and_looks() -> None:
    call = tool("make", has_terminal=True, output="a\nb\nc")
    state = world(call, *(message(f"Number {number}.") for number in range(60)))
    add_child(state, "kid").entries.append(message("I am the child."))
    async with playing(state) as stage:
        await stage.press("home", "down", "space", "pagedown")
        held = stage.lines
        stage.view.show("kid", state)
        await stage.pilot.pause()
        assert stage.lines[0] == "   I am the child."
        changed = state.sessions["main"].entries[12]
        changed.after_turn, changed.revision = "background", 5
        stage.view.show("main", state)
        await stage.pilot.pause()
        assert [line.replace("↻", " ") for line in stage.lines] == [
            line.replace("▌", " ") for line in held
        ]
        await stage.press("home")
        assert stage.lines[1:4] == ["   ▎a", "   ▎b", "   ▎c"]
        state.sessions["main"] = SessionView(id="main", entries=[message("Anew.")])
        stage.view.show("main", state)
        await stage.pilot.pause()
        assert stage.lines[0] == "   Anew."


async def test_news_while_away_are_counted_on_return() -> None:
    state = world(*(message(f"Number {number}.") for number in range(60)))
    add_child(state, "kid").entries.append(message("I am the child."))
    async with playing(state) as stage:
        await stage.press("pageup")
        held = stage.lines[:-1]
        stage.view.show("kid", state)
        add(state, message("new"))
        add(state, message("newer"))
        stage.view.show("main", state)
        assert stage.lines[:-1] == held
        assert "2 new below" in stage.lines[-1]


async def test_a_hidden_view_catches_up_and_has_seen_nothing() -> None:
    state = world(message("one"))
    async with playing(state) as stage:
        seen = len(stage.told(TranscriptView.SeenEnd))
        stage.view.display = False
        await stage.pilot.pause()
        stage.view.touched([add(state, message("two"))])
        await stage.pilot.pause()
        assert len(stage.told(TranscriptView.SeenEnd)) == seen
        stage.view.display = True
        await stage.pilot.pause()
        assert stage.lines[2] == "   two"
        assert len(stage.told(TranscriptView.SeenEnd)) == seen + 1


async def test_a_session_that_is_not_there_is_refused() -> None:
    async with playing(world()) as stage:
        with pytest.raises(KeyError):
            stage.view.show("nobody", world())


async def test_an_entry_can_be_revealed() -> None:
    state = world(*(message(f"Number {number}.") for number in range(100)))
    async with playing(state) as stage:
        stage.view.reveal(state.sessions["main"].entries[10].key)
        assert "▌  Number 10." in stage.lines
        stage.view.reveal(state.sessions["main"].entries[50].key)
        assert stage.lines[-1] == "▌  Number 50."
        stage.view.reveal(12345)
        assert stage.lines[-1] == "▌  Number 50."


async def test_cards_show_their_child_live() -> None:
    state = world(ChildEntry(at=AT, child="kid"))
    kid = add_child(state, "kid", phase=Phase.RUNNING, activity="read")
    async with playing(state) as stage:
        assert stage.lines[0] == " ▶ kid · read  [enter: open]"
        kid.activity = "grep"
        kid.entries.append(tool("a"))
        await stage.tell()
        assert stage.lines[0] == " ▶ kid · grep · 1 tool  [enter: open]"
        kid.phase = Phase.DONE
        await stage.tell()
        assert stage.lines[0] == " ✓ kid · done · 1 tool  [enter: open]"


@pytest.mark.parametrize("theme", [DARK, LIGHT, "nord", "ansi-dark", "ansi-light"])
async def test_themes_change_colours_and_nothing_else(theme: str) -> None:
    async with playing(tour(), 100, 60) as stage:
        before = stage.lines
        segments = [list(stage.view.render_line(y)) for y in range(60)]
        stage.app.theme = theme
        await stage.pilot.pause()
        assert stage.lines == before
        after = [list(stage.view.render_line(y)) for y in range(60)]
        assert (after != segments) == (theme != DARK)


@pytest.mark.parametrize("theme", [DARK, LIGHT, "nord", "textual-light"])
async def test_text_can_be_read_on_its_background(theme: str) -> None:
    async with playing(tour(), 100, 120, theme=theme) as stage:
        faint = {
            (segment.text.strip(), round(ratio, 1))
            for y in range(120)
            for segment in stage.view.render_line(y)
            if segment.text.strip() and (ratio := contrast_of(segment)) < 3.0
        }
        assert not faint


def contrast_of(segment: Segment) -> float:
    """Of text and background; colours that the terminal chooses count as readable."""
    style = segment.style
    assert style is not None
    colours = style.color and style.color.triplet, style.bgcolor and style.bgcolor.triplet
    return contrast(*colours) if colours[0] and colours[1] else 21.0


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    """As WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: tuple[int, int, int]) -> float:
    parts = [part / 255 for part in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def test_without_colour_everything_still_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with playing(tour(), 100, 150) as stage:
        assert stage.app.no_color
        for word in (
            "failed",
            "running",
            "asks",
            "in background",
            "error:",
            "warning:",
            "- def",
            "+ def",
        ):
            assert word in stage.text


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (10, 5), (40, 10), (200, 60)])
async def test_any_size_of_screen(size: tuple[int, int]) -> None:
    async with playing(tour(), *size) as stage:
        await stage.press("home", "pagedown", "down", "end")
        for y in range(stage.view.size.height):
            strip = stage.view.render_line(y)
            assert strip.cell_length == cell_len(strip.text)


async def test_wide_characters_do_not_shift_the_edge() -> None:
    nasty = "日本語 👩\u200d💻 e\u0301 ⚠\ufe0f 🇯🇵 한국어 ＡＢＣ مرحبا " * 6
    state = world(
        message(nasty),
        message(nasty, Role.USER),
        message(f"```\n{nasty}\n```"),
        message(f"| {nasty} | b |\n|-|-|\n| x | {nasty} |"),
        tool(nasty, content=(Diff(nasty, nasty, "x"),)),
        RuleEntry(at=AT, kind="resumed", text=nasty),
    )
    async with playing(state, 61, 90) as stage:
        for y in range(stage.view.size.height):
            strip = stage.view.render_line(y)
            assert strip.cell_length == 60
            assert cell_len(strip.text) == 60


async def test_ascii_glyphs() -> None:
    state = world(message("- a\n- b"), tool("x", status="failed"), ChildEntry(at=AT, child="kid"))
    add_child(state, "kid", phase=Phase.RUNNING, activity="read", entries=[])
    async with playing(state, marks=ASCII) as stage:
        await stage.press("up")
        assert stage.text.isascii()
        assert stage.lines[3:5] == [" x x  failed", "|> kid - read  [enter: open]"]


# --- size of entries -----------------------------------------------------------------------------


async def test_a_huge_answer_is_reachable_from_end_to_end() -> None:
    text = "\n\n".join(f"paragraph {number} " + "word " * 34 for number in range(350))
    assert len(text) > 60_000
    answer = message("", settled=False)
    state = world(answer)
    async with playing(state) as stage:
        for at in range(0, len(text), 4_000):
            await stage.tell(grow(state, answer, text[at : at + 4_000]))
        assert "paragraph 349" in stage.text
        await stage.press("home")
        assert stage.lines[0].startswith("   paragraph 0 word")
        found = set()
        for _ in range(120):
            found |= {word for line in stage.lines for word in line.split() if word.isdigit()}
            if stage.view.viewport is not None and stage.view.viewport.at_end:
                break
            stage.view.action_page(1)
        assert found == {str(number) for number in range(350)}


async def test_many_entries_open_at_once() -> None:
    state = world(*(message(f"Number {number}.\n\n{ANSWER}") for number in range(3_000)))
    async with playing(state) as stage:
        viewport = stage.view.viewport
        assert viewport is not None
        assert viewport.layout.drawn_rows < 500
        assert stage.view.virtual_size.height > 60_000
        stage.view.scroll_to(y=stage.view.max_scroll_y // 2, animate=False)
        await stage.press("pageup", "pageup")
        assert viewport.layout.drawn_rows < 1_000
        await stage.press("home")
        assert stage.lines[0] == "   Number 0."


async def test_changes_at_the_pace_of_frames_are_painted_with_their_frame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put_off: list[object] = []
    now = [time.perf_counter() + 1000]
    async with playing(world(message("text"))) as stage:
        await stage.pilot.pause()
        monkeypatch.setattr(transcript_canvas, "once", lambda *call: put_off.append(call))
        monkeypatch.setattr(transcript_canvas, "perf_counter", lambda: now[0])
        stage.view.pause = transcript_canvas.PAUSE
        before = stage.view.repaints
        for number in range(3):
            stage.view.touched()
            await stage.pilot.pause()
            assert (stage.view.repaints, put_off) == (before + 1 + number, [])
            now[0] += stage.view.pause * 0.9
        now[0] -= stage.view.pause * 0.6
        stage.view.touched()
        assert len(put_off) == 1
