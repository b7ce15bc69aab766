"""Esc and Ctrl+C: one order for each, and nothing that was written is lost (B78); quitting."""

from __future__ import annotations

from canopy_tui.model.intents import CancelTurn, SendPrompt
from canopy_tui.view.dialogs.confirm import ConfirmScreen
from canopy_tui.view.keyboard.arming import WINDOW
from tui_app.playing import Play, playing
from tui_app.stage import ROOT

DRAFT = "\n".join(f"line {number}" for number in range(30))


async def turn(play: Play) -> None:
    """A turn runs."""
    play.stage.act(SendPrompt(ROOT, "go"))
    play.stage.acted.clear()
    await play.settle()


async def test_escape_twice_stops_the_turn_and_keeps_the_draft() -> None:
    async with playing() as play:
        await turn(play)
        play.stage.spawn("a", "explore")
        play.app.main.composer.area.begin_with(DRAFT)
        await play.press("escape")
        await play.shows("Esc again stops the turn.")
        assert play.stage.acted == []
        await play.press("escape")
        assert play.stage.acted == [CancelTurn(ROOT)]
        assert play.draft == DRAFT
        await play.press("escape", "escape", "escape")  # nothing runs at the root any more
        assert play.stage.acted == [CancelTurn(ROOT)]
        assert play.app.is_running


async def test_escape_later_is_a_first_press_again() -> None:
    async with playing() as play:
        await turn(play)
        await play.press("escape")
        play.clock.pass_by(WINDOW + 0.1)
        await play.press("escape")
        assert play.stage.acted == []
        await play.press("escape")
        assert play.stage.acted == [CancelTurn(ROOT)]


async def test_escape_in_a_child_goes_up_first() -> None:
    async with playing() as play:
        await turn(play)
        play.stage.spawn("a", "explore")
        play.app.go("a")
        await play.press("escape", "escape")
        assert play.app.open_session == ROOT
        assert play.stage.acted == []
        await play.press("escape")
        assert play.stage.acted == [CancelTurn(ROOT)]


async def test_the_order_of_control_c() -> None:
    async with playing() as play:
        await turn(play)
        area = play.app.main.composer.area
        area.begin_with(DRAFT)
        await play.press("shift+home")
        await play.press("ctrl+c")
        assert play.app.clipboard == "line 29"
        assert play.stage.acted == []
        await play.press("end", "ctrl+c")
        assert play.stage.acted == [CancelTurn(ROOT)]
        assert play.draft == DRAFT
        await play.press("ctrl+c")
        assert play.draft == ""
        await play.shows("↑ brings it back")
        await play.press("up")
        assert play.draft == DRAFT
        await play.press("ctrl+c", "ctrl+c")
        await play.shows("Ctrl+C again quits.")
        assert play.app.return_code is None
        await play.press("ctrl+c")
        assert play.app.return_code == 0


async def test_control_c_copies_from_the_transcript() -> None:
    async with playing() as play:
        play.stage.say("words to copy")
        await play.settle()
        await turn(play)
        line = next(y for y, text in enumerate(play.lines) if "words to copy" in text)
        start = play.lines[line].index("words")
        await play.pilot.mouse_down(offset=(start, line))
        await play.pilot.hover(offset=(start + 5, line))
        await play.pilot.mouse_up(offset=(start + 5, line))
        await play.press("ctrl+c")
        assert play.app.clipboard.startswith("words")
        assert play.stage.acted == []


async def test_quitting_asks_while_something_runs() -> None:
    kept: list[str] = []
    async with playing(on_draft=lambda _session, draft: kept.append(draft.text)) as play:
        await turn(play)
        await play.write("unsent")
        await play.press("ctrl+q")
        assert isinstance(play.screen, ConfirmScreen)
        await play.shows("1 agent still at work")
        await play.press("ctrl+q", "enter", "n")
        assert play.app.shows_main
        assert play.app.return_code is None
        await play.press("ctrl+q", "y")
        assert play.app.return_code == 0
        assert kept[-1] == "unsent"


async def test_quitting_says_what_was_not_sent() -> None:
    async with playing() as play:
        play.stage.act_queue("one", "two")
        await play.press("ctrl+q")
        await play.shows("2 messages were not sent; ↑ brings them back next time.")
        await play.press("n")
        play.stage.act_queue()
        await play.press("ctrl+q")
        assert play.app.return_code == 0


async def test_quitting_from_a_request() -> None:
    async with playing() as play:
        play.stage.ask_permission()
        await play.until(lambda: not play.app.shows_main, "the request on screen")
        play.clock.pass_by(1)
        await play.press("ctrl+q")
        assert play.app.return_code == 0
        assert play.stage.acted == []
