"""Copying, opening and exporting a transcript, and a tool call on a screen of its own."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from textual.geometry import Offset
from textual.selection import Selection

from canopy_shared.content import Diff, ImageContent, Location, TextContent, ToolContent
from canopy_tui.desk.desktop import CLIPBOARD, TMUX, TMUX_ONLY, Desktop, write_new
from canopy_tui.model.export import as_json, as_markdown
from canopy_tui.model.intents import SendPrompt
from canopy_tui.model.leads import Lead, lead_to, leads_of
from canopy_tui.model.source import source_of
from canopy_tui.view.screens.detail_screen import DetailScreen
from canopy_tui.view.screens.leads_screen import LeadsScreen
from canopy_tui.view.transcript.place import Place
from canopy_tui.view.transcript.selection import line_of, selected_text
from tui_app.playing import Play, playing
from tui_app.stage import ROOT, Stage
from tui_transcript.drawing import layout_of
from tui_transcript.samples import message, tool, world

if TYPE_CHECKING:
    import pytest

    from canopy_tui.view.transcript.transcript import TranscriptView

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n0000").decode()


class Desk:
    """A desktop that only remembers. ``takes`` says whether its clipboard works."""

    def __init__(self, folder: Path, *, takes: bool = True) -> None:
        self.folder = folder
        self.takes = takes
        self.copied: list[str] = []
        self.opened: list[str] = []

    async def copy(self, text: str) -> str:
        """Take the text, or not."""
        self.copied += [text] if self.takes else []
        return "clipboard" if self.takes else ""

    async def open(self, target: str) -> str:
        """Remember the target."""
        self.opened.append(target)
        return ""

    def keep(self, content: bytes, ending: str) -> Path:
        """A file."""
        path = self.folder / f"kept-{len(content)}{ending}"
        path.write_bytes(content)
        return path


def play_scene(stage: Stage, cwd: Path) -> None:
    """A prompt, an edit with two files, a picture, and a child."""
    stage.ready(cwd=str(cwd))
    stage.act(SendPrompt(ROOT, "first prompt"))
    stage.say("An answer with\ta tab and **bold**, see https://example.org/a_(b)).\n")
    stage.call(
        "e1", "Edit a.py", kind="edit", status="in_progress", raw_input={"file_path": "a.py"}
    )
    diff = Diff(str(cwd / "a.py"), "x = 1\ny = 22\nz = 3\n", "x = 1\ny = 2\nz = 3\n")
    stage.call_update("e1", status="completed", content=(diff,), locations=(Location("a.py", 2),))
    stage.call("p1", "Look at it", kind="read", status="in_progress")
    picture = ToolContent(ImageContent(PIXEL, "image/png"))
    stage.call_update("p1", status="completed", content=(picture,))
    stage.spawn("kid", "scout", task="go and look")
    stage.say("Child says ``` open fence", session="kid", message="k")
    stage.end_turn()
    stage.act(SendPrompt(ROOT, "second prompt"))


async def test_copying_goes_to_the_desktop_else_to_the_terminal_else_to_a_file(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    async with playing(ready=False, desktop=desk) as play:
        play_scene(play.stage, tmp_path)
        await play.settle()
        play.app.main.transcript.focus()
        await play.press("home", "j", "j", "y")
        await play.until(lambda: desk.copied, "a copy")
        source = "An answer with\ta tab and **bold**, see https://example.org/a_(b)).\n"
        assert desk.copied == [source]
        await play.press("Y")
        await play.until(lambda: len(desk.copied) == 2, "a copy of everything")
        assert desk.copied[1].startswith(f"first prompt\n\n{source}\n\n")
        assert desk.copied[1].endswith("second prompt")

        play.app.copy("")  # would empty the clipboard
        await play.until(lambda: "nothing to copy" in play.text, "the reason")
        assert len(desk.copied) == 2

        desk.takes = False
        play.app.copy("by the terminal")
        await play.shows("Copied by the terminal, if it allows that.")
        assert play.app.clipboard == "by the terminal"
        play.app.copy("é" * 80_000)
        kept = tmp_path / "kept-160000.txt"
        told = play.app._notifications
        await play.until(lambda: any(str(kept) in note.message for note in told), "the path")
        assert await asyncio.to_thread(kept.read_text, encoding="utf-8") == "é" * 80_000


async def test_a_call_opens_on_a_screen_of_its_own_and_its_leads_open_after_a_question(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path)
    async with playing((120, 40), ready=False, desktop=desk) as play:
        play_scene(play.stage, tmp_path)
        (tmp_path / "a.py").write_text("x\n", encoding="utf-8")
        await play.settle()
        transcript = play.app.main.transcript
        transcript.focus()
        await play.press("home", "j", "j", "j", "enter")
        await play.until(lambda: isinstance(play.screen, DetailScreen), "the detail")
        await play.shows("y = 22")
        beside = [line for line in play.lines if "y = 2 " in line and "y = 22" in line]
        assert len(beside) == 1
        await play.press("d")
        await play.until(
            lambda: not [ln for ln in play.lines if "y = 2 " in ln and "y = 22" in ln], "unified"
        )
        play.stage.call_update("e1", title="Edit a.py, longer")
        await play.shows("Edit a.py, longer")
        await play.press("escape")
        assert play.app.shows_main

        await play.press("o")
        await play.shows("The program that the desktop has for it opens it.")
        await play.press("enter")
        assert desk.opened == []
        await play.press("y")
        await play.until(lambda: desk.opened, "the file")
        assert desk.opened == [str(tmp_path / "a.py")]
        await play.press("j", "o")
        await play.shows("[image PNG")
        await play.press("y")
        await play.until(lambda: len(desk.opened) == 2, "the picture")
        assert desk.opened[1].endswith(".png")

        await play.press("home", "j", "j", "o")
        await play.shows("https://example.org/a_(b)")
        await play.press("n")
        assert len(desk.opened) == 2


def test_what_an_entry_leads_to_is_listed_once() -> None:
    text = "See https://a.example/x, and (https://b.example/y). Again https://a.example/x"
    assert [lead.target for lead in leads_of(message(text), "/w")] == [
        "https://a.example/x",
        "https://b.example/y",
    ]
    call = tool(
        "Edit", locations=(Location("src/a.py", 3),), content=(Diff("/w/src/a.py", new_text=""),)
    )
    assert [(lead.target, lead.line) for lead in leads_of(call, "/w")] == [("/w/src/a.py", 3)]


def test_a_path_that_an_answer_mentions_leads_to_the_file_that_is_there() -> None:
    text = (
        "See `src/a.py:12`, **README.md**, [the rule](src/b%20c.py#L7-L9), /etc/hosts. Then"
        " `Makefile`, i.e. not Makefile2 or no/such.py, nor"
        " https://a.example/src/a.py again: src/a.py"
    )
    files = {"/w/src/a.py", "/w/README.md", "/etc/hosts", "/w/Makefile", "/w/Makefile2"}
    asked: list[str] = []

    def is_file(path: str) -> bool:
        asked.append(path)
        return path in files

    found = leads_of(message(text), "/w", is_file)
    assert [(lead.label, lead.target, lead.line) for lead in found] == [
        ("https://a.example/src/a.py", "https://a.example/src/a.py", 0),
        ("src/a.py:12", "/w/src/a.py", 12),
        ("README.md", "/w/README.md", 0),
        ("/etc/hosts", "/etc/hosts", 0),
        ("Makefile", "/w/Makefile", 0),
    ]
    assert leads_of(message("a/b " * 10 + "".join(f"x/{n} " for n in range(9999))), "/w") == []
    leads_of(message("".join(f"x/{n} " for n in range(9999))), "/w", is_file)
    assert len(asked) < 400
    assert lead_to("src/b%20c.py#L7-L9", "/w") == Lead("src/b c.py:7", "/w/src/b c.py", 7)
    assert lead_to("https://e.org/#L7", "/w").target == "https://e.org/#L7"
    assert lead_to("file:///w/a.py", "/w").target == "file:///w/a.py"


async def click_on(play: Play, words: str) -> None:
    """Click on the first letter of ``words``."""
    await play.shows(words)
    await play.settle()
    (x, y) = next((line.index(words), y) for y, line in enumerate(play.lines) if words in line)
    await play.pilot.click(offset=(x, y))


async def test_a_link_to_a_file_is_followed_by_a_click(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (tmp_path / "a.py").write_text("x\n", encoding="utf-8")
    async with playing((120, 40), ready=False, desktop=desk) as play:
        play.stage.ready(str(tmp_path))
        play.stage.say(f"[first](a.py#L1), [other](b.py) and [third](file://{tmp_path}/a.py)")
        await play.settle()
        assert "[third]" not in play.text
        await click_on(play, "first (")
        await play.shows("Open a file")
        await play.press("y")
        await play.until(lambda: desk.opened, "the file")
        assert desk.opened == [str(tmp_path / "a.py")]
        await click_on(play, "other (")
        await play.shows("There is no file")
        await click_on(play, "third")
        await play.shows("Open")
        await play.press("y")
        await play.until(lambda: len(desk.opened) == 2, "the address")
        assert desk.opened[1] == f"file://{tmp_path}/a.py"


def under_cursor(transcript: TranscriptView) -> str:
    """The text of the entry with the cursor."""
    assert transcript.viewport is not None
    assert transcript.state is not None
    return source_of(transcript.viewport.layout.entry(transcript.marked() or 0), transcript.state)


async def test_prompts_folding_times_and_a_choice_of_leads() -> None:
    async with playing((100, 28)) as play:
        for turn in range(6):
            play.stage.act(SendPrompt(ROOT, f"prompt {turn}"))
            play.stage.say("\n\n".join(f"line {n} of {turn}" for n in range(4)), message=f"m{turn}")
            play.stage.call(f"c{turn}", "Fetch", kind="fetch", status="in_progress")
            body = f"https://one.example/{turn}\nhttps://two.example/{turn}\nsecret {turn}"
            part = ToolContent(TextContent(body))
            play.stage.call_update(f"c{turn}", status="completed", content=(part,))
            play.stage.end_turn()
        await play.settle()
        transcript = play.app.main.transcript
        transcript.focus()
        await play.press("left_square_bracket")
        assert under_cursor(transcript) == "prompt 5"
        await play.press("left_square_bracket", "left_square_bracket")
        assert under_cursor(transcript) == "prompt 3"
        assert "secret" not in play.text
        await play.press("right_square_bracket")
        assert under_cursor(transcript) == "prompt 4"
        await play.press("left_square_bracket")
        await play.press("Z")
        await play.shows("secret 3")
        await play.press("z")
        await play.shows_no("secret 3")
        await play.press("T")
        await play.until(lambda: any(line.rstrip()[-3:-2] == ":" for line in play.lines), "times")
        now = time.time()
        day = time.strftime("%Y-%m-%d ", time.localtime(now))
        assert day not in play.text
        transcript._now = lambda: now + 2 * 86_400.0
        transcript.paint()
        await play.shows(day)
        await play.press("end", "k", "k", "o")
        await play.until(lambda: isinstance(play.screen, LeadsScreen), "the choice")
        await play.press("2")
        await play.shows("https://two.example/5")
        await play.press("n")


async def test_exports_hold_children_and_are_never_written_over_a_file(tmp_path: Path) -> None:
    async with playing(ready=False, write_new=write_new) as play:
        play_scene(play.stage, tmp_path)
        await play.settle()
        text = as_markdown(play.stage.state, ROOT)
        assert "> first prompt" in text
        assert "<summary><b>scout</b> (running)</summary>" in text
        assert "**Task**" in text
        assert text.count("<details>") == text.count("</details>") == 3
        told = as_json(play.stage.state, ROOT)
        assert told["session"]["children"][0]["entries"][0]["text"] == "go and look"
        json.dumps(told)
        for kind in ("markdown", "json", "html", "svg", "markdown"):
            play.app.action_export(kind)
            await play.app.workers.wait_for_complete()
        files = await asyncio.to_thread(lambda: {path.name: path for path in tmp_path.iterdir()})
        endings = sorted(name.rpartition(".")[2] for name in files)
        assert endings == ["html", "json", "md", "md", "svg"]
        page = next(path for path in files.values() if path.suffix == ".html")
        text = await asyncio.to_thread(page.read_text, encoding="utf-8")
        assert "scout" in text
        assert ">22<" in text


async def program(folder: Path, name: str, lines: str) -> None:
    """A program of that name."""
    path = folder / name
    await asyncio.to_thread(path.write_text, f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    path.chmod(0o700)


async def test_the_clipboard_program_gets_exactly_the_text(tmp_path: Path) -> None:
    got = tmp_path / "got"
    await program(tmp_path, "wl-copy", f"cat >{got}")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "WAYLAND_DISPLAY": "w"}
    text = "tab\there \x1b[31m ünï\r\n日本"
    assert await Desktop(environment).copy(text) == CLIPBOARD
    assert await asyncio.to_thread(got.read_bytes) == text.encode()
    assert not await Desktop({**environment, "SSH_CONNECTION": "far"}).copy(text)
    assert not await Desktop({"PATH": str(tmp_path / "none")}).copy(text)
    far = await Desktop({"SSH_CONNECTION": "far"}).open("https://a.example")
    assert far.endswith("Open it there: https://a.example")


async def test_in_tmux_the_text_goes_through_tmux_and_what_is_said_is_true(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Sequences of programs reach no clipboard there, and a program that hangs holds nothing up.
    got, path = tmp_path / "got", f"{tmp_path}:{os.environ['PATH']}"
    monkeypatch.setattr("canopy_tui.desk.desktop._PATIENCE", 0.2)
    await program(tmp_path, "xclip", "exec sleep 60")
    far = {"PATH": path, "TMUX": "/tmp/tmux,1,0", "SSH_CONNECTION": "far", "DISPLAY": ":0"}
    here = {name: value for name, value in far.items() if name != "SSH_CONNECTION"}
    monkeypatch.setattr("canopy_tui.desk.desktop._COPIERS", (("DISPLAY", "xclip", ()),))
    assert not await Desktop({"PATH": path, "DISPLAY": ":0"}).copy("x")
    monkeypatch.setattr("canopy_tui.desk.desktop._PATIENCE", 30.0)
    for said, place in (
        ("external\nbpaste,clipboard,title", TMUX),
        ("external\nbpaste,title", TMUX_ONLY),
        ("off\nclipboard", TMUX_ONLY),
    ):
        script = f"echo \"$*\" >{got}.words; cat >{got}; cat <<'END'\n{said}\nEND"
        await program(tmp_path, "tmux", script)
        assert await Desktop(far).copy("日本\n") == place
        assert await asyncio.to_thread(got.read_bytes) == "日本\n".encode()
        words = await asyncio.to_thread(Path(f"{got}.words").read_text)
        assert words.startswith("load-buffer -w - ; ")
    await program(tmp_path, "xclip", "exit 1")
    assert await Desktop(here).copy("x") == TMUX_ONLY
    await program(tmp_path, "tmux", "exit 1")  # one that knows no -w
    assert not await Desktop(far).copy("x")


def test_a_selection_has_tabs_and_spaces_as_in_the_source() -> None:
    code = "a:\n\techo one two   \n\t\tnested\ttab"
    layout = layout_of(world(message(f"```\n{code}\n```\n\nplain words " + "wrap " * 40)), 40)
    rows = [
        (Place(0, block, number), row)
        for block in range(layout.block_count(0))
        for number, row in enumerate(layout.rows(0, block))
    ]
    at = {row.text.strip(): (place, row) for place, row in rows}
    first, last = at["a:"][0], at["nested  tab"]
    whole = Selection(Offset(0, line_of(first)), Offset(len(last[1].text), line_of(last[0])))
    assert selected_text(layout, whole) == code
    echo, row = at["echo one two"]
    start = row.text.index("one")
    part = Selection(Offset(start, line_of(echo)), Offset(start + 3, line_of(echo)))
    assert selected_text(layout, part) == "one"
    end = Selection(Offset(row.text.index("echo"), line_of(echo)), Offset(0, line_of(echo) + 1))
    assert selected_text(layout, end).startswith("echo one two   \n")
