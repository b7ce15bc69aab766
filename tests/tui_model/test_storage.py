"""What is remembered between runs, also when a file is broken."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from canopy_tui.kept import storage
from canopy_tui.kept.storage import Drafts, Pictures, PromptHistory
from canopy_tui.model.shelf import Draft

HERE, THERE = Path("/project"), Path("/other")


def mode_of(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_history_is_kept_by_directory(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path / "state")
    for directory, text in [(HERE, "one"), (THERE, "other"), (HERE, "two\nlines"), (HERE, "one")]:
        history.add(directory, text)
    again = PromptHistory(tmp_path / "state")
    assert again.of(HERE) == ["two\nlines", "one"]
    assert again.of(THERE) == ["other"]
    assert again.of(Path("/nowhere")) == []


def test_history_does_not_keep_what_is_blank_or_huge(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    for text in ("", " \n", "x" * (storage.TEXT_LIMIT + 1)):
        history.add(HERE, text)
    assert history.of(HERE) == []


def test_history_is_private_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "HISTORY_LIMIT", 5)
    monkeypatch.setattr(storage, "_COMPACT_ABOVE", 10)
    history = PromptHistory(tmp_path)
    for number in range(23):
        history.add(HERE, f"prompt {number}")
    file = tmp_path / "history.jsonl"
    assert mode_of(file) == 0o600
    assert len(file.read_text().splitlines()) <= 10
    assert history.of(HERE) == [f"prompt {number}" for number in range(18, 23)]


BROKEN = {
    "half a line": b'{"directory": "/project", "te',
    "no json": b"\x00\xff\n\n[1]\n",
    "wrong types": b'{"directory": 1, "text": []}\nnull\n"x"\n',
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_history_loses_only_what_is_broken(tmp_path: Path, what: str) -> None:
    history = PromptHistory(tmp_path)
    history.add(HERE, "before")
    file = tmp_path / "history.jsonl"
    file.write_bytes(file.read_bytes() + BROKEN[what])
    history.add(HERE, "after")
    assert history.of(HERE) == ["before", "after"]


WHERE = str(HERE)


def text_of(folder: Path, key: str) -> str:
    return Drafts(folder).get(key).text


def test_drafts_are_kept_whole_changed_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    mark = "[Pasted text 1: 20 lines]"
    draft = Draft(f"see {mark}", {mark: "x\n" * 20}, {"[Image 1]": "/a.png"})
    drafts = Drafts(folder)
    drafts.keep(WHERE, "S1", draft)
    assert Drafts(folder).get("S1") == Drafts(folder).get(WHERE) == draft
    assert {mode_of(file) for file in (folder / "drafts").iterdir()} == {0o600}
    drafts.keep(WHERE, "S1", Draft())
    assert (text_of(folder, "S1"), text_of(folder, WHERE)) == ("", "")
    assert list((folder / "drafts").iterdir()) == []


def test_the_draft_of_a_directory_is_the_last_that_was_written_there(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(WHERE, "S1", Draft("one"))
    drafts.keep(WHERE, "S2", Draft("two"))
    drafts.keep(WHERE, "S3", Draft())  # nothing is written there
    assert (text_of(tmp_path, WHERE), text_of(tmp_path, "S1")) == ("two", "one")
    drafts.keep(WHERE, "", Draft("two"))  # offered at the next start, before there is a session
    drafts.keep(WHERE, "S4", Draft("two"))
    assert text_of(tmp_path, "S2") == ""  # it went over
    drafts.keep(WHERE, "S4", Draft())
    assert text_of(tmp_path, WHERE) == ""
    assert text_of(tmp_path, "S1") == "one"


def test_what_another_client_still_writes_is_not_taken(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(WHERE, "S1", Draft("half wri"))
    held = {"S1": "(process 7)"}
    assert drafts.left(WHERE, held.get) == Draft()
    held.clear()
    assert drafts.left(WHERE, held.get) == Draft("half wri")


def test_an_old_session_that_is_gone_on_with_gets_no_draft_of_another(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(WHERE, "", Draft("before any"))
    assert drafts.left(WHERE, {}.get, goes_on=True) == Draft("before any")
    drafts.keep(WHERE, "S1", Draft("for one"))
    assert drafts.left(WHERE, {}.get, goes_on=True) == Draft()
    assert drafts.get("S1") == Draft("for one")


def test_the_oldest_draft_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "DRAFT_LIMIT", 3)
    drafts = Drafts(tmp_path)
    for number in range(3):
        drafts.keep("", f"S{number}", Draft("text"))
        for age, file in enumerate(reversed(list((tmp_path / "drafts").iterdir()))):
            os.utime(file, (number, number - age))
    drafts.keep("", "S3", Draft("text"))
    assert text_of(tmp_path, "S3") == "text"
    assert len(list((tmp_path / "drafts").iterdir())) == 3


BROKEN_DRAFTS = [b"", b"{", b"[]", b'{"text": 3, "session": ""}', b'{"text": "x"}']


@pytest.mark.parametrize("content", BROKEN_DRAFTS)
def test_broken_drafts_are_no_drafts(tmp_path: Path, content: bytes) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(WHERE, "S1", Draft("old"))
    for file in (tmp_path / "drafts").iterdir():
        file.write_bytes(content)
    assert drafts.get("S1") == Draft()
    drafts.keep(WHERE, "S1", Draft("new"))
    assert text_of(tmp_path, "S1") == "new"


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    PromptHistory(tmp_path / "file").add(HERE, "text")
    Drafts(tmp_path / "file").keep(WHERE, "S1", Draft("text"))
    assert Pictures(tmp_path / "file").keep(b"picture", "png") == ""
    assert PromptHistory(tmp_path / "file").of(HERE) == []
    assert text_of(tmp_path / "file", "S1") == ""


def test_nothing_is_left_behind_by_a_failed_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = Drafts(tmp_path)
    drafts.keep(WHERE, "S1", Draft("old"))

    def refuse(self: Path, target: Path) -> None:
        raise OSError("no room")

    before = sorted((tmp_path / "drafts").iterdir())
    monkeypatch.setattr(Path, "replace", refuse)
    drafts.keep(WHERE, "S1", Draft("new"))
    assert sorted((tmp_path / "drafts").iterdir()) == before
    assert text_of(tmp_path, "S1") == "old"


def test_pictures_are_private_and_found_again(tmp_path: Path) -> None:
    path = Path(Pictures(tmp_path).keep(b"picture", "png"))
    assert path.read_bytes() == b"picture"
    assert (path.suffix, mode_of(path)) == (".png", 0o600)
    os.utime(path, (0, 0))
    Pictures(tmp_path).keep(b"other", "png")
    assert not path.exists()


def test_history_of_everywhere(tmp_path: Path) -> None:
    history = PromptHistory(tmp_path)
    for directory, text in [(HERE, "one"), (THERE, "two"), (HERE, "two"), (THERE, "three")]:
        history.add(directory, text)
    assert history.everywhere() == ["one", "two", "three"]
