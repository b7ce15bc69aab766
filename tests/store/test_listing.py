"""The list of stored sessions: which, in what order, under which titles, at what cost."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from canopy_agent.history import listing
from canopy_agent.history.listing import Listing, Row
from canopy_agent.history.store import Store
from store.writing import CWD, FOLDER, Transcript


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    return tmp_path / "projects"


def rows(tmp_path: Path, directory: str | None = None, **names: dict[str, str]) -> list[Row]:
    store = Listing(Store(str(tmp_path)))
    return list(store.rows(directory, sessions=names.get("sessions", {}), replaced=()))


def at(t: Transcript, seconds: int) -> None:
    os.utime(t.path, ns=(seconds * 10**9, seconds * 10**9))


def test_b36_only_sessions_of_a_person_are_listed_under_what_they_said_first(
    tmp_path: Path, projects: Path
) -> None:
    expected = {}
    named = Transcript(projects)
    named.user("first words")
    named.row(type="ai-title", aiTitle="Made title")
    named.row(type="custom-title", customTitle="Own title")
    expected[named.id] = "Own title"
    plain = Transcript(projects)
    plain.user("<command-name>/model</command-name>")
    plain.user([{"type": "text", "text": "<system-reminder>x</system-reminder>"}])
    plain.user("a caveat", isMeta=True)
    plain.user("what I want\nin two lines")
    plain.row(type="last-prompt", lastPrompt="the last words")
    expected[plain.id] = "what I want in two lines"
    command = Transcript(projects)
    command.user("<command-name>/review</command-name><command-args>a</command-args>")
    command.says("done")
    expected[command.id] = "/review a"
    for _ in range(3):
        side = Transcript(projects)
        side.row(type="summary", summary="of a subagent")
        side.user("to a subagent", isSidechain=True)
        worker = Transcript(projects)
        worker.user("to a worker", teamName="crew")
    Transcript(projects).row(type="summary", summary="nothing but this")
    (projects / FOLDER / f"{uuid.uuid4()}.jsonl").write_bytes(b"")
    (projects / FOLDER / "notes.jsonl").write_text("no session")
    (projects / FOLDER / f"{uuid.uuid4()}.jsonl").write_bytes(b"\xff\x00 junk\n{")
    assert {row.id: row.title for row in rows(tmp_path)} == expected


def test_the_newest_comes_first_and_each_once(tmp_path: Path, projects: Path) -> None:
    old, new = Transcript(projects), Transcript(projects)
    copy = Transcript(projects, new.id, folder="-elsewhere")
    for t, when in ((old, 100), (new, 200), (copy, 300)):
        t.user(f"words {when}")
        at(t, when)
    found = rows(tmp_path)
    assert [(row.id, row.title) for row in found] == [(new.id, "words 300"), (old.id, "words 100")]
    assert found[0].updated_at == "1970-01-01T00:05:00.000Z"


def test_24_a_directory_lists_its_own_sessions_and_not_those_of_a_worktree(
    tmp_path: Path, projects: Path
) -> None:
    here, twin = tmp_path / "a-b", tmp_path / "a.b"
    tree = here / "tree"
    ids = {}
    for place in (here, twin, tree):
        place.mkdir()
        folder = "".join(c if c.isalnum() else "-" for c in str(place))
        t = Transcript(projects, folder=folder, cwd=str(place))
        t.user("words")
        ids[place] = t.id
    # the folder of a-b and of a.b has one name
    assert [row.id for row in rows(tmp_path, str(here))] == [ids[here]]
    assert [row.id for row in rows(tmp_path, str(twin))] == [ids[twin]]
    link = tmp_path / "link"
    link.symlink_to(here)
    assert [row.id for row in rows(tmp_path, str(link))] == [ids[here]]
    assert rows(tmp_path, str(tmp_path / "nowhere")) == []


def test_a_session_that_goes_on_under_another_id_is_listed_as_itself(
    tmp_path: Path, projects: Path
) -> None:
    later = Transcript(projects)
    later.user("after the context was cleared")
    (row,) = rows(tmp_path, sessions={later.id: "the-session"})
    assert row.id == "the-session"


def test_rows_without_a_directory_are_left_out(tmp_path: Path, projects: Path) -> None:
    t = Transcript(projects)
    t.row(type="user", uuid="u", message={"role": "user", "content": "words"})
    assert rows(tmp_path) == []


def test_b38_only_the_edges_of_a_file_are_read_and_only_when_it_changed(
    tmp_path: Path, projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = Transcript(projects)
    huge.user(
        [{"type": "text", "text": 'look at "this" ähm'}, {"type": "image", "data": "x" * 3_000_000}]
    )
    huge.says("y" * 3_000_000)
    huge.row(type="last-prompt", lastPrompt="and that")
    small = Transcript(projects)
    small.user("words")
    bytes_read = 0
    opened: list[str] = []
    real = listing._edges

    def counted(found: listing.Found) -> tuple[bytes, bytes] | None:
        nonlocal bytes_read
        edges = real(found)
        opened.append(found.id)
        bytes_read += sum(map(len, edges or ()))
        return edges

    monkeypatch.setattr(listing, "_edges", counted)
    store = Listing(Store(str(tmp_path)))

    def titles() -> dict[str, str]:
        return {row.id: row.title for row in store.rows(sessions={}, replaced=())}

    assert titles() == {huge.id: 'look at "this" ähm', small.id: "words"}
    assert bytes_read < 4 * listing.EDGE
    assert titles()[small.id] == "words"
    assert len(opened) == 2
    small.row(type="custom-title", customTitle="renamed")
    assert titles()[small.id] == "renamed"
    assert opened[2:] == [small.id]
    small.path.unlink()
    assert list(titles()) == [huge.id]
    assert len(store._rows) == 1


def test_a_first_line_longer_than_what_is_read_still_gives_a_row(
    tmp_path: Path, projects: Path
) -> None:
    t = Transcript(projects)
    t.record("attachment", attachment={"type": "file", "content": "z" * 200_000})
    t.user("words")
    t.says("answer")
    t.row(type="last-prompt", lastPrompt="words")
    (row,) = rows(tmp_path)
    assert (row.title, row.cwd) == ("words", CWD)


def test_titles_are_one_line_and_bounded(tmp_path: Path, projects: Path) -> None:
    t = Transcript(projects)
    t.user("x")
    t.row(type="custom-title", customTitle="a  b\nc " + "d" * 400)
    (row,) = rows(tmp_path)
    assert row.title.startswith("a b c ddd")
    assert len(row.title) == listing.LONGEST_TITLE
