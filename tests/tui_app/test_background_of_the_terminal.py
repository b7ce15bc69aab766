"""The theme follows the background of the terminal, whose answer never becomes keys."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from canopy_tui.kept.background_note import note, noted
from canopy_tui.view.drawing.theme import DARK, LIGHT
from canopy_tui.view.terminal import keys as terminal_keys
from canopy_tui.view.terminal.background import (
    REPLIES,
    BackgroundTold,
    Replies,
    background_of,
    guess,
    may_ask,
)
from tui_app.playing import playing

ANSWERS = {
    "\x1b]11;rgb:ffff/ffff/ffff\x1b\\": "light",
    "\x1b]11;rgb:1e1e/1e1e/2e2e\x07": "dark",
    "\x1b]11;rgb:f/f/e\x9c": "light",
    "\x1b]11;rgba:0000/0000/0000/ffff\x1b\\": "dark",
}


class _Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("answer", "word"), ANSWERS.items())
def test_an_answer_is_taken_out_however_it_is_cut(answer: str, word: str) -> None:
    for first in range(len(answer) + 1):
        for second in range(first, len(answer) + 1):
            replies = Replies(_Clock())
            replies.asked()
            pieces = ("a" + answer[:first], answer[first:second], answer[second:] + "b")
            assert "".join(replies(piece) for piece in pieces) + replies.overdue() == "ab"
            assert replies.told == [word]


def test_what_is_no_answer_is_typed() -> None:
    clock = _Clock()
    replies = Replies(clock)
    assert replies("\x1b") == "\x1b"  # nothing was asked, so nothing is held back
    replies.asked()
    for typed in ("\x1b", "\x1b]", "\x1b]1", "\x1b]11;rgb:"):
        assert replies(typed) == ""
        assert replies.overdue() == ""
        clock.now += 0.2
        assert (replies.overdue(), replies.overdue()) == (typed, "")
    assert replies("\x1b[A") == "\x1b[A"
    assert replies("\x1b]") + replies("x") == "\x1b]x"
    long = "\x1b]11;" + "z" * 100
    assert replies(long) == long
    clock.now += 60.0
    assert replies("\x1b") == "\x1b"
    assert replies("\x1b]11;?\x07") == ""  # an answer without a colour, late as well
    assert replies.told == []


def test_one_question_has_one_answer() -> None:
    replies = Replies(_Clock())
    white = "\x1b]11;rgb:ff/ff/ff\x07"
    assert (replies(white), replies.told) == ("", [])
    replies.asked()
    assert (replies(white + white), replies.told) == ("", ["light"])


def test_no_stream_loses_a_key() -> None:
    dice = random.Random(7)
    for _ in range(300):
        replies = Replies(_Clock())
        replies.asked()
        text = "".join(dice.choice("\x1b]1;rgb:/f\x07\\") for _ in range(dice.randrange(40)))
        cuts = sorted(dice.randrange(len(text) + 1) for _ in range(3))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        passed = "".join(replies(piece) for piece in pieces)
        assert "\x1b]11;" in text or passed + replies._held == text


def test_the_parser_hears_it_between_keys_and_not_in_a_paste() -> None:
    terminal_keys.teach()
    parser = XTermParser()
    REPLIES.asked()
    heard = list(parser.feed("x\x1b]11;rgb:ff/ff/ff\x1b\\y"))
    assert [one.key for one in heard if isinstance(one, events.Key)] == ["x", "y"]
    assert [one.background for one in heard if isinstance(one, BackgroundTold)] == ["light"]
    REPLIES.asked()
    heard = list(parser.feed("\x1b[200~\x1b]11;rgb:ff/ff/ff\x07\x1b[201~z"))
    assert [type(one) for one in heard] == [events.Paste, events.Key]
    list(parser.feed("\x1b]11;rgb:0/0/0\x07"))  # leave nothing open for other tests


def test_guesses_before_the_first_frame(tmp_path: Path) -> None:
    values = {"15;0": "dark", "0;15": "light", "0;default;7": "light", "7;8": "dark"}
    for value, word in values.items():
        assert guess({"COLORFGBG": value}) == word
    for value in ("", "x", "0;default", "1;16"):
        assert guess({"COLORFGBG": value}) == ""
    assert background_of("808", "808", "808") == "light"
    assert [may_ask({"TERM": term}) for term in ("linux", "dumb", "xterm")] == [False, False, True]
    assert may_ask({}) is False
    folder = tmp_path / "cache"
    assert noted(folder) == ""
    note(folder, "light")
    assert noted(folder) == "light"
    (folder / "background").write_bytes(b"\xff\x00")
    assert noted(folder) == ""


async def test_the_theme_follows_unless_the_person_chose_one() -> None:
    told: list[str] = []
    async with playing(background="light", on_background=told.append) as play:
        assert play.app.theme == LIGHT
        play.app.post_message(BackgroundTold("dark"))
        await play.until(lambda: told == ["dark"], "the answer")
        assert play.app.theme == DARK
        play.app.post_message(BackgroundTold("light"))
        await play.until(lambda: told == ["dark", "light"], "a second answer")
        assert play.app.theme == DARK
    async with playing(theme=LIGHT, background="dark", on_background=told.append) as play:
        play.app.post_message(BackgroundTold("dark"))
        await play.until(lambda: len(told) == 3, "the answer")
        assert play.app.theme == LIGHT
