"""The file at which an agent works: found, read without harm, and shown where it goes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from canopy_shared.content import Diff, Location
from canopy_tui import file_window
from canopy_tui.file_window import AROUND, read_window
from canopy_tui.model.followed import newest_place
from canopy_tui.view.follow_panel import FollowFile, FollowTitle
from tui_app.playing import NARROW, SMALLEST_WIDE, playing
from tui_app.stage import ROOT


def test_lines_around_a_place(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"".join(b"line %d\r\n" % number for number in range(1, 1001)))
    window = read_window("a.py", str(tmp_path), 500)
    assert (window.first, window.line, window.problem) == (500 - AROUND, 500, "")
    assert window.lines[500 - window.first] == "line 500"
    assert len(window.lines) == 2 * AROUND + 1
    assert read_window(file.as_uri(), "/", 5000).line == 1000
    assert read_window(str(file), "/", 0).line == 0
    found = read_window(str(file), "/", 0, "\nline 77\nline 78\n")
    assert found.line == 77
    assert read_window(str(file), "/", 0, "  \nline 9\nnot there").line == 9
    assert read_window(str(file), "/", 0, "nothing").lines[0] == "line 1"


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

    assert problem("gone") == "There is no such file (any more)."
    assert problem("binary") == "It is a binary file of 6 bytes."
    assert problem("empty") == "It is empty."
    assert problem("pipe") == "It is no ordinary file."
    assert problem("/dev/null") == "It is no ordinary file."
    for path in (".", "loop", "nul\0l", "x" * 5000):
        assert problem(path).startswith("It ")
    assert read_window("odd", str(tmp_path), 1).lines == ("\ufffd\ufffd x",)
    monkeypatch.setattr(file_window, "MOST", 100)
    (tmp_path / "large").write_text("words\n" * 100)
    assert problem("large", 90) == "Line 90 lies beyond the part that is read."
    assert problem("large", 3) == ""


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
        await play.press("f11")
        await play.shows("No tool call has named a file yet.")
        play.stage.call("t1", "Read till.py", **located("till.py", 120))
        await play.shows("▶ 120 price_120 = 120")
        assert "till.py:120" in play.text
        content = (Diff("till.py", "price_7 = 70\n", "price_7 = 7\n"),)
        code.write_text(code.read_text().replace("price_7 = 7\n", "price_7 = 70\n"))
        play.stage.call("t2", "Edit till.py", content=content, **located("till.py"))
        await play.shows("▶   7 price_7 = 70")
        play.stage.spawn("a1", "scout")
        play.stage.call("t3", "Read", session="a1", **located(hostile, 1))
        await play.shows("one ␛[2J<U+202E>two [b]three[/b]")
        await play.shows("bad␛[31m.txt:1  scout")
        place = newest_place(play.stage.state, ROOT)
        assert place is not None
        assert place.session == "a1"
        hostile.unlink()
        play.stage.call_update("t3", session="a1", status="completed")
        await play.shows("There is no such file (any more).")
        title = play.app.query_one(FollowTitle)
        at = next(line for line in play.lines if "[close]" in line).index("[close]")
        await play.pilot.click(FollowTitle, offset=(at - title.region.x + 1, 0))
        await play.shows_no("[close]")
        await play.press("alt+f")
        await play.shows("There is no such file (any more).")
