"""The tree of agents, the panes behind it, their marks, and the ways between them."""

from __future__ import annotations

import pytest

from canopy_shared.updates import ConfigChoice, ConfigOption, ConfigOptionUpdate
from canopy_tui.model import events as e
from canopy_tui.model.intents import CancelTurn, SendPrompt
from canopy_tui.view.apps.main_screen import TREE_OPEN
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from tui_app.playing import NARROW, WIDE, Play, playing
from tui_app.stage import ROOT

NAMES = ("main", "explore", "reader", "fix tests", "lint")


async def family(play: Play) -> None:
    """A turn with three children and one grandchild."""
    play.stage.act(SendPrompt(ROOT, "go"))
    play.stage.spawn("a", "explore")
    play.stage.spawn("b", "fix tests", stops=True)
    play.stage.spawn("c", "lint", stops=False)
    play.stage.spawn("d", "reader", parent="a")
    play.stage.acted.clear()
    await play.settle()


def tree_rows(play: Play) -> list[str]:
    """The rows of the tree as they are drawn."""
    agents = play.app.main.agents
    return [
        "".join(segment.text for segment in agents.render_line(y)).rstrip()
        for y in range(agents.size.height)
        if "".join(segment.text for segment in agents.render_line(y)).strip()
    ]


def order(play: Play) -> list[str]:
    """The names in the rows, from top to bottom."""
    names = (*NAMES, "late")
    return [next(name for name in names if name in row) for row in tree_rows(play)]


async def test_rows_keep_the_order_of_their_first_sight() -> None:
    async with playing(WIDE) as play:
        await family(play)
        assert order(play) == ["main", "explore", "reader", "fix tests", "lint"]
        play.stage.end_child("a")
        play.stage.end_child("c", "failed")
        play.stage.say("news", "b")
        play.stage.spawn("e", "late")
        await play.settle()
        assert order(play) == ["main", "explore", "reader", "fix tests", "lint", "late"]


async def test_marks_say_how_each_agent_stands() -> None:
    async with playing(WIDE) as play:
        await family(play)
        play.stage.say("no good", "c")
        play.stage.end_child("a")
        play.stage.end_child("c", "failed")
        play.stage.end_child("d", "cancelled")
        play.stage.ask_permission(session="b")
        await play.until(lambda: not play.app.shows_main, "the request on screen")
        play.clock.pass_by(1)
        await play.press("escape")
        rows = {name: row for row in tree_rows(play) for name in NAMES if name in row}
        assert "✓ explore · done" in rows["explore"]
        assert "✗ lint · failed" in rows["lint"]
        assert "⊘ reader · stopped" in rows["reader"]
        assert "! fix tests · asks" in rows["fix tests"]
        assert "▶ main" in rows["main"]
        assert "!" in rows["main"]  # somebody below asks
        assert "●" in rows["lint"]  # news that nobody has seen
        assert "1 running  ! 1 waiting" in play.lines[0]  # who asks is not counted twice
        assert "1 waiting" in play.lines[0]


async def test_news_are_seen_when_the_pane_is_seen() -> None:
    async with playing(WIDE) as play:
        await family(play)
        play.stage.end_turn()
        await play.shows("still working")
        play.stage.say("late words", "b")
        await play.until(lambda: any("↻" in row for row in tree_rows(play)), "the after-turn mark")
        assert play.stage.state.sessions["b"].unseen > 0
        play.app.go("b")
        await play.until(lambda: play.stage.state.sessions["b"].unseen == 0, "b seen")
        await play.shows("late words")
        play.stage.say("more", "b", message="m2")
        await play.shows("more")
        assert play.stage.state.sessions["b"].unseen == 0
        play.app.go(ROOT)
        play.stage.say("again", "b", message="m3")
        await play.until(lambda: play.stage.state.sessions["b"].unseen == 1, "b has news")


async def test_a_turn_that_ends_before_its_agents_says_so() -> None:
    async with playing(WIDE) as play:
        await family(play)
        play.stage.end_child("d")
        play.stage.end_child("c")
        play.stage.end_turn()
        await play.shows("main is done · 2 agents still working")


async def test_nothing_runs_any_more_where_the_time_stands_still() -> None:
    async with playing(WIDE, now=lambda: 1000.0) as play:
        play.stage.act(SendPrompt(ROOT, "go"))
        await play.shows("1 running")
        play.stage.spawn("a", "alpha")
        await play.shows("2 running")
        play.stage.ask_permission(session="a")
        await play.shows("alpha asks")
        play.stage.end_turn()
        await play.shows_no("1 running")  # around the question


async def test_moves_by_keys() -> None:
    async with playing() as play:
        await family(play)
        moves = (
            ("alt+down", "a"),
            ("alt+down", "d"),
            ("alt+up", "a"),
            ("alt+right", "b"),
            ("f8", "c"),
            ("f8", "a"),
            ("f7", "c"),
            ("alt+left", "b"),
            ("alt+0", ROOT),
            ("alt+2", "d"),
            ("alt+4", "c"),
            ("alt+9", "c"),
            ("ctrl+g", ROOT),
            ("alt+up", ROOT),
            ("f8", "a"),
            ("escape", ROOT),
        )
        for key, session in moves:
            await play.press(key)
            assert play.app.open_session == session, key
        assert play.stage.acted == []


async def test_child_panes_are_read_only_and_say_so() -> None:
    async with playing() as play:
        await family(play)
        await play.press("alt+down")
        await play.shows("main › explore")
        await play.shows("read-only: what you write goes to main · Ctrl+G shows main")
        await play.write("hello")
        await play.press("enter")
        assert play.app.open_session == ROOT
        assert play.stage.acted == [SendPrompt(ROOT, "hello")]


async def test_tree_by_keys() -> None:
    async with playing() as play:
        await family(play)
        await play.press("ctrl+t", "down", "enter")
        assert play.app.open_session == "a"
        await play.press("j", "k", "left")  # fold
        assert not any("reader" in row for row in tree_rows(play))
        assert any("explore +1" in row for row in tree_rows(play))
        play.stage.ask_permission(session="d")
        await play.until(lambda: not play.app.shows_main, "the request on screen")
        play.clock.pass_by(1)
        await play.press("escape")
        folded = next(row for row in tree_rows(play) if "explore" in row)
        assert "!" in folded  # a folded row tells that somebody below it asks
        await play.press("right", "end", "enter")
        assert play.app.open_session == "c"
        await play.press("g", "2")
        assert play.app.open_session == "d"
        await play.press("0")  # as the numbers before the rows say
        assert play.app.open_session == ROOT
        await play.press("2")
        assert play.app.open_session == "d"
        for letter in ("9", "q", "w"):  # before no row, and no key of the tree
            await play.write(letter)
            await play.shows(f"“{letter}” does nothing here. Esc goes back to the message.")
        assert (play.app.open_session, play.draft) == ("d", "")
        assert play.app.main.agents.has_focus
        await play.press("home", "enter", "ctrl+t")
        assert play.app.open_session == ROOT
        await play.write("x")
        assert play.draft == "x"


async def test_agents_of_one_name_are_told_apart_everywhere() -> None:
    async with playing() as play:
        for child in ("a", "b", "c"):
            play.stage.spawn(child, "fix tests")
        play.stage.spawn("long", "Write the tests of the receipts and of everything that they hold")
        long = "Write the tests of the receipts and of everything that they hold"
        play.stage.spawn("longer", long)
        await play.settle()
        rows = [row for row in tree_rows(play) if "fix tests" in row]
        assert ["(2)" in row for row in rows] == [False, True, False]
        assert ["(3)" in row for row in rows] == [False, False, True]
        assert "(2)" in tree_rows(play)[5]  # also where the name is cut
        await play.shows("fix tests (2) ·")  # the card
        play.app.go("b")
        await play.shows("main › fix tests (2)")
        play.stage.ask_permission(session="c")
        await play.until(lambda: not play.app.shows_main, "the request on screen")
        await play.shows("fix tests (3) asks")
        await play.press("escape", "ctrl+p")
        await play.write("fix tests (3)")
        await play.shows("Agent: fix tests (3)")
        await play.press("escape")
        play.app.ask_stop("b")
        await play.shows("Stop fix tests (2) only?")


async def test_a_long_way_keeps_the_name_at_its_end() -> None:
    async with playing(NARROW) as play:
        names = ("checkout review", "discount rules", "receipt printer", "the width of rows")
        above = ROOT
        for at, name in enumerate(names):
            play.stage.spawn(f"n{at}", name, above)
            above = f"n{at}"
        play.app.go("n3")
        await play.shows("main › … › ▶ discount rules › ▶ receipt printer › ▶ the width of rows")
        await play.pilot.click("#rail", offset=(play.lines[0].index("…"), 0))
        await play.settle()
        assert play.app.open_session == "n0"
        await play.shows("main › ▶ checkout review")


async def test_a_scrollbar_hides_nothing() -> None:
    async with playing() as play:
        for at in range(30):
            play.stage.spawn(f"w{at}", f"worker {at}")
            play.stage.begin_task(f"t{at}", f"task {at}")
        main = play.app.main
        for one in (main.agents, main.background):
            await play.until(lambda one=one: one.show_vertical_scrollbar, "a scrollbar")
            assert one.render_line(1).cell_length == one.scrollable_content_region.width


async def test_tree_and_path_by_mouse() -> None:
    async with playing() as play:
        await family(play)
        await play.pilot.click("#tree", offset=(8, 2))
        await play.settle()
        assert play.app.open_session == "d"
        await play.pilot.click("#crumbs", offset=(8, 0))
        await play.settle()
        assert play.app.open_session == "a"
        await play.pilot.click("#crumbs", offset=(2, 0))
        await play.settle()
        assert play.app.open_session == ROOT


async def test_words_typed_elsewhere_go_to_the_message() -> None:
    async with playing() as play:
        await family(play)
        play.app.main.transcript.focus()
        await play.write("b")
        assert play.draft == "b"
        await play.write("rown fox")
        assert play.draft == "brown fox"
        play.app.main.transcript.focus()
        await play.press("j", "y")  # commands of the transcript
        assert play.draft == "brown fox"


async def test_a_card_opens_its_child() -> None:
    async with playing() as play:
        await family(play)
        line = next(y for y, text in enumerate(play.lines) if "[click: open]" in text)
        column = play.lines[line].index("explore", play.app.main.agents.size.width)
        play.app.main.transcript.focus()
        await play.shows("[enter: open]")  # only where Enter does it
        await play.pilot.click(offset=(column, line))
        await play.settle()
        assert play.app.open_session == "a"


async def test_where_there_is_no_room_the_tree_lies_over_the_transcript() -> None:
    async with playing(NARROW) as play:
        await family(play)
        assert play.lines[0].startswith(" ▶ main")
        assert "▶5" in play.lines[0]
        assert not any("fix tests" in line and "├" in line for line in play.lines)
        await play.press("ctrl+t")
        assert any("├─▶ fix tests" in line for line in play.lines)
        await play.press("down", "enter")
        assert play.app.open_session == "a"
        assert not play.app.main.has_class(TREE_OPEN)
        assert play.lines[0].startswith(" ▶ main › ▶ explore")
        await play.press("ctrl+t", "escape")
        assert not play.app.main.has_class(TREE_OPEN)
        assert play.app.open_session == "a"
        await play.write("x")
        assert play.draft == "x"


async def test_stop_one_agent() -> None:
    async with playing() as play:
        await family(play)
        await play.press("ctrl+t", "end", "x")
        await play.shows("lint cannot be stopped by itself")
        await play.press("k", "x")
        assert isinstance(play.screen, ConfirmScreen)
        await play.press("enter", "n")
        assert play.stage.acted == []
        await play.press("x", "y")
        assert play.stage.acted == [CancelTurn("b")]
        await play.press("x")
        await play.shows("fix tests does not run.")


async def test_the_last_line_names_the_keys_of_what_has_the_focus() -> None:
    async with playing(NARROW, keymap={"tree-filter": "ctrl+y"}) as play:
        await family(play)
        assert "stop it" not in play.lines[-1]
        await play.press("ctrl+t", "down")
        await play.shows("Enter open  x stop it  Ctrl+Y filter  / name  e ended  Esc back  F1 more")
        await play.pilot.click("#footer", offset=(play.lines[-1].index("stop it"), 0))
        await play.shows("Stop explore only?")
        await play.press("n")
        await play.press("end")  # lint, which cannot be stopped by itself
        await play.until(lambda: "stop it" not in play.lines[-1], "no key for it")
        await play.press("home")  # main, in its turn
        await play.until(lambda: "stop it" in play.lines[-1], "the key")
        play.stage.end_turn()
        await play.until(lambda: "stop it" not in play.lines[-1], "no key at the end of the turn")
        await play.press("escape")
        await play.shows_no("stop it")
        play.app.main.transcript.focus()
        await play.shows("Space unfold  Enter open  y copy  Y copy all  e export")


async def test_a_session_that_is_closed_leaves_no_hole() -> None:
    async with playing() as play:
        await family(play)
        play.app.go("b")
        play.stage.apply(e.SessionOpened(session="root-2", at=1.0, title="Two"))
        play.stage.apply(e.SessionClosed(session=ROOT))
        await play.settle()
        assert play.app.open_session == "root-2"
        play.stage.apply(e.SessionClosed(session="root-2"))
        await play.settle()
        assert play.app.open_session is None
        await play.write("still here")
        assert play.draft == "still here"


async def test_a_new_session_that_was_asked_for_comes_into_view() -> None:
    async with playing() as play:
        play.stage.apply(e.SessionOpened(session="root-2", at=1.0, title="Two"))
        await play.settle()
        assert play.app.open_session == ROOT
        play.app.action_new_session()
        play.stage.apply(e.SessionOpened(session="root-3", at=1.0, title="Three"))
        await play.settle()
        assert play.app.open_session == "root-3"
        assert any("Three" in row for row in tree_rows(play))


@pytest.mark.parametrize("size", [(39, 12), (60, 9)])
async def test_too_small_a_window_says_so(size: tuple[int, int]) -> None:
    async with playing(size) as play:
        await play.shows("Canopy needs")
        assert "Message" not in play.text
        await play.pilot.resize_terminal(*WIDE)
        await play.shows_no("Canopy needs")
        await play.shows("Message")


async def test_every_size_can_be_gone_through() -> None:
    async with playing() as play:
        await family(play)
        await play.write("a draft that stays")
        for size in ((200, 60), (140, 20), (100, 19), (80, 24), (59, 24), (40, 10), (20, 5), WIDE):
            await play.pilot.resize_terminal(*size)
            await play.settle()
            assert len(play.lines) == size[1]
            assert play.draft == "a draft that stays"
            if size[0] >= 40 and size[1] >= 10:
                assert any("a draft that stays" in line for line in play.lines), size


async def test_tab_goes_to_the_transcript_and_back() -> None:
    async with playing(WIDE) as play:
        play.stage.spawn("kid", "fix tests")
        play.stage.say("words")
        await play.settle()
        await play.press("tab")
        assert play.app.main.transcript.has_focus
        await play.press("tab")
        assert play.app.main.composer.area.has_focus


async def test_what_is_known_of_an_agent_is_said_as_far_as_there_is_room() -> None:
    async with playing() as play:
        choice = ConfigChoice("m", "A model of some renown x")
        model = ConfigOption("model", "Model", "select", "m", "model", options=(choice,))
        play.stage.update(ConfigOptionUpdate((model,)))
        play.stage.usage(50_000)
        await play.shows("A model of some renown")
        assert "50k tokens" not in play.text
        await play.press("ctrl+t")
        await play.pilot.resize_terminal(*NARROW)
        await play.shows("A model of some renown x · 50k tokens")
        await play.pilot.resize_terminal(*WIDE)  # less room again, and the tree keeps the focus
        await play.shows_no("50k")
        await play.pilot.resize_terminal(200, 50)
        await play.shows("A model of some renown x · 50k tokens")
