"""Writing a message: B14, B20, B72, B78, B91, B92 and B97, as a person meets them."""

from __future__ import annotations

import stat
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.geometry import Region
from textual.widgets import Static

from canopy_shared.content import ImageContent
from canopy_shared.pictures import LARGEST_PICTURE
from canopy_shared.updates import AvailableCommandsUpdate, Command
from canopy_tui.desk.clipboard import read_clipboard
from canopy_tui.desk.picture_files import PictureError, read_picture
from canopy_tui.model import events as e
from canopy_tui.model.intents import SendPrompt
from canopy_tui.view.composer.composer import Composer
from canopy_tui.view.composer.slash_offers import NO_COMMANDS
from canopy_tui.view.requests.request_screen import RequestScreen
from tui_app.playing import NARROW, Play, playing
from tui_app.stage import ROOT

if TYPE_CHECKING:
    from canopy_tui.model.shelf import Draft


async def paste(play: Play, text: str) -> None:
    play.app.post_message(events.Paste(text))
    await play.settle()


async def clear(play: Play) -> None:
    play.app.main.composer.area.load_text("")
    await play.settle()


# --- B72: a slash at any moment -------------------------------------------------------------------

LISTS: tuple[tuple[Command, ...] | None, ...] = (
    None,
    (),
    (Command("a", "", None),),
    (Command("b", "long " * 5000, {"hint": None}),),
    (
        Command("[b]c", "[/] [@click=app.quit]x", {"hint": "[red]"}),
        Command("größe-日本", "\x1b[2J"),
    ),
    (Command("", "no name"),),
)


async def test_b72_a_slash_with_any_list_of_commands() -> None:
    async with playing(NARROW, ready=False) as play:
        await play.write("/")  # before there is any agent
        await play.shows(NO_COMMANDS[:15])
        play.stage.ready()
        for commands in LISTS:
            await clear(play)
            if commands is not None:
                play.stage.update(AvailableCommandsUpdate(commands))
            await play.write("/")
            assert play.app.is_running
            if not commands:
                await play.shows(NO_COMMANDS[:15])
            for command in commands or ():
                await play.shows(f"/{command.name}")
            assert "\x1b" not in play.text
            await play.write("zzz")
            assert play.draft == "/zzz"
        await play.press("enter")
        await play.shows("/zzz")
        assert play.stage.acted == []  # it says first that there is no such command
        await play.press("enter")
        assert play.stage.acted == [SendPrompt(ROOT, "/zzz")]


# --- B78: Ctrl+C and Esc --------------------------------------------------------------------------

DRAFT = "\n".join(f"line {number}" for number in range(30))


@pytest.mark.parametrize("keys", [("ctrl+c",), ("escape",), ("escape", "escape")])
async def test_b78_no_key_loses_a_draft(keys: tuple[str, ...]) -> None:
    kept: list[Draft] = []
    async with playing(on_draft=lambda _session, draft: kept.append(draft)) as play:
        area = play.app.main.composer.area
        for state in ("idle", "turn", "help", "selection", "list", "question"):
            area.begin_with(DRAFT)
            if state == "turn":
                play.stage.apply(e.PromptSent(session=ROOT, text="go", at=1.0))
            elif state == "help":
                await play.press("f1")
            elif state == "selection":
                await play.press("shift+left", "shift+left")
            elif state == "list":
                await play.write("\n/")
            elif state == "question":
                play.stage.ask_permission()
                await play.press("f4")
                await play.until(lambda: isinstance(play.screen, RequestScreen), "the question")
                play.clock.pass_by(60)
            await play.settle()
            await play.press(*keys)
            assert play.app.return_code is None, state
            if not play.draft:
                await play.press("up")
            assert play.draft.startswith(DRAFT), state
            await play.press("escape")
            await clear(play)
        [waiting] = play.stage.state.waiting()
        play.stage.withdraw(waiting.key)
        await play.settle()
        area.begin_with(DRAFT)
        await play.press("ctrl+c", "ctrl+c", "ctrl+c")  # put away, then twice to quit
        assert play.app.return_code == 0
        assert not kept[-1].text
        assert play.app.drafts.history.messages[-1] == DRAFT


# --- B91: a new line in every terminal ------------------------------------------------------------

NEW_LINES = ("\n", "\x1b\r", "\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;3u", "\\\r")


async def test_b91_bytes_of_a_new_line_and_of_enter() -> None:
    async with playing() as play:
        for sequence in NEW_LINES:
            await play.write("a")
            for event in XTermParser().feed(sequence):
                play.app.post_message(event)
            await play.settle()
            await play.write("b")
            assert play.draft == "a\nb", sequence
            await clear(play)
        assert play.stage.acted == []
        await play.write("a")
        for event in XTermParser().feed("\r"):
            play.app.post_message(event)
        await play.settle()
        assert play.stage.acted == [SendPrompt(ROOT, "a")]
        await play.press("f1")
        page = str(play.screen.query_one("#help-text", Static).render())
        assert "Ctrl+J / Alt+Enter / Shift+Enter" in page


# --- B92: what a person sees as one character -----------------------------------------------------

VISIBLE = {
    "e\u0301": 1,
    "⚠️": 2,
    "👩‍💻": 2,
    "🇯🇵": 2,
    "한": 2,
    "\u1112\u1161\u11ab": 2,
    "ｗ": 2,
    "ع": 1,
}


async def test_b92_one_visible_character_is_one_step() -> None:
    async with playing() as play:
        area = play.app.main.composer.area
        for character in VISIBLE:
            area.begin_with(f"a{character}b")
            await play.press("left", "left")
            assert area.cursor_location == (0, 1), character
            await play.press("right")
            assert area.cursor_location == (0, 1 + len(character)), character
            await play.press("backspace")
            assert play.draft == "ab", character
            area.begin_with(f"a{character}b")
            area.move_cursor((0, 1))
            await play.press("delete")
            assert play.draft == "ab", character
            await clear(play)
            for event in XTermParser().feed(character):  # as an input method commits it
                play.app.post_message(event)
            await play.settle()
            assert play.draft == character
        area.begin_with("日本")
        await play.settle()
        # The terminal's own cursor stands at the caret, where input methods open their window.
        assert play.app.cursor_position == area.cursor_screen_offset
        assert area.cursor_screen_offset.x - area.content_region.x == 4
        await clear(play)
        area.begin_with("\n".join(f"{one} |" for one in VISIBLE))
        await play.settle()
        frame = play.app.main.query_one(Composer)
        assert right_edges(play, frame.region) == {"╮", "│", "╯"}


async def test_b92_frames_stay_straight_around_every_character() -> None:
    """In a table, a tree, a diff, a title and a border: one column, counted in cells."""
    some = [*VISIBLE, "👩\u200d👩\u200d👧", "\t", "日本語" * 30]
    async with playing((100, 40)) as play:
        rows = "".join(f"| {one} | x |\n" for one in some)
        play.stage.say(f"| a | b |\n|---|---|\n{rows}")
        for number, one in enumerate(some):
            play.stage.spawn(f"k{number}", f"{one} child {one}")
            play.stage.call(f"c{number}", f"{one} call {one}", kind="read")
        await play.settle()
        assert {one.cell_length for one in play.screen._compositor.render_strips()} == {100}
        given = {"file_path": "/w/日本.py", "old_string": "\n".join(some), "new_string": "⚠️\n한"}
        play.stage.ask_permission(title=" ".join(some[:-1]), kind="edit", rawInput=given)
        await play.press("f4")
        await play.until(lambda: isinstance(play.screen, RequestScreen), "the request")
        await play.shows("日本.py")
        await play.settle()
        frame = play.screen.query_one("#request-frame")
        assert {"│"} < right_edges(play, frame.region) <= {"╮", "│", "╯"}


def right_edges(play: Play, region: Region) -> set[str]:
    """What stands in the last column of a region, by cells."""
    strips = play.screen._compositor.render_strips()[region.y : region.bottom]
    return {strip.crop(region.right - 1, region.right).text for strip in strips}


# --- B14, B97: pictures ---------------------------------------------------------------------------


def png(width: int = 3, height: int = 2, padding: int = 0) -> bytes:
    """The beginning of a picture, which is all that is ever read of one."""
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", width, height)
    return head + b"\0" * padding


BAD = {
    "large.png": (png(padding=LARGEST_PICTURE), "5 MiB"),
    "wide.png": (png(9000, 9000), "8000"),
    "empty.png": (b"", "empty"),
    "text.png": (b"only words", "no picture"),
    "broken.png": (png()[:18], "damaged"),
}


async def test_b14_a_bad_picture_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    for name, (content, why) in BAD.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(PictureError, match=why) as refused:
            read_picture(tmp_path / name)
        assert name in str(refused.value)
    async with playing(NARROW) as play:
        await play.write("look: ")
        for name, (_, why) in BAD.items():
            await paste(play, str(tmp_path / name))
            await play.shows(why)
        assert play.draft == "look: "
        await play.press("enter")
        assert play.stage.acted == [SendPrompt(ROOT, "look: ")]


async def test_b97_a_dropped_file_is_attached(tmp_path: Path) -> None:
    picture = tmp_path / "my shot (1).png"
    picture.write_bytes(png())
    (tmp_path / "notes.txt").write_text("")
    escaped = str(picture).replace(" ", "\\ ").replace("(", "\\(").replace(")", "\\)")
    spellings = (str(picture.as_uri()), f"'{picture}'", f'"{picture}" ', escaped)
    async with playing(NARROW, directory=str(tmp_path)) as play:
        for number, spelling in enumerate(spellings, 1):
            await paste(play, spelling)
            await play.until(lambda: play.draft, "the picture")
            assert play.draft == f"[Image {number}] ", spelling
            await play.shows("my shot (1).png")
            await play.press("backspace", "backspace")
            assert play.draft == ""
        await paste(play, f"'{picture}' {tmp_path}/notes.txt")
        await play.until(lambda: "notes" in play.draft, "both files")
        assert play.draft == "[Image 5] @notes.txt "
        await play.press("enter")
        sent = play.stage.acted[-1]
        assert isinstance(sent, SendPrompt)
        [image] = sent.blocks
        assert isinstance(image, ImageContent)
        assert (sent.text, image.mime_type) == ("[Image 5] @notes.txt ", "image/png")
        await paste(play, f"{tmp_path}/none.png")
        await play.until(lambda: play.draft, "the text")
        assert play.draft == f"{tmp_path}/none.png"  # not there: it is only text
        await clear(play)
        none: dict[str, Any] = {"promptCapabilities": {"image": False}}
        play.stage.apply(e.LinkChanged(status="ready", at=1.0, capabilities=none))
        await play.settle()
        await paste(play, f"'{picture}'")
        await play.shows("takes no pictures")
        assert play.draft == '@"my shot (1).png" '


def _program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!{sys.executable} -I\nimport sys\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


CLIPBOARD = """
picture, text = {picture!r}, {text!r}
wanted = sys.argv[-1]
if wanted in ("TARGETS", "--list-types"):
    print("image/png" if picture else "STRING")
elif wanted.startswith("image/"):
    sys.stdout.buffer.write(picture)
else:
    sys.stdout.write(text)
"""


async def test_b97_the_picture_on_the_clipboard_is_pasted(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    environment = {"PATH": str(tools), "DISPLAY": ":0"}
    files: list[str] = []

    def keep(content: bytes, ending: str) -> str:
        files.append(ending)
        return f"/kept.{ending}"

    async with playing(NARROW, environment=environment, keep_picture=keep) as play:
        _program(tools, "xclip", CLIPBOARD.format(picture=png(), text="and a text"))
        await play.press("ctrl+v")
        await play.until(lambda: play.draft, "the picture")
        assert play.draft == "[Image 1] "
        assert files == ["png"]
        await play.press("enter")
        sent = play.stage.acted[-1]
        assert isinstance(sent, SendPrompt)
        assert [type(block) for block in sent.blocks] == [ImageContent]
        _program(tools, "xclip", CLIPBOARD.format(picture=b"", text="only\ttext\x07"))
        await play.press("ctrl+v")
        await play.until(lambda: play.draft, "the text")
        assert play.draft == "only\ttext"
        await clear(play)
        _program(tools, "xclip", CLIPBOARD.format(picture=b"", text=""))
        await play.press("ctrl+v")
        await play.shows("neither a picture nor text")
        (tools / "xclip").unlink()
        await play.press("ctrl+v")
        await play.shows("install xclip")
        play.app.copy_to_clipboard("copied in here")
        await play.press("ctrl+v")
        await play.until(lambda: play.draft == "copied in here", "what was copied in here")


async def test_b97_where_there_is_no_clipboard_it_says_what_to_do(tmp_path: Path) -> None:
    ssh = await read_clipboard({"PATH": str(tmp_path), "SSH_CONNECTION": "1 2 3 4"})
    assert "Over SSH" in ssh.why
    wayland = {"PATH": str(tmp_path), "WAYLAND_DISPLAY": "wayland-0"}
    assert "wl-clipboard" in (await read_clipboard(wayland)).why
    _program(tmp_path, "wl-paste", CLIPBOARD.format(picture=png(), text=""))
    assert (await read_clipboard(wayland)).picture == png()
    _program(tmp_path, "wl-paste", "sys.exit(1)")
    assert not (await read_clipboard(wayland)).text
    assert "Drop the picture's file" in (await read_clipboard({"PATH": str(tmp_path / "x")})).why


# --- pastes that would act as keys ----------------------------------------------------------------

PASTES = {
    "codes": ("\x1b[200~a\x1b[2Jb\x1b[A\x1b\rc\x9b2J\x1b[201~", "a[2Jb[A\nc2J"),
    "an end of its own": ("\x1b[200~rm\x1b[201~\r -rf\x1b[201~", "rm[201~\n -rf"),
    "a beginning of its own": ("\x1b[200~a\x1b[200~b\x1b[201~", "ab"),
    "plain": ("\x1b[200~one\rtwo\x1b[201~", "one\ntwo"),
}


@pytest.mark.parametrize("what", PASTES)
async def test_what_is_pasted_never_acts_as_keys(what: str) -> None:
    sent, expected = PASTES[what]
    async with playing() as play:
        for pieces in ((sent,), tuple(sent)):
            if what == "an end of its own" and len(pieces) > 1:
                continue  # piece by piece nobody can tell
            parser = XTermParser()
            await play.write("<")
            for piece in pieces:
                for event in parser.feed(piece):
                    play.app.post_message(event)
            await play.settle()
            await play.write(">")
            assert play.stage.acted == []
            assert play.draft.replace("[200~", "") == f"<{expected}>"
            await clear(play)
