"""Writing and sending: line breaks, history, the queue, drafts, paste, carets (B20, B91, B92)."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from canopy_shared.updates import AvailableCommandsUpdate, Command
from canopy_tui.model import events as e
from canopy_tui.model.intents import (
    EditQueued,
    RemoveQueued,
    SendPrompt,
    SendQueue,
    SteerPrompt,
    SteerQueued,
)
from canopy_tui.model.shelf import Draft
from canopy_tui.view.controls.control_screen import ControlScreen
from canopy_tui.view.terminal import keys as terminal_keys
from tui_app.playing import NARROW, Play, playing
from tui_app.stage import ROOT


async def test_enter_sends_and_empties() -> None:
    sent: list[str] = []
    async with playing(on_sent=sent.append) as play:
        await play.write("hello there")
        assert play.draft == "hello there"
        await play.press("enter")
        assert play.stage.acted == [SendPrompt(ROOT, "hello there")]
        assert play.draft == ""
        assert sent == ["hello there"]
        await play.press("enter")
        assert len(play.stage.acted) == 1


@pytest.mark.parametrize(("sequence", "key"), [("\x1b0", "alt+0"), ("\x1b7", "alt+7")])
def test_bytes_of_alt_and_a_digit(sequence: str, key: str) -> None:
    terminal_keys.teach()
    assert [event.key for event in XTermParser().feed(sequence)] == [key]


async def test_a_letter_with_alt_is_a_command_and_no_text() -> None:
    async with playing() as play:
        for sequence in ("\x1bz", "\x1bu"):
            parser = XTermParser()
            for event in (*parser.feed(sequence), *parser.feed("")):  # "" ends the wait for more
                play.app.post_message(event)
        await play.until(lambda: isinstance(play.screen, ControlScreen), "the usage is shown")
        assert play.draft == ""


async def test_grows_up_to_eight_rows() -> None:
    async with playing() as play:
        for number in range(12):
            await play.press(str(number % 10), "ctrl+j")
        assert play.app.main.composer.area.size.height == 8


async def test_paste_is_text_and_nothing_else() -> None:
    async with playing() as play:
        play.app.post_message(events.Paste("one\r\ntwo\rthree\x1b[31m\x07\tend"))
        await play.settle()
        assert play.draft == "one\ntwo\nthree[31m\tend"


async def test_history_keeps_the_draft() -> None:
    async with playing(history=["first", "second\nline"]) as play:
        await play.write("mine")
        await play.press("up")
        assert play.draft == "second\nline"
        await play.press("up")
        assert play.draft == "second\nline"  # the caret went up inside the message first
        await play.press("up")
        assert play.draft == "first"
        await play.press("up")
        assert play.draft == "first"
        await play.press("down", "down", "down")
        assert play.draft == "mine"


async def test_what_is_typed_in_a_turn_waits_and_can_be_changed() -> None:
    async with playing() as play:
        for text in ("A", "B", "C"):
            await play.write(text)
            await play.press("enter")
        assert [prompt.text for prompt in play.stage.state.sessions[ROOT].queue] == ["B", "C"]
        await play.shows("queued")
        await play.write("draft")
        await play.press("ctrl+u", "up")
        assert play.draft == "C"
        await play.shows("in the queue")
        await play.press("up")
        assert play.draft == "B"
        await play.write("2")
        await play.press("enter")
        assert play.stage.acted[-1] == EditQueued(ROOT, 1, "B2", ())
        assert play.draft == ""
        await play.press("up", "ctrl+u", "enter")
        assert play.stage.acted[-1] == EditQueued(ROOT, 2, "", ())
        assert [prompt.text for prompt in play.stage.state.sessions[ROOT].queue] == ["B2"]


async def test_leaving_an_edit_gives_the_draft_back() -> None:
    async with playing() as play:
        for text in ("A", "B"):
            await play.write(text)
            await play.press("enter")
        await play.press("up")
        await play.write("xyz")
        await play.press("escape")
        assert play.draft == ""
        assert [prompt.text for prompt in play.stage.state.sessions[ROOT].queue] == ["B"]
        await play.press("up")
        play.stage.apply(e.QueueChanged(ROOT, ()))  # it was sent meanwhile
        await play.until(lambda: play.draft == "", "the edit of a sent message ended")


def line_of(play: Play, words: str) -> str:
    return next((line for line in play.lines if words in line), "")


async def click_on(play: Play, line: str, words: str) -> None:
    y = next(y for y, text in enumerate(play.lines) if line in text)
    x = play.lines[y].index(words, play.lines[y].index(line) + len(line) - 1)
    await play.pilot.click(offset=(x, y))
    await play.settle()


async def test_queue_by_mouse_and_held() -> None:
    async with playing(NARROW) as play:
        for text in ("A", "B", "C"):
            await play.write(text)
            await play.press("enter")
        assert "[send now Ctrl+N] [edit] [remove]" in line_of(play, "queued  B")
        assert "[send now] [edit ↑] [remove]" in line_of(play, "queued  C")
        await click_on(play, "queued  C", "[remove]")
        assert play.stage.acted[-1] == RemoveQueued(ROOT, 2)
        await play.until(lambda: "[send now Ctrl+N] [edit ↑]" in line_of(play, "queued  B"), "B")
        await click_on(play, "queued  B", "[edit ↑]")
        assert play.draft == "B"
        assert "[send now] [remove]" in line_of(play, "editing B")
        await play.press("escape")
        await click_on(play, "queued  B", "B")
        assert play.draft == "B"
        await play.press("escape")
        queue = tuple(play.stage.state.sessions[ROOT].queue)
        play.stage.apply(e.QueueChanged(ROOT, queue, held=True))
        await play.shows("held")
        await play.press("enter")
        assert play.stage.acted[-1] == SendQueue(ROOT)


async def test_what_is_sent_before_the_agent_is_ready_goes_to_it() -> None:
    sent: list[str] = []
    async with playing(ready=False, on_sent=sent.append) as play:
        assert play.stage.started == 1
        await play.shows("starting")
        await play.write("early")
        await play.press("enter")
        await play.shows("early")
        await play.write("half a dra")
        play.stage.ready()
        await play.settle()
        assert play.stage.acted == [SendPrompt(ROOT, "early")]
        assert play.draft == "half a dra"
        assert sent == ["early"]


async def test_drafts_stay_with_their_session() -> None:
    async with playing() as play:
        await play.write("for one")
        play.stage.apply(e.SessionOpened(session="root-2", at=1.0, title="Two"))
        await play.settle()
        play.app.go("root-2")
        await play.settle()
        assert play.draft == ""
        await play.write("for two")
        play.app.go(ROOT)
        await play.settle()
        assert play.draft == "for one"
        play.app.go("root-2")
        assert play.draft == "for two"


async def test_slash_offers_the_commands_of_the_agent() -> None:
    async with playing() as play:
        commands = (Command("compact", "Shrink [b]it"), Command("init", "Begin"))
        play.stage.update(AvailableCommandsUpdate(commands))
        await play.write("/")
        await play.shows("/compact")
        await play.shows("Shrink [b]it")
        await play.write("in")
        await play.shows_no("/compact")
        await play.press("tab")
        assert play.draft == "/init "
        await play.press("ctrl+u")
        await play.write("/c")
        await play.press("escape")
        await play.shows_no("/compact")
        assert play.draft == "/c"
        await play.press("enter")
        assert play.stage.acted == [SendPrompt(ROOT, "/c")]


async def test_draft_of_the_last_time_and_of_the_next() -> None:
    kept: list[tuple[str, Draft]] = []
    keep = lambda session, draft: kept.append((session, draft))  # noqa: E731
    async with playing(draft=Draft("left over"), on_draft=keep) as play:
        assert play.draft == "left over"
        await play.write("!")
        own = (ROOT, Draft("left over!"))
        await play.until(lambda: kept[-1:] == [own], "the draft to be kept without being asked")
        await play.write("!")
        await play.press("ctrl+q")
    assert kept[-1] == (ROOT, Draft("left over!!"))


async def test_what_is_written_in_a_turn_can_be_said_at_once() -> None:
    async with playing(NARROW) as play:
        await play.press("ctrl+n")
        await play.shows("Nothing is written")
        await play.write("A")
        await play.press("ctrl+n")  # no turn runs: sent as usual
        assert play.stage.acted == [SendPrompt(ROOT, "A")]
        for text in ("B", "C"):
            await play.write(text)
            await play.press("enter")
        play.stage.takes_steering = False
        await play.write("D")
        await play.press("ctrl+n")
        assert play.stage.acted[-1] == SteerPrompt(ROOT, "D")
        await play.shows("saying")
        play.stage.steered("taken")
        await play.shows("into the running turn")
        await play.press("ctrl+n")  # the field is empty: the first that waits
        assert play.stage.acted[-1] == SteerQueued(ROOT, 1)
        play.stage.steered("no_turn")
        await play.settle()
        root = play.stage.state.sessions[ROOT]
        assert [prompt.text for prompt in root.queue] == ["B", "C"]
        await play.press("up")
        await play.write("2")
        await play.press("ctrl+n")
        assert play.stage.acted[-2:] == [EditQueued(ROOT, 2, "C2", ()), SteerQueued(ROOT, 2)]
        play.stage.steered("taken")
        await play.settle()
        await click_on(play, "queued  B", "[send now")
        assert play.stage.acted[-1] == SteerQueued(ROOT, 1)
        play.stage.steered("taken")
        play.stage.apply(e.LinkChanged(status="ready", at=1.0, meta={"steering": {}}))
        await play.write("E")
        await play.press("ctrl+n")
        await play.shows("takes nothing into a running turn")
