"""Files that are none, have no end or cannot be written: never a hang, told once, nothing lost."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from canopy_agent.history.registry import is_open_in_a_cli
from canopy_agent.history.tail import last_options
from canopy_agent.session.opener import read_changed
from canopy_agent.session.skills import skill_files
from canopy_shared.ordinary import open_ordinary, read_end, read_ordinary
from canopy_tui.app_run import logging_to
from canopy_tui.desk.external_editor import EditorError, edited
from canopy_tui.desk.file_listing import list_files
from canopy_tui.desk.picture_files import PictureError, read_picture
from canopy_tui.kept import storage
from canopy_tui.kept.background_note import noted
from canopy_tui.kept.open_sessions import OpenSessions
from canopy_tui.kept.recent_sessions import RecentSessions
from canopy_tui.kept.storage import Drafts, Pictures, PromptHistory
from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.kept.unkept import Unkept
from canopy_tui.model.shelf import Draft, Shelf, is_too_long
from canopy_tui.settings.config_file import read_settings
from canopy_tui.settings.config_writing import keep_setting

BOUND = 60.0
HERE = Path("/project")


T = TypeVar("T")


def ends(work: Callable[[], T]) -> T:
    """What ``work`` gives; it fails where ``work`` waits for somebody."""
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(BOUND)
    assert not thread.is_alive(), "it waits for what never comes"
    if failed:
        raise failed[0]
    return found[0]


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


ODD: dict[str, Callable[[Path], None]] = {
    "a named pipe": _pipe,
    "a device without an end": _device,
    "a folder": Path.mkdir,
    "a link to itself": _loop,
}


def _raises(work: Callable[[], object], *errors: type[Exception]) -> bool:
    with pytest.raises(errors):
        work()
    return True


def _edited(path: Path) -> bool:
    return _raises(lambda: read_changed(str(path)), OSError)


READERS: dict[str, tuple[str, Callable[[Path], bool]]] = {
    "to read": ("file", lambda path: _raises(lambda: read_ordinary(path, 10), OSError)),
    "its end": ("file", lambda path: _raises(lambda: read_end(path, 10), OSError)),
    "a picture": ("a.png", lambda path: _raises(lambda: read_picture(path), PictureError)),
    "a file that a tool changes": ("file", _edited),
    "the trusted": ("trusted.json", lambda path: not TrustedDirectories(path.parent).holds("/x")),
    "the prompts": ("history.jsonl", lambda path: PromptHistory(path.parent).everywhere() == []),
    "recent sessions": (
        "recent.json",
        lambda path: RecentSessions(path.parent, ())._rows() == [],
    ),
    "a draft": ("draft", lambda path: _draft_at(path) == Draft()),
    "the settings": ("config.toml", lambda path: len(read_settings(path.parent).faults) == 1),
    "a setting to keep": (
        "config.toml",
        lambda path: "until you quit" in keep_setting(path.parent, "theme", "auto"),
    ),
    "the background": ("background", lambda path: noted(path.parent) == ""),
    "what git ignores": (".gitignore", lambda path: "a.py" in _listed(path.parent)),
    "a transcript": ("s.jsonl", lambda path: last_options(path).model is None),
    "a skill": ("SKILL.md", lambda path: skill_files([path.parent.parent]) == {}),
    "an open CLI": (
        f"sessions/{os.getpid()}.json",
        lambda path: not is_open_in_a_cli(str(path.parent.parent), "S1"),
    ),
}


def _draft_at(path: Path) -> Draft:
    drafts = Drafts(path.parent)
    place = drafts._file("S1")
    place.parent.mkdir()
    path.rename(place)
    return drafts.get("S1")


def _listed(folder: Path) -> list[str]:
    (folder / "a.py").write_text("")
    return list(list_files(folder, threading.Event()))


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_ordinary_file_is_as_good_as_none(
    tmp_path: Path, reader: str, what: str
) -> None:
    name, reads = READERS[reader]
    path = tmp_path / "place" / name
    path.parent.mkdir(parents=True)
    ODD[what](path)
    assert ends(lambda: reads(path))


def test_an_ordinary_file_is_read_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"0123456789")
    assert read_ordinary(file, 10) == b"0123456789"
    assert read_end(file, 3) == b"789"
    with pytest.raises(OSError, match="more than 9 bytes") as caught:
        read_ordinary(file, 9)
    assert caught.value.errno == errno.EFBIG
    with open_ordinary(file) as opened:
        assert opened.read() == b"0123456789"


def test_the_log_waits_for_no_reader(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "canopy.log")

    def run() -> bool:
        with logging_to(tmp_path):
            return True

    assert ends(run)


# --- what cannot be written -----------------------------------------------------------------------


def test_that_nothing_can_be_kept_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder, unkept, told = tmp_path / "file", Unkept(), list[str]()
    TrustedDirectories(folder, unkept).give(str(tmp_path), keep=True)  # before anybody listens
    unkept.listen(told.append)
    OpenSessions(folder, unkept).take("S1", "/project")
    Drafts(folder, unkept).keep("/project", "S1", Draft("text"))
    PromptHistory(folder, unkept).add(HERE, "text")
    assert Pictures(folder, unkept).keep(b"picture", "png") == ""
    [sentence] = told
    assert "the trusted directories" in sentence
    assert str(folder) in sentence
    assert "only until you quit" in sentence


def test_a_note_that_cannot_be_written_into_is_told_with_its_place(tmp_path: Path) -> None:
    unkept, told = Unkept(), list[str]()
    unkept.listen(told.append)
    opened = OpenSessions(tmp_path, unkept)
    place = opened._path("S1")
    place.parent.mkdir()
    place.symlink_to("/dev/full")
    opened.take("S1", "/project")
    opened.spoken("S1", "text")
    [sentence] = told
    opened.release_all()
    assert str(place) in sentence


def test_a_full_disk_is_told_with_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr(Path, "replace", full)
    for keep in (
        lambda unkept: PromptHistory(tmp_path, unkept).add(HERE, "text"),
        lambda unkept: Drafts(tmp_path, unkept).keep("/project", "", Draft("text")),
    ):
        unkept, told = Unkept(), list[str]()
        unkept.listen(told.append)
        keep(unkept)
        [sentence] = told
        assert str(tmp_path) in sentence
        assert os.strerror(errno.ENOSPC) in sentence


def test_a_draft_that_is_too_large_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "DRAFT_SIZE", 1000)
    unkept, told = Unkept(), list[str]()
    unkept.listen(told.append)
    drafts = Drafts(tmp_path, unkept)
    for number in range(3):
        drafts.keep("/project", "S1", Draft("x" * 2000 + str(number)))
    [sentence] = told
    assert "lost if Canopy ends" in sentence


def test_of_a_huge_history_the_newest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "HISTORY_SIZE", 1000)
    history = PromptHistory(tmp_path)
    for number in range(40):
        history.add(HERE, f"prompt {number} " + "x" * 100)
    assert (tmp_path / "history.jsonl").stat().st_size <= 2200
    kept = history.of(HERE)
    assert kept[-1].startswith("prompt 39 ")
    assert 3 < len(kept) < 10


# --- what an editor leaves ------------------------------------------------------------------------

EDITORS = {
    "nothing": ('rm "$1"', "left no file"),
    "a pipe": ('rm "$1"; mkfifo "$1"', "left no file"),
    "no UTF-8": ("printf 'caf\\351' > \"$1\"", "not UTF-8"),
    "too much": ('printf 123456789 > "$1"', "more than"),
    "what it saved before it was killed": ('echo saved > "$1"; kill -9 $$', "was killed"),
    "what it failed on": ('echo saved > "$1"; exit 3', "ended with 3"),
    "the text, at once": (":", "option to wait"),
}
KEPT = {"no UTF-8", "too much", "what it saved before it was killed"}


@pytest.mark.parametrize("what", EDITORS)
async def test_what_an_editor_leaves_is_taken_or_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    script, words = EDITORS[what]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("canopy_tui.desk.external_editor.LONGEST", 8)
    command = ("/bin/sh", "-c", script, "editor")
    with pytest.raises(EditorError, match=words) as caught:
        await edited(command, "before", os.environ, clock=lambda: 0.0)
    left = _messages(tmp_path)
    for file in left:
        assert what in KEPT
        assert str(file) in str(caught.value)
        file.unlink()
    assert len(left) == (what in KEPT)


def _messages(folder: Path) -> list[Path]:
    return list(folder.glob("message-*"))


async def test_the_same_text_after_a_while_is_no_mistake() -> None:
    times = iter([0.0, 60.0])
    command = ("/bin/sh", "-c", ":", "editor")
    assert await edited(command, "text", os.environ, clock=lambda: next(times)) == "text"


# --- what a field can hold ------------------------------------------------------------------------


def test_what_is_too_long_to_be_edited_is_a_mark() -> None:
    shelf = Shelf()
    long, lines = "x" * 30_000, "line\n" * 50_000
    mark = shelf.put_text("a\nb")
    text = f"before {mark} {long} [Image 7] {mark}{lines}"
    fitting = shelf.fitting(text)
    assert not is_too_long(fitting)
    assert shelf.whole(fitting) == shelf.whole(text)
    assert fitting.count(mark) == 2
    assert shelf.fitting(text) == fitting  # walking through the history makes no new ones
    assert shelf.fitting("x" * 9000) == "x" * 9000
