"""What is remembered between runs, also when a file is broken."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from canopy_tui import storage
from canopy_tui.storage import Drafts, PromptHistory

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


def test_drafts_are_put_changed_and_removed(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "state")
    drafts.put("S1", "half a thought")
    drafts.put("/project", "another")
    again = Drafts(tmp_path / "state")
    assert again.get("S1") == "half a thought"
    assert mode_of(tmp_path / "state" / "drafts.json") == 0o600
    again.put("S1", "")
    assert (drafts.get("S1"), drafts.get("/project")) == ("", "another")


def test_the_oldest_draft_goes_first(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    for number in range(storage.DRAFT_LIMIT + 1):
        drafts.put(f"S{number}", "text")
    assert drafts.get("S0") == ""
    assert drafts.get("S1") == drafts.get(f"S{storage.DRAFT_LIMIT}") == "text"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"S1": 3, "S2": "kept"}'])
def test_broken_drafts_are_no_drafts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "drafts.json").write_bytes(content)
    drafts = Drafts(tmp_path)
    assert drafts.get("S1") == ""
    drafts.put("S3", "new")
    assert Drafts(tmp_path).get("S3") == "new"


def test_a_place_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    PromptHistory(tmp_path / "file").add(HERE, "text")
    Drafts(tmp_path / "file").put("S1", "text")
    assert PromptHistory(tmp_path / "file").of(HERE) == []
    assert Drafts(tmp_path / "file").get("S1") == ""


def test_nothing_is_left_behind_by_a_failed_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = Drafts(tmp_path)
    drafts.put("S1", "old")

    def refuse(self: Path, target: Path) -> None:
        raise OSError("no room")

    monkeypatch.setattr(Path, "replace", refuse)
    drafts.put("S1", "new")
    assert [file.name for file in tmp_path.iterdir()] == ["drafts.json"]
    assert drafts.get("S1") == "old"
