"""The app on a stored session, and the command that opens it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from canopy_agent.session.past import PastSessions
from canopy_tui import cli
from canopy_tui.inspect.opening import inspect_app
from canopy_tui.model.catalogue import ListedSession
from canopy_tui.view.apps.inspect_app import InspectBar
from canopy_tui.view.apps.main_screen import MainScreen
from canopy_tui.view.screens import timeline_screen
from canopy_tui.view.screens.timeline_screen import TimelineRows, TimelineScreen
from canopy_tui.view.stored.session_picker import SessionPicker
from canopy_tui.wire.answers import initialize_params
from inspect_sessions.stored import answer, inspection, opened_by, team
from replay.patience import PatientPlay
from store.writing import CWD, Transcript
from tui_app.playing import NARROW, WIDE, Clock

HANG_SECONDS = 90


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_looking_at_a_session_that_goes_on(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    t = team(tmp_path / "projects")
    opened_by(t, tmp_path)
    app = inspect_app(inspection(t, tmp_path), CWD, pause=0.01)
    async with app.run_test(size=size) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        await play.shows("LIVE")
        await play.shows("No more.")
        assert not {"\x1b", "\x07"} & set(play.text)
        assert all(view.unseen == 0 for view in app.state.sessions.values())
        await play.press("t")
        await play.until(lambda: isinstance(app.screen, TimelineScreen), "the timeline")
        await play.shows("3 agents")
        await play.shows("Front")
        await play.press("down", "up", "down", "enter")
        await play.shows("read is done.")
        await play.press("t")
        await play.until(lambda: isinstance(app.screen, TimelineScreen), "the timeline")
        rows = app.screen.query_one(TimelineRows)
        await play.until(lambda: len(rows.rows) == 3, "its rows")
        await pilot.click(rows, offset=(4, 1))
        await play.shows("No more.")
        await play.press("h", "i", "enter", "ctrl+o", "f9", "escape")
        assert isinstance(app.screen, MainScreen)
        await play.press("ctrl+f")
        await play.write("two")
        await play.until(lambda: app.find_panel.hits, "a hit")
        await play.press("t", "escape")
        assert isinstance(app.screen, MainScreen)
        assert not app.find_panel.display
        t.user("more?")
        answer(t, "Grown later.", "m5")
        await play.shows("Grown later.")
        await play.press("escape", "e")
        written = tmp_path / "here"
        await play.until(lambda: any(written.iterdir()), "the file")
        [file] = written.iterdir()
        await play.until(lambda: "Grown later." in file.read_text(encoding="utf-8"), "all of it")
        await play.press("ctrl+q")
        await play.until(lambda: not app.is_running, "the end")
    await app.inspected.aclose()
    assert app.return_code == 0


async def test_the_sums_of_the_timeline_follow_its_width_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_screen, "_REFRESH", 600.0)
    t = team(tmp_path / "projects")
    app = inspect_app(inspection(t, tmp_path), CWD, pause=0.01)
    async with app.run_test(size=WIDE) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        await play.shows("No more.")
        await play.press("t")
        await play.until(lambda: isinstance(app.screen, TimelineScreen), "the timeline")
        frame = app.screen.query_one("#timeline-frame")
        await play.until(lambda: "tokens" in str(frame.border_title), "all of the sums")
        await pilot.resize_terminal(40, 24)
        await play.until(lambda: "tokens" not in str(frame.border_title), "what fits")
        assert "3 agents" in str(frame.border_title)
        await pilot.resize_terminal(*WIDE)
        await play.until(lambda: "tokens" in str(frame.border_title), "all of them again")
    await app.inspected.aclose()


async def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    t = team(tmp_path / "projects")
    source = inspection(t, tmp_path)
    t.path.unlink()
    app = inspect_app(source, CWD, pause=0.01)
    async with app.run_test(size=NARROW) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        await play.shows("No such file")
    await app.inspected.aclose()


def canopy(config: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "canopy_tui", "inspect", *arguments],
        env={**os.environ, "CLAUDE_CONFIG_DIR": str(config)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG_SECONDS,
        check=False,
    )


def test_a_session_is_printed_with_its_times(tmp_path: Path) -> None:
    t = team(tmp_path / "projects")
    done = canopy(tmp_path, "--plain", t.id)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].endswith(" you: go [b]now[/b]␛[2J")
    told = [line.partition(" ")[2] for line in lines]
    assert "Front: task: read" in told
    assert told.count("Front: task: read") == 1
    assert "Front: tool: Read /x" in told
    assert "Back: agent done" in told
    assert lines[-1].startswith("canopy: 3 agents · ")
    unknown = canopy(tmp_path, "--plain", "99999999-0000-4000-8000-000000000001")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert unknown.stderr.startswith("canopy: there is no session '99999999-")
    no_terminal = canopy(tmp_path, t.id)
    assert no_terminal.returncode == 2
    assert "canopy inspect --plain" in no_terminal.stderr


async def test_a_session_is_picked_and_changed_for_another(tmp_path: Path) -> None:
    first = team(tmp_path / "projects")
    second = Transcript(tmp_path / "projects")
    second.user("Second [b]thing")
    answer(second, "Second it is.", "m9")
    away = Transcript(tmp_path / "projects", folder="-elsewhere", cwd="/elsewhere")
    away.user("Third, elsewhere")
    past = PastSessions(str(tmp_path), initialize_params()["clientCapabilities"])
    app = inspect_app(None, CWD, past=past, pause=0.01)
    async with app.run_test(size=NARROW) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        await play.until(lambda: isinstance(app.screen, SessionPicker), "the list")
        await play.shows("Second [b]thing")
        assert "Third" not in play.text
        assert "^N" not in play.text
        await play.press("ctrl+n", "ctrl+d", "ctrl+f")  # nothing can be changed or begun
        await play.press("ctrl+a")
        await play.shows("Third, elsewhere")
        await play.write("second")
        await play.shows_no("Third, elsewhere")
        await play.press("enter")
        await play.shows("Second it is.")
        await play.press("f2")
        await play.until(lambda: isinstance(app.screen, SessionPicker), "the list again")
        await play.shows("go [b]now")
        second.path.unlink()
        await play.press("ctrl+u")
        await play.write("now")
        await play.press("enter")
        await play.shows("No more.")
        assert app.state.roots == [first.id]
        await play.press("f2")
        await play.until(lambda: isinstance(app.screen, SessionPicker), "the list once more")
        away.path.unlink()
        app.post_message(SessionPicker.Opened(ListedSession(id=away.id, cwd="/elsewhere")))
        await play.shows("It is not stored any more.")
        assert app.state.roots == [first.id]
        await play.press("escape")
        await play.until(lambda: isinstance(app.screen, MainScreen), "the session")
        await play.shows("No more.")
        await play.press("ctrl+q")
        await play.until(lambda: not app.is_running, "the end")
    await app.inspected.aclose()


async def test_leaving_the_list_with_nothing_open_leaves(tmp_path: Path) -> None:
    past = PastSessions(str(tmp_path), {})
    app = inspect_app(None, CWD, past=past)
    async with app.run_test(size=WIDE) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        await play.until(lambda: isinstance(app.screen, SessionPicker), "the list")
        await play.shows("No sessions in this directory yet.")
        bar = app.screen_stack[0].query_one(InspectBar)  # the list covers it on a small screen
        assert "none is open" in bar.render().plain
        await play.press("escape")
        await play.until(lambda: not app.is_running, "the end")
    await app.inspected.aclose()


def test_where_there_is_no_session_at_all_no_list_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(cli, "_has_terminal", lambda: True)
    assert cli.main(["inspect"]) == cli.USAGE_EXIT
    told = capsys.readouterr().err
    assert f"Claude Code keeps no session below '{tmp_path}/projects'; canopy begins one" in told
