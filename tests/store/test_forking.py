"""Copies of sessions: what is in them, what is not, and that nothing is left of a failed one."""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.history import fork as forking
from canopy_agent.history.agents import stored_agents
from canopy_agent.history.fork import EmptyFork, ForkPoint, find_point, fork
from canopy_agent.history.listing import title_of
from canopy_agent.history.reader import open_conversation
from store.test_chain import told
from store.writing import Transcript


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def new_id() -> str:
    return str(uuid.uuid4())


@pytest.fixture
def source(tmp_path: Path) -> Transcript:
    t = Transcript(tmp_path)
    t.user("one")
    first = t.calls("Agent", "t1", "msg_1", prompt="dig")
    second = t.calls("Read", "t2", "msg_1")
    t.record("progress", parent=second)
    t.returns("t2", parent=t.last, sourceToolAssistantUUID=second)
    t.returns("t1", parent=first, sourceToolAssistantUUID=first)
    t.says("two", "msg_2")
    t.user("three")
    t.calls("Agent", "t3", "msg_3", prompt="dig more")
    t.row(type="ai-title", aiTitle="Digging")
    kid = t.child("a1111111", {"toolUseId": "t1"})
    kid.user("dig")
    kid.calls("Agent", "t9")
    t.child("a2222222", {"toolUseId": "t9", "parentAgentId": "a1111111"}).user("deeper")
    t.child("a3333333", {"toolUseId": "t3"}).user("dig more")
    return t


def test_a_whole_fork_tells_the_same_under_new_ids(source: Transcript) -> None:
    before = source.path.read_bytes()
    copy = fork(source.path, new_id())
    assert source.path.read_bytes() == before
    assert told(copy) == told(source.path)
    assert open_conversation(copy).skipped == 0
    old = {r["uuid"] for r in records(source.path) if "uuid" in r}
    new = [r for r in records(copy) if r["type"] != "custom-title"]
    assert not old & {r["uuid"] for r in new}
    assert {r["sessionId"] for r in new} == {copy.stem}
    assert {r["forkedFrom"]["sessionId"] for r in new} == {source.id}
    known = {r["uuid"] for r in new}
    for name in ("parentUuid", "sourceToolAssistantUUID"):
        assert all(r[name] in known for r in new if r.get(name))
    assert title_of(copy) == "Digging (fork)"
    assert copy.stat().st_mode & 0o777 == 0o600


def test_the_subagents_of_a_fork_come_along(source: Transcript) -> None:
    copy = fork(source.path, new_id())
    assert {a.id for a in stored_agents(copy)} == {"a1111111", "a2222222", "a3333333"}
    assert {a.launch for a in stored_agents(copy)} == {"t1", "t9", "t3"}
    for agent in stored_agents(copy):
        assert {r["sessionId"] for r in records(agent.path)} == {copy.stem}


def test_a_fork_up_to_a_message_ends_there_with_the_subagents_launched_before(
    source: Transcript,
) -> None:
    after = find_point(source.path, ForkPoint("msg_2"))
    copy = fork(source.path, new_id(), after=after)
    assert told(copy)[-1] == "two"
    assert told(copy) == told(source.path)[: len(told(copy))]
    assert {a.id for a in stored_agents(copy)} == {"a1111111", "a2222222"}


def test_25_a_message_is_found_by_each_of_its_ids(source: Transcript) -> None:
    (two,) = (r["uuid"] for r in records(source.path) if r.get("message", {}).get("id") == "msg_2")
    (three,) = (
        r["uuid"] for r in records(source.path) if r.get("message", {}).get("content") == "three"
    )
    assert find_point(source.path, ForkPoint("msg_2")) == two
    assert find_point(source.path, ForkPoint("msg_2:segment:4")) == two
    assert find_point(source.path, ForkPoint(two)) == two
    assert find_point(source.path, ForkPoint(three)) == three
    assert find_point(source.path, ForkPoint("msg_4")) is None


def test_25_a_message_on_a_branch_that_was_left_is_found(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    root = t.user("one")
    left = t.says("left", "msg_left")
    t.user("other", parent=root)
    t.says("kept")
    after = find_point(t.path, ForkPoint("msg_left"))
    assert after == left
    assert told(fork(t.path, new_id(), after=after)) == ["one", "left"]


def hashed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def test_25_a_message_without_a_known_id_is_found_by_its_text(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    first = t.says("same")
    t.user("again")
    second = t.says("same")
    t.says("only ", "msg_9")
    only = t.says("once", "msg_9")
    unknown = "id-of-a-client"
    assert find_point(t.path, ForkPoint(unknown, hashed("only once"))) == only
    assert find_point(t.path, ForkPoint(unknown, hashed("same"))) is None
    assert find_point(t.path, ForkPoint(unknown, hashed("same"), 1)) == first
    assert find_point(t.path, ForkPoint(unknown, hashed("same"), 2)) == second
    assert find_point(t.path, ForkPoint(unknown, hashed("same"), 3)) is None
    assert find_point(t.path, ForkPoint(unknown, hashed("never said"), 1)) is None


def test_nothing_is_left_of_a_fork_that_fails(
    source: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(source.path.parent.rglob("*"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(forking, "_copy_agents", full)
    with pytest.raises(OSError, match="No space"):
        fork(source.path, new_id())
    assert sorted(source.path.parent.rglob("*")) == before


def test_a_file_without_a_conversation_cannot_be_forked(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.row(type="summary", summary="x")
    with pytest.raises(EmptyFork):
        fork(t.path, new_id())
    assert [p.name for p in t.path.parent.iterdir()] == [t.path.name]
