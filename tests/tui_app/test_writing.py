"""What a message is made of besides typing: files, commands with hints, pastes, suggestions,
the history, and the editor.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual import events

from canopy_shared.content import ImageContent, ResourceLink
from canopy_shared.ext import suggestions
from canopy_shared.updates import AvailableCommandsUpdate, Command, SessionInfoUpdate
from canopy_tui.desk.file_index import FileIndex
from canopy_tui.model import events as e
from canopy_tui.model.intents import EditQueued, SendPrompt
from canopy_tui.model.shelf import Draft, Shelf
from tui_app.playing import NARROW, Play, key_event, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_tui.view.apps.app import CanopyApp


def png(width: int = 3, height: int = 2, padding: int = 0) -> bytes:
    """The beginning of a picture, which is all that is ever read of one."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return head + b"\0" * padding


async def paste(play: Play, text: str) -> None:
    play.app.post_message(events.Paste(text))
    await play.settle()


def sent(play: Play) -> SendPrompt:
    intent = play.stage.acted[-1]
    assert isinstance(intent, SendPrompt)
    return intent


async def test_files_are_picked_and_go_as_links(tmp_path: Path) -> None:
    for path in ("src/shop/prices.py", "src/shop/list of prices.csv", "src/[b]odd.py", "README.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    around: dict[str, Any] = {"files": FileIndex(tmp_path), "directory": str(tmp_path)}
    async with playing(NARROW, **around) as play:
        await play.write("see @")
        await play.shows("README.md")
        await play.write("pric")
        await play.shows("src/shop/prices.py")
        await play.press("down", "up", "tab")
        assert play.draft == "see @src/shop/prices.py "
        await play.shows_no("list of prices")
        await play.write("and @list")
        await play.shows("list of prices.csv")
        await play.press("enter")
        assert play.draft == 'see @src/shop/prices.py and @"src/shop/list of prices.csv" '
        await play.write("@odd")
        await play.shows("src/[b]odd.py")
        await play.pilot.click("#completion", offset=(4, 0))
        await play.settle()
        assert play.draft.endswith("@src/[b]odd.py ")
        await play.write("@nothing-like-it")
        await play.shows("No file fits")
        await play.press("escape")
        await play.shows_no("No file fits")
        await play.write("!")
        await play.shows_no("No file fits")
        await play.press("enter")
        message = sent(play)
        assert message.text.startswith("see @src/shop/prices.py and")
        assert message.blocks == (
            ResourceLink((tmp_path / "src/shop/prices.py").as_uri(), "prices.py"),
            ResourceLink((tmp_path / "src/shop/list of prices.csv").as_uri(), "list of prices.csv"),
            ResourceLink((tmp_path / "src/[b]odd.py").as_uri(), "[b]odd.py"),
        )
        await play.write("@src")
        await play.shows("src/")
        await play.press("tab")
        assert play.draft == "@src/"
        await play.shows("src/shop/")
        await play.press("escape", "ctrl+u")
        await play.write("/review @README.md")
        await play.press("enter", "enter")
        root = play.stage.state.sessions[ROOT]
        assert root.queue[-1].blocks == ()  # a command is one text


async def test_commands_show_what_may_follow_them() -> None:
    async with playing(NARROW) as play:
        commands = (
            Command("review", "Look at a change", {"hint": "[pull request]"}),
            Command("rewind", "Go back"),
        )
        play.stage.update(AvailableCommandsUpdate(commands))
        await play.write("/re")
        await play.shows("/review [pull request]")
        await play.press("tab")
        assert play.draft == "/review "
        await play.shows("[pull request]")  # behind the caret
        await play.press("right", "tab")
        assert play.draft == "/review "  # it is a hint, not a text
        play.app.main.composer.area.focus()
        await play.write("1")
        await play.shows_no("[pull request]")
        await play.press("ctrl+u")
        await play.write("/rewind")
        await play.press("enter")  # written out, it is sent
        assert sent(play).text == "/rewind"


LONG = "\n".join(f"line {number}" for number in range(40))


async def test_a_long_paste_is_one_mark_and_is_sent_whole() -> None:
    kept: list[Draft] = []
    remembered: list[str] = []
    around: dict[str, Any] = {
        "on_draft": lambda _session, draft: kept.append(draft),
        "on_sent": remembered.append,
    }
    async with playing(NARROW, **around) as play:
        await play.write("a ")
        await paste(play, LONG)
        mark = "[Pasted text 1: 40 lines]"
        assert play.draft == f"a {mark}"
        await play.shows("unfold")
        await play.press("left", "left")
        assert play.app.main.composer.area.cursor_location == (0, 1)
        await play.press("right", "right", "ctrl+w")
        assert play.draft == "a "
        await play.press("ctrl+underscore")
        assert play.draft == f"a {mark}"
        await play.write(" b")
        await play.press("enter")
        assert sent(play) == SendPrompt(ROOT, f"a {LONG} b", (), f"a {mark} b")
        assert remembered == [f"a {LONG} b"]
        await paste(play, LONG)
        await play.press("enter")
        await play.shows("queued")
        await play.press("up")
        assert play.draft == "[Pasted text 2: 40 lines]"
        await play.write("!")
        await play.press("enter")
        edited = play.stage.acted[-1]
        assert edited == EditQueued(ROOT, 1, LONG + "!", (), "[Pasted text 2: 40 lines]!")
        assert remembered[1:] == [LONG, f"{LONG}!"]  # as it goes, too
        await play.press("up", "enter")
        assert len(remembered) == 3
        await paste(play, LONG)
        await play.press("ctrl+c", "ctrl+c")
        play.stage.apply(e.QueueChanged(ROOT, ()))
        await play.settle()
        await play.press("up", "tab")  # unfolded beside the caret
        assert play.draft == LONG
        await play.press("ctrl+underscore")
        await play.pilot.click("#attachments", offset=(18, 0))  # the cross
        await play.settle()
        assert play.draft == ""
        await paste(play, "x" * 2000)
        assert play.draft == "[Pasted text 4: 2,000 characters]"
        await play.press("ctrl+c", "ctrl+q", "y")
        assert play.app.return_code == 0
        # nothing else was unsent than what stood there; it was put away, and Up brings it back
        assert kept[-1] == Draft()
        assert remembered[-1] == "x" * 2000


async def test_a_draft_comes_back_with_its_pastes_and_pictures(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(png())
    text = "[Pasted text 3: 40 lines] [Image 2] [Image 4]"
    draft = Draft(
        text,
        {"[Pasted text 3: 40 lines]": LONG},
        {"[Image 2]": str(picture), "[Image 4]": str(tmp_path / "gone.png")},
    )
    drafts = {"root-2": Draft("of the other")}
    around: dict[str, Any] = {"draft": draft, "draft_of": lambda s: drafts.get(s, Draft())}
    async with playing(**around) as play:
        assert play.draft == text
        await play.shows("a.png")
        await play.shows("no longer there")
        play.stage.apply(e.SessionOpened(session="root-2", at=1.0))
        play.app.go("root-2")
        await play.settle()
        assert play.draft == "of the other"
        play.app.go(ROOT)
        await play.settle()
        await paste(play, LONG)
        assert play.draft.endswith("[Pasted text 4: 40 lines]")
        await play.press("enter")
        assert sent(play).text == f"{LONG} [Image 2] [Image 4]{LONG}"
        [block] = sent(play).blocks
        assert isinstance(block, ImageContent)


async def test_what_the_agent_suggests_is_taken_with_a_key() -> None:
    async with playing(NARROW) as play:
        meta = suggestions.wrap(("Run the\x1b[31m tests", "other"))
        play.stage.update(SessionInfoUpdate(meta=meta))
        await play.shows("Run the")
        await play.press("tab")
        assert play.draft == "Run the[31m tests"
        await play.press("ctrl+u")
        await play.write("Run")
        await play.shows("tests")
        await play.press("right")
        assert play.draft == "Run the[31m tests"
        await play.press("ctrl+u")
        await play.write("Walk")
        await play.shows_no("tests")
        await play.press("ctrl+u", "enter")
        assert play.stage.acted == []  # it is never sent by itself
        play.stage.spawn("a", "child")
        play.app.go("a")
        await play.shows("Message to main")
        await play.press("right")
        assert play.draft == ""  # what is not shown is not taken


async def test_the_history_is_searched() -> None:
    own = ["fix the build", "fix [b]the tests", "write\nmany lines"]
    around: dict[str, Any] = {"history": own, "older": lambda: [*own, "of another directory"]}
    async with playing(NARROW, **around) as play:
        await play.write("mine")
        await play.press("ctrl+r")
        await play.shows("many lines")
        await play.write("the fix")
        await play.shows_no("many lines")
        await play.shows("fix [b]the tests")
        await play.press("down", "enter")
        assert play.draft == "fix the build"
        await play.press("ctrl+underscore")
        assert play.draft == "mine"
        await play.press("ctrl+r")
        await play.write("another")
        await play.shows("Nothing fits")
        await play.press("ctrl+r")
        await play.shows("of another directory")
        await play.pilot.click("#history-list", offset=(5, 0))
        await play.settle()
        assert play.draft == "of another directory"
        await play.press("ctrl+r", "escape")
        assert play.app.shows_main


def _editor(tmp_path: Path, script: str) -> dict[str, str]:
    program = tmp_path / "editor"
    program.write_text(f"#!{sys.executable}\nimport sys, pathlib\n{script}\n")
    program.chmod(0o755)
    return {"EDITOR": f"'{program}' --wait", "PATH": "/usr/bin:/bin"}


@pytest.fixture
def given_terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[CanopyApp], list[str]]:
    """Headless there is no terminal to give away: the list says what would become of it."""

    def give(app: CanopyApp) -> list[str]:
        driver, became = app._driver, []
        assert driver is not None
        monkeypatch.setattr(type(driver), "can_suspend", True)
        monkeypatch.setattr(driver, "suspend_application_mode", lambda: became.append("away"))
        monkeypatch.setattr(driver, "resume_application_mode", lambda: became.append("back"))
        return became

    return give


def told(play: Play) -> str:
    """What is told beside the screen."""
    return "\n".join(one.message for one in play.app._notifications)


async def test_the_message_is_written_in_an_editor(
    tmp_path: Path, given_terminal: Callable[[CanopyApp], list[str]]
) -> None:
    script = (
        "file = pathlib.Path(sys.argv[-1])\n"
        "text = file.read_text()\n"
        "assert sys.argv[1] == '--wait'\n"
        "if 'fail' in text: sys.exit(3)\n"
        "file.write_text(text + 'second ü\\n\\n')"
    )
    environment = _editor(tmp_path, script)
    async with playing(environment=environment) as play:
        await play.write("first")
        await play.press("f6")
        await play.shows("cannot be given")
        assert play.draft == "first"
        terminal = given_terminal(play.app)
        await play.press("f6")
        await play.until(lambda: play.draft == "first\nsecond ü", "the edited text")
        await play.until(lambda: not play.app.away, "the terminal again")
        await play.press("ctrl+underscore")
        assert play.draft == "first"
        await play.write(" fail")
        await play.press("f6")
        await play.until(lambda: "ended with 3" in told(play), "why the text is as it was")
        assert play.draft == "first fail"
        environment["EDITOR"] = "no-such-editor -x"
        await play.until(lambda: not play.app.away, "the terminal again")
        await play.press("f6")
        await play.shows("$EDITOR names no-such-editor, which is not there")
        await play.until(lambda: not play.app.away, "the terminal again")
        assert terminal == ["away", "back"] * 2  # also from the one that failed


async def test_what_is_too_long_to_be_edited_stays_a_mark_and_what_is_not_kept_is_told() -> None:
    around: dict[str, Any] = {"hear_unkept": lambda tell: tell("Not kept: [b]the draft.")}
    async with playing(NARROW, **around) as play:
        await play.until(lambda: told(play) == "Not kept: [b]the draft.", "what is not kept")
        play.app.main.composer.replace_with("word " * 20_000)
        assert play.draft == "[Pasted text 1: 100,000 characters]"
        await play.press("tab")
        await play.shows("too long to be edited")
        assert play.draft == "[Pasted text 1: 100,000 characters]"


def test_a_mark_that_nobody_made_is_only_words() -> None:
    shelf = Shelf()
    text = "[Image 1] [Pasted text 1: 3 lines]"
    assert shelf.whole(text) == text
    assert shelf.blocks(text) == ()
    assert shelf.spans(text) == []
    mark = shelf.put_text("a\nb\n[Image 1]")
    assert shelf.whole(f"{mark} {mark}") == "a\nb\n[Image 1] a\nb\n[Image 1]"


def test_pastes_that_an_editor_left_as_they_were_are_marks_again() -> None:
    shelf = Shelf()
    one, two, three = (shelf.put_text(f"{name}\n" * 20) for name in ("one", "two", "three"))
    before = f"see {one}and {two}{three}"
    whole = shelf.whole(before)
    assert shelf.folded(whole, before) == before
    assert shelf.folded(whole.rstrip("\n"), before) == before
    changed = whole.replace("two\n", "2\n", 1).replace("see", "look:")
    rest = "2\n" + "two\n" * 19
    assert shelf.folded(changed, before) == f"look: {one}and {rest}{three}"
    moved = f"{shelf.whole(three)}x {shelf.whole(one)}"
    assert shelf.folded(moved, before) == f"{three}x {one}"
    assert shelf.folded("nothing left", before) == "nothing left"


async def test_the_editor_gets_pastes_in_full_and_a_dropped_file_is_a_word_of_its_own(
    tmp_path: Path, given_terminal: Callable[[CanopyApp], list[str]]
) -> None:
    script = (
        "file = pathlib.Path(sys.argv[-1])\n"
        "text = file.read_text()\n"
        "assert text.count('pasted') == 20, text\n"
        "file.write_text('seen ' + text)"
    )
    (tmp_path / "a.txt").write_text("a")
    environment = _editor(tmp_path, script)
    async with playing(directory=str(tmp_path), environment=environment) as play:
        given_terminal(play.app)
        await play.write("look at it")
        play.app.main.composer.add_text(str(tmp_path / "a.txt"))
        await play.until(lambda: play.draft == "look at it @a.txt ", "the dropped file")
        play.app.main.composer.add_text("pasted\n" * 20)
        await play.press("f6")
        after = "seen look at it @a.txt [Pasted text 1: 20 lines]"
        await play.until(lambda: play.draft == after, "the paste as a mark")
        await play.until(lambda: not play.app.away, "the terminal again")


async def test_what_is_typed_behind_a_key_is_not_lost_with_it() -> None:
    """Enter, and more before anything else has run: what is typed then is the next message."""
    async with playing(NARROW) as play:
        play.stage.apply(
            e.UpdateArrived(ROOT, AvailableCommandsUpdate((Command("review", "Look"),)), 1.0)
        )
        await play.settle()
        area = play.app.main.composer.area

        def at_once(*keys: str) -> None:
            for key in keys:
                area._on_key(key_event(key))
                if key.isprintable() and len(key) == 1:
                    area.insert(key)

        at_once("o", "n", "e", "enter", "t", "w", "o", "enter", "x")
        await play.until(lambda: len(play.stage.acted) == 2, "two messages")
        assert [one.text for one in play.stage.acted if isinstance(one, SendPrompt)] == [
            "one",
            "two",
        ]
        assert play.draft == "x"
        await play.press("backspace")
        await play.write("/rev")
        await play.shows("/review")
        at_once("tab", "a", "b")
        await play.settle()
        assert play.draft == "/review ab"
