"""The file at which an agent works: found, read without harm, and shown where it goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from canopy_shared.content import Diff, Location
from canopy_tui.desk import file_window
from canopy_tui.desk.file_window import AROUND, read_window
from canopy_tui.model.followed import newest_place
from canopy_tui.model.glyphs import ASCII
from canopy_tui.view.transcript.follow_panel import FollowFile, FollowPanel, FollowTitle
from tui_app.playing import NARROW, SMALLEST_WIDE, playing
from tui_app.stage import ROOT, Stage


def test_lines_around_a_place(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"\xef\xbb\xbf" + b"".join(b"line %d\r\n" % n for n in range(1, 1001)))
    window = read_window("a.py", str(tmp_path), 500)
    assert (window.first, window.line, window.problem) == (500 - AROUND, 500, "")
    assert window.lines[500 - window.first] == "line 500"
    assert len(window.lines) == 2 * AROUND + 1
    beyond = read_window(file.as_uri(), "/", 5000)
    assert (beyond.line, beyond.note) == (1000, "it ends before line 5,000")
    assert read_window(str(file), "/", 0).line == 0
    texts = ("not yet there\n", "line 77\nline 78\n")
    assert read_window(str(file), "/", 0, texts, 1).line == 78
    assert read_window(str(file), "/", 0, ("  \nline 9\nnot there",)).line == 9
    assert read_window(str(file), "/", 0, ("nothing",)).lines[0] == "line 1"
    # a line may be where the change is, or where the lines around it begin
    around = ("line 77\nline 78\nline 79", "line 77\nline 80")
    assert read_window(str(file), "/", 77, around, 1).line == 78
    assert read_window(str(file), "/", 79, around, 1).line == 79
    assert read_window(str(file), "/", 5000, around, 1).line == 1000


def test_whatever_is_wrong_with_a_file_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "empty").touch()
    (tmp_path / "odd").write_bytes(b"\xff\xfe x\n")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")

    def problem(path: str, line: int = 1) -> str:
        return read_window(path, str(tmp_path), line).problem

    assert problem("gone") == "There is no such file."
    assert problem("binary") == "It is a binary file of 6 bytes."
    assert problem("empty") == "It is empty."
    assert problem("pipe") == "It cannot be read: it is not an ordinary file."
    assert problem("/dev/null") == "It cannot be read: it is not an ordinary file."
    assert problem(".") == "It cannot be read: it is a directory."
    for path in ("loop", "nul\0l", "x" * 5000):
        assert problem(path).startswith("It cannot be read")
    odd = read_window("odd", str(tmp_path), 1)
    assert (odd.lines, odd.note) == (("\ufffd\ufffd x",), "it is not UTF-8")
    monkeypatch.setattr(file_window, "MOST", 100)
    (tmp_path / "large").write_text("words\n" * 100)
    assert problem("large", 90) == "Line 90 lies beyond the part that is read."
    assert problem("large", 3) == ""


def test_which_place_is_the_newest() -> None:
    clock = iter(range(1, 100))
    stage = Stage(lambda: float(next(clock)))
    stage.ready("/w")
    assert newest_place(stage.state, ROOT) is None
    assert newest_place(stage.state, "no session") is None

    def place() -> tuple[str, str, int, int]:
        found = newest_place(stage.state, ROOT)
        assert found is not None
        return found.session, found.path, found.line, found.skip

    stage.call("t1", "Read a", **located("a", 4))
    stage.call("t2", "Read b", **located("b"))
    stage.call_update("t1", status="completed")
    assert place() == (ROOT, "b", 0, 0)  # the end of a read takes nothing back
    change = (Diff("c", "same\nnew\n", "same\nold\n"),)
    stage.call("t3", "Edit c", content=change)
    stage.spawn("a1", "scout")
    stage.state.sessions["a1"].cwd = "/w/tree"
    stage.call("t4", "Read d", session="a1", **located("d", 0))
    assert place() == ("a1", "d", 0, 0)
    found = newest_place(stage.state, ROOT)
    assert found is not None
    assert found.cwd == "/w/tree"  # a child may work in a directory of its own
    stage.call_update("t3", status="completed")
    assert place() == (ROOT, "c", 0, 1)  # it was changed just now


def located(path: Path | str, line: int | None = None) -> dict[str, Any]:
    return {"locations": (Location(str(path), line),)}


@pytest.mark.parametrize("size", [SMALLEST_WIDE, NARROW])
async def test_the_file_goes_where_the_agents_go(tmp_path: Path, size: tuple[int, int]) -> None:
    code = tmp_path / "till.py"
    code.write_text("".join(f"price_{n} = {n}\n" for n in range(1, 200)))
    hostile = tmp_path / "bad\x1b[31m.txt"
    hostile.write_text("one \x1b[2J\u202etwo [b]three[/b]\n")
    async with playing(size, ready=False) as play:
        play.stage.ready(str(tmp_path))
        play.stage.say("I look.")
        await play.settle()
        assert not play.app.query(FollowFile)
        await play.write("half a mess")
        await play.press("f11")
        await play.shows("No tool call has named a file yet.")
        play.stage.call("t1", "Read till.py", **located("till.py", 120))
        await play.shows("▶ 120 price_120 = 120")
        await play.write("age")
        assert play.draft == "half a message"
        assert "Follows  till.py:120" in play.text
        play.app.query_one(FollowFile).focus()
        await play.press("pagedown", "pagedown", "pagedown", "down")
        assert "▶ 120" not in play.text
        await play.press("home")
        await play.shows("▶ 120 price_120 = 120")
        content = (Diff("till.py", "price_7 = 70\n", "price_7 = 7\n"),)
        play.stage.call("t2", "Edit till.py", content=content, **located("till.py"))
        await play.shows("▶   7 price_7 = 7 ")
        code.write_text(code.read_text().replace("price_7 = 7\n", "price_7 = 70\n"))
        play.stage.call_update("t2", status="completed")
        await play.shows("▶   7 price_7 = 70")
        lines = "price_100 = 100\nprice_101 = {}\nprice_102 = 102\n"
        content = (Diff("till.py", lines.format(101), lines.format("one")),)
        play.stage.call("t4", "Edit till.py", content=content, **located("till.py", 100))
        await play.shows("▶ 101 price_101 = 101")
        play.stage.spawn("a1", "scout")
        play.stage.call("t3", "Read", session="a1", **located(hostile, 9))
        await play.shows("one ␛[2J<U+202E>two [b]three[/b]")
        await play.shows("bad␛[31m.txt:1  scout  it ends before line 9")
        hostile.unlink()
        play.stage.call_update("t3", session="a1", status="completed")
        await play.shows("There is no such file.")
        await play.press("f11")
        await play.shows_no("[close]")
        assert play.screen.focused is play.app.main.composer.area
        await play.press("alt+f")
        await play.shows("There is no such file.")
        title = play.app.query_one(FollowTitle)
        at = next(line for line in play.lines if "[close]" in line).index("[close]")
        await play.pilot.click(FollowTitle, offset=(at - title.region.x + 1, 0))
        await play.shows_no("[close]")


async def test_it_is_beside_the_transcript_where_there_is_room(tmp_path: Path) -> None:
    (tmp_path / "till.py").write_text("price = 1\n")
    async with playing((180, 28), ready=False, glyphs=ASCII) as play:
        play.stage.ready(str(tmp_path))
        play.stage.call("t1", "Read till.py", **located("till.py", 1))
        await play.press("f11")
        await play.shows("> 1 price = 1")
        panel, transcript = play.app.query_one(FollowPanel), play.app.main.transcript
        await play.until(lambda: panel.region.x >= transcript.region.right, "side by side")
        await play.pilot.resize_terminal(120, 28)
        await play.until(lambda: panel.region.y >= transcript.region.bottom, "one below another")
