"""Stored subagents: what their sidecars say, and who launched whom."""

from __future__ import annotations

import json
from pathlib import Path

from canopy_agent.history.agents import is_showable, lineages, stored_agents
from canopy_agent.history.store import Store, folder_name, is_session_id
from store.writing import Transcript


def test_a_line_of_launches_leads_to_the_main_conversation(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="outer", name="out")
    outer = t.child("a1111111", {"toolUseId": "t1", "agentType": "Explore"})
    outer.calls("Task", "t2", prompt="inner")
    t.child("a2222222", {"toolUseId": "t2"}).user("inner")
    found = {one.agent.id: one for one in lineages(t.path)}
    assert set(found) == {"a1111111", "a2222222"}
    assert (found["a1111111"].parent, found["a1111111"].input["prompt"]) == (None, "outer")
    assert (found["a2222222"].parent, found["a2222222"].tool) == ("t1", "Task")


def test_34_agents_that_cannot_be_placed_have_no_lineage(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1")
    t.child("a1111111", None).user("without a sidecar")
    t.child("a2222222", {"toolUseId": "lost"}).user("without a launch")
    t.child("a3333333", {"toolUseId": "ring-1"}).calls("Agent", "ring-2")
    t.child("a4444444", {"toolUseId": "ring-2"}).calls("Agent", "ring-1")
    assert lineages(t.path) == []
    assert len(stored_agents(t.path)) == 4


def test_words_that_a_fork_copied_from_its_parent_launch_nobody(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.calls("Agent", "t1", subagent_type="fork")
    t.calls("Agent", "t2")
    fork = t.child("a1111111", {"toolUseId": "t1"})
    fork.calls("Agent", "t2")
    fork.user([{"type": "text", "text": "<fork-boilerplate>x</fork-boilerplate>"}])
    t.child("a2222222", {"toolUseId": "t2"}).user("x")
    parents = {one.agent.id: one.parent for one in lineages(t.path)}
    assert parents == {"a1111111": None, "a2222222": None}


def test_sidecars_are_read_leniently(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    elsewhere = tmp_path / "tree"
    elsewhere.mkdir()
    kid = t.child("a1111111", {"toolUseId": 7, "name": ["x"], "cwd": "relative", "finished": "yes"})
    kid.user("x")
    placed = t.child("a2222222", {"worktreePath": str(elsewhere), "stoppedByUser": True})
    placed.cwd = str(elsewhere)
    placed.user("x")
    broken = t.child("a3333333", None)
    broken.user("x")
    broken.path.with_suffix(".meta.json").write_text("{")
    first, second, third = sorted(stored_agents(t.path), key=lambda agent: agent.id)
    assert (first.launch, first.name, first.cwd, first.finished) == (None, None, None, False)
    assert (second.cwd, second.stopped) == (str(elsewhere), True)
    assert third.launch is None


def test_helpers_of_the_harness_are_not_for_show(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    for agent in ("a0fb889f7fa64e4ce", "acompact-1c2d3e4f", "aprompt_suggestion-1"):
        t.child(agent, None).user("x")
    assert [a.id for a in stored_agents(t.path) if is_showable(a)] == ["a0fb889f7fa64e4ce"]


def test_b39_only_ids_of_sessions_become_paths(tmp_path: Path) -> None:
    t = Transcript(tmp_path / "projects")
    t.user("x")
    store = Store(str(tmp_path))
    assert store.find(t.id) == t.path
    secret = tmp_path / "projects" / "secret.jsonl"
    secret.write_text(json.dumps({"type": "user"}))
    for bad in ("../secret", "secret", "", "*", f"x/../{t.id}", t.id + "\0", f"{t.id}.jsonl"):
        assert not is_session_id(bad)
        assert store.find(bad) is None
        assert store.delete(bad) is False
    assert secret.exists()


def test_delete_removes_every_copy_with_what_lies_beside_it(tmp_path: Path) -> None:
    one = Transcript(tmp_path / "projects")
    two = Transcript(tmp_path / "projects", one.id, folder="-other")
    for t in (one, two):
        t.user("x")
        t.child("a1111111", {}).user("x")
    store = Store(str(tmp_path))
    assert store.delete(one.id) is True
    assert store.delete(one.id) is False
    assert [p for p in (tmp_path / "projects").rglob("*") if p.is_file()] == []


def test_folders_are_named_as_claude_code_names_them() -> None:
    assert folder_name("/home/me/a.b_c") == "-home-me-a-b-c"
    assert len(folder_name("/x" * 300)) == 200
