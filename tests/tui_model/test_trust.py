"""What the client remembers of directories and open sessions, in files and locks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from canopy_tui.kept.open_sessions import LeftSession, OpenSessions
from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.model import events as e

HOLDER = """
import os, sys
from pathlib import Path
from canopy_tui.model import events as e
from canopy_tui.kept.open_sessions import OpenSessions
notes = OpenSessions(Path(sys.argv[1]))
notes.observe(e.SessionOpened(session="s", at=1.0, cwd="/w"))
notes.observe(e.PromptSent(session="s", text="fix  the till", at=2.0))
for old, ending in (("t", e.ReplayFailed), ("u", e.SessionOpened)):
    notes.observe(e.ReplayStarted(session=old, at=3.0, cwd="/old", title="old " + old))
    notes.observe(ending(session=old, **({"at": 4.0, "cwd": "/old"} if old == "u" else {})))
print("held", flush=True)
sys.stdin.read()
os._exit(9)
"""


def test_settings_that_lie_in_a_directory_are_named_unread(tmp_path: Path) -> None:
    trust = TrustedDirectories(tmp_path / "state")
    assert trust.found(str(tmp_path)) == ()
    (tmp_path / "CLAUDE.md").mkdir()
    (tmp_path / ".mcp.json").symlink_to("/nowhere")
    assert trust.found(str(tmp_path)) == (".mcp.json", "CLAUDE.md")


def test_trust_covers_what_lies_below_and_lasts(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    trust = TrustedDirectories(tmp_path / "state")
    assert not trust.holds(str(tmp_path / "a"))
    trust.give(str(tmp_path / "link"), keep=True)
    trust.give(str(tmp_path / "once"), keep=False)
    assert trust.holds(str(tmp_path / "once"))
    for _ in range(2):
        assert trust.holds(str(tmp_path / "a" / "b"))
        assert trust.holds(str(tmp_path / "link"))
        assert not trust.holds(str(tmp_path))
        assert not trust.holds(str(tmp_path / "ab"))
        trust = TrustedDirectories(tmp_path / "state")
    assert not trust.holds(str(tmp_path / "once"))


@pytest.mark.parametrize("content", ["", "{", "7", '["x", 7]', "\x00"])
def test_a_broken_list_trusts_nothing(tmp_path: Path, content: str) -> None:
    (tmp_path / "trusted.json").write_text(content)
    trust = TrustedDirectories(tmp_path)
    assert not trust.holds(str(tmp_path))
    trust.give(str(tmp_path), keep=True)
    assert TrustedDirectories(tmp_path).holds(str(tmp_path))


def test_the_home_directory_is_trusted_for_one_run_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    trust = TrustedDirectories(tmp_path / "state")
    trust.give(str(tmp_path / "home"), keep=True)
    assert trust.holds(str(tmp_path / "home" / "project"))
    assert not TrustedDirectories(tmp_path / "state").holds(str(tmp_path / "home"))


def test_a_session_is_held_until_its_client_ends_and_then_offered_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "held\n"
        notes = OpenSessions(tmp_path)
        assert notes.holder("s") == f"(process {holder.pid})"
        assert notes.holder("other") is None
        assert notes.left_behind("/w") is None
        notes.take("s", "/w")  # it stays with the other one
        assert notes.holder("s") == f"(process {holder.pid})"
        holder.stdin.close()
        assert holder.wait() == 9
    assert notes.holder("s") is None
    assert notes.left_behind("/elsewhere") is None
    assert notes.left_behind("/old") == LeftSession("u", "/old", "old u")  # nothing was said in it
    assert notes.left_behind("/w") == LeftSession("s", "/w", "fix the till")
    assert notes.left_behind("/w") is None


def test_a_client_that_leaves_or_closes_leaves_nothing_behind(tmp_path: Path) -> None:
    notes = OpenSessions(tmp_path)
    for session in ("a", "b"):
        notes.observe(e.SessionOpened(session=session, at=1.0, cwd="/w"))
        notes.observe(e.PromptSent(session=session, text="x", at=1.0))
    assert notes.holder("a") is None  # it is ours
    notes.observe(e.SessionClosed(session="a"))
    assert len(list((tmp_path / "open").iterdir())) == 1
    notes.release_all()
    assert list(tmp_path.iterdir()) == []


def test_notes_that_cannot_be_written_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "open").write_text("a file")
    notes = OpenSessions(tmp_path)
    notes.take("s", "/w")
    notes.spoken("s", "x")
    notes.release_all()
    assert notes.left_behind("/w") is None
    assert notes.holder("s") is None
