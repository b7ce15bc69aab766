"""Stored sessions as they are inspected: times, tokens, turns, growth, and which one is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canopy_agent.history.effort import Effort
from canopy_agent.session.lookup import NoSessionError, find_session, need_sessions
from canopy_shared import jsonio
from canopy_tui.inspect.story import Story
from canopy_tui.model.efforts import report_of, rows_of, summary_of
from canopy_tui.model.entries import RuleEntry
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState, Phase
from inspect_sessions.stored import (
    BACK,
    answer,
    inspection,
    noted_cost,
    opened_by,
    shape,
    team,
)
from store.writing import CWD, Transcript


async def shown(t: Transcript, config: Path) -> tuple[ClientState, Any]:
    reading = await inspection(t, config).read()
    state = ClientState()
    for event in Story().events(reading):
        reduce(state, event)
    return state, reading


async def test_a_session_is_told_in_its_own_times(tmp_path: Path) -> None:
    t = team(tmp_path / "projects")
    noted_cost(t, 1.5)
    state, reading = await shown(t, tmp_path)
    assert (reading.cwd, reading.cost, reading.running) == (CWD, 1.5, False)
    times = [one.at for one in reading.told]
    assert times == sorted(times)
    first = jsonio.loads(t.path.read_bytes().splitlines()[0])["timestamp"]
    assert first.startswith("2026-12-02T10:00:01")
    root, front, back = state.sessions.values()
    assert (front.title, back.title) == ("Front", "Back")
    assert {front.phase, back.phase} == {Phase.DONE}
    assert [view.unseen for view in (root, front, back)] == [0, 0, 0]
    assert front.ended_at is not None
    assert front.started_at < front.ended_at
    rules = [(entry.kind, entry.text) for entry in root.entries if isinstance(entry, RuleEntry)]
    assert [kind for kind, _ in rules] == ["turn_end", "after_turn", "turn_end"]


async def test_tokens_and_times_of_each_agent(tmp_path: Path) -> None:
    state, reading = await shown(team(tmp_path / "projects"), tmp_path)
    main, front, _ = rows_of(state, reading)
    # Of a message that is stored in pieces the last figures count.
    assert (main.read, main.cached, main.written, main.calls) == (400, 4000, 40, 2)
    assert (front.depth, front.read, front.written, front.calls) == (1, 100, 10, 1)
    assert len(main.spans) == 3
    assert report_of(front).startswith("worked 3s, 1 tool call, 100 tokens read, 1.0k cached")
    assert summary_of(state, reading).startswith("3 agents · ")
    assert "6.7k tokens · Opus 5.5" in summary_of(state, reading)


async def test_a_session_that_grows_is_followed_record_by_record(tmp_path: Path) -> None:
    """Whatever was there first, in the end everything is shown as if it had been read at once."""
    whole = team(tmp_path / "projects")
    opened_by(whole, tmp_path)
    files = {whole.path: whole.path.read_bytes().splitlines(keepends=True)}
    for path in sorted(whole.path.with_suffix("").rglob("*.jsonl")):
        files[path] = path.read_bytes().splitlines(keepends=True)
    for path in files:
        path.write_bytes(b"")
    source, story, state = inspection(whole, tmp_path), Story(), ClientState()
    for path, lines in files.items():
        for line in lines:
            with path.open("ab") as file:
                file.write(line)
            assert await source.changed()
            for event in story.events(await source.read()):
                reduce(state, event)
            assert not await source.changed()
            assert list(story.events(await source.read())) == []
    at_once, _ = await shown(whole, tmp_path)
    assert sorted(map(str, shape(state))) == sorted(map(str, shape(at_once)))


async def test_a_session_that_became_another_is_told_anew(tmp_path: Path) -> None:
    t = team(tmp_path / "projects")
    source, story, state = inspection(t, tmp_path), Story(), ClientState()
    for event in story.events(await source.read()):
        reduce(state, event)
    first = jsonio.loads(t.path.read_bytes().splitlines()[0])["uuid"]
    t.last = first
    answer(t, "Another way.", "m9")
    for event in story.events(await source.read()):
        reduce(state, event)
    said = [getattr(entry, "text", "") for entry in state.sessions[t.id].entries]
    assert "Another way." in said
    assert "No more." not in said


async def test_what_an_open_cli_still_does_has_no_end(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    t.user("go")
    t.calls("Agent", "t1", description="Back", prompt="dig")
    child = t.child(BACK, {"toolUseId": "t1"})
    child.user("dig")
    child.calls("Read", "r1", file_path="/x")
    note = opened_by(t, tmp_path)
    state, reading = await shown(t, tmp_path)
    root, back = state.sessions.values()
    assert reading.running
    assert (root.phase, back.phase) == (Phase.RUNNING, Phase.RUNNING)
    assert back.entries[-1].status in ("pending", "in_progress")
    note.unlink()
    state, _ = await shown(t, tmp_path)
    root, back = state.sessions.values()
    assert (root.phase, back.phase) == (Phase.IDLE, Phase.DISCONNECTED)


def test_broken_records_count_as_nothing() -> None:
    effort = Effort()
    for record in (
        {},
        {"type": "assistant", "message": {"usage": {"input_tokens": "many"}}, "timestamp": 5},
        {"type": "assistant", "message": None, "timestamp": "yesterday"},
        {"type": "user", "message": {"content": 7}},
    ):
        effort.take(record)
    assert (effort.spans, effort.read, effort.done()) == ([], 0, [])


def test_which_session_is_meant(tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    here = tmp_path / "here"
    here.mkdir()
    folder = str(here.resolve()).replace("/", "-").replace("_", "-").replace(".", "-")
    older = Transcript(
        projects, "11111111-0000-4000-8000-000000000001", cwd=str(here.resolve()), folder=folder
    )
    newer = Transcript(
        projects, "11112222-0000-4000-8000-000000000002", cwd=str(here.resolve()), folder=folder
    )
    for t in (older, newer):
        t.user("hello")
    config = str(tmp_path)
    assert find_session(older.id, here, config).path == older.path
    assert find_session("111111", here, config).id == older.id
    assert find_session(str(newer.path), here, config).id == newer.id
    assert find_session(None, here, config).id in (older.id, newer.id)
    for wanted, words in (
        ("1111", "2 sessions begin with '1111': 11111111-0000"),
        ("99999999-0000-4000-8000-000000000001", "the newest here is 1111"),
        ("9999", f"no session begins with '9999' below '{projects}'; the newest here is 1111"),
        ("9", "there is no session '9'"),
        ("../../etc/nothing", "the file '../../etc/nothing' does not exist; canopy inspect lists"),
        ("none.jsonl", "the file 'none.jsonl' does not exist"),
        ("a\0b/c", "does not exist"),
        ("no\nname", r"no session begins with 'no\nname'"),
    ):
        with pytest.raises(NoSessionError) as refusal:
            find_session(wanted, here, config)
        assert words in str(refusal.value)
    with pytest.raises(NoSessionError, match="keeps no session of"):
        find_session(None, tmp_path, config)
    with pytest.raises(NoSessionError, match="canopy inspect lists what there is"):
        find_session("9999", tmp_path, config)
    with pytest.raises(NoSessionError, match="Claude Code has stored nothing there yet"):
        find_session("9999", tmp_path, str(here))
    need_sessions(config)
    for folder in (str(here), str(tmp_path / "nowhere")):
        with pytest.raises(NoSessionError, match=f"keeps no session below '{folder}/projects'"):
            need_sessions(folder)


GARBAGE = {
    "empty.jsonl": b"",
    "bytes.jsonl": bytes(range(256)) * 40,
    "words.txt": b"hello\nyou\n",
    "rows.jsonl": b'{"a": 1}\n[2]\n{"type": "user"}\n{"type": 5, "uuid": 5}\n',
    "deep.jsonl": b"[" * 100_000,
}


def test_what_is_no_session_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def refused(wanted: str) -> str:
        with pytest.raises(NoSessionError) as refusal:
            find_session(wanted, tmp_path, str(tmp_path))
        return str(refusal.value)

    for name, content in GARBAGE.items():
        Path(name).write_bytes(content)
        what = "holds no record of a session" if content else "is empty"
        assert (
            f"{name!r} {what}; a transcript of Claude Code is needed; canopy inspect lists"
            in refused(name)
        )
    Path("talk").write_bytes(b'{"canopy":"recording","version":1,"at":1}\n')
    assert "'talk' is a recording of Canopy; canopy replay shows it" in refused("talk")
    assert "'/dev/zero' is no file with a transcript" in refused("/dev/zero")
    Path("there").mkdir()
    assert "'there' is a directory; no transcript (ID.jsonl) lies in it" in refused("there")
    t = Transcript(tmp_path / "projects", "33333333-0000-4000-8000-000000000003")
    t.raw(b"\xff\xfe garbage\n")
    assert "holds no record of a session" in refused(t.id)
    assert "holds no record of a session" in refused("3333")
    t.user("at last")
    assert find_session("3333", tmp_path, str(tmp_path)).id == t.id
    assert f"the newest is '{t.id}.jsonl'" in refused(str(t.path.parent))
