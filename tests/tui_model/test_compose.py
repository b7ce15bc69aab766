"""The client as it is put together: the app, the controller and another agent, without a screen.

The app runs headless; a script of the test drives it in place of a person.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import stat
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from canopy_tui import app_run, compose
from canopy_tui.host.first_session import Beginning
from canopy_tui.kept.storage import Drafts
from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.kept.unkept import Unkept
from canopy_tui.model.state import ClientState, Phase, SessionView
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.keyboard.key_guard import Verdict
from fakes.agent import FakeAgentScript, ask_permission, said
from fakes.cli import is_running
from tui_model.client_world import texts
from waiting import eventually

Person = Callable[[CanopyApp, Any], Awaitable[None]]


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Canopy's own files lie below ``tmp_path``, which is trusted."""
    monkeypatch.setenv("CANOPY_CONFIG_DIR", str(tmp_path / "canopy"))
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(tmp_path), keep=True)
    return tmp_path / "canopy"


def person(monkeypatch: pytest.MonkeyPatch, acts: Person) -> None:
    """Let ``acts`` use the app, in place of the terminal."""

    async def run_async(self: CanopyApp, **_: object) -> None:
        async with self.run_test(size=(100, 30)) as pilot:
            await acts(self, pilot)

    monkeypatch.setattr(CanopyApp, "run_async", run_async)


def takes_keys(app: CanopyApp) -> bool:
    """Whether a request is on screen for long enough to be answered by a key."""
    screen = app.desk.screen
    if screen is None:
        return False
    return screen.guard.verdict(time.monotonic()) is Verdict.PASS


async def ready(app: CanopyApp) -> SessionView:
    await eventually(lambda: app.state.roots, "a session", bound=20)
    return app.state.sessions[app.state.roots[0]]


def test_another_agent_is_spoken_to_and_stopped(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Any] = [
        {"update": said("May I?")},
        ask_permission("p", "$SESSION", "t1", "make all"),
        {"answered": "p"},
        {"update": said("Done.", "m2")},
    ]
    script = FakeAgentScript(tmp_path / "agent", **{"session/prompt": [steps]})
    seen: list[str] = []

    async def acts(app: CanopyApp, pilot: Any) -> None:
        root = await ready(app)
        await pilot.press(*"hello", "enter")
        await eventually(lambda: app.state.waiting(), "a request", bound=20)
        await eventually(lambda: takes_keys(app), "the question", bound=20)
        await pilot.press("y")
        await eventually(lambda: root.turns_done, "the end of the turn", bound=20)
        seen.append(texts(root))
        await pilot.press(*"unsent", "ctrl+q")

    person(monkeypatch, acts)
    assert compose.run_client(tmp_path, script.command, demo=False) == 0
    assert seen == ["May I?Done."]
    assert [answer["result"] for answer in script.answers()] == [
        {"outcome": {"outcome": "selected", "optionId": "yes"}}
    ]
    assert len(script.pids()) == 1
    assert not is_running(script.pids()[0])

    async def looks(app: CanopyApp, pilot: Any) -> None:
        assert app.around.draft.text == "unsent"
        assert list(app.around.history) == ["hello"]
        await pilot.press("ctrl+q")

    person(monkeypatch, looks)
    compose.run_client(tmp_path, script.command, demo=False)
    for file in (own_place / "state").rglob("*.*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_b10_one_key_starts_a_dead_agent_again(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying: list[Any] = [{"stderr": "disk is full"}, {"exit": 143}]
    script = FakeAgentScript(tmp_path / "agent", **{"session/prompt": [dying]})

    async def acts(app: CanopyApp, pilot: Any) -> None:
        root = await ready(app)
        await pilot.press(*"hello", "enter")
        await eventually(lambda: app.state.link.status == "lost", "the loss", bound=20)
        await pilot.pause()
        shown = str(app.main.query_one("#link-banner").render())
        assert "143" in shown
        assert "disk is full" in shown
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "disk is full" not in str(app.main.query_one("#link-banner").render())
        assert getattr(root.entries[-1], "detail", "") == "disk is full", "said once at least"
        script.play({})
        await pilot.press("f5")
        await eventually(lambda: root.phase is Phase.IDLE, "the session", bound=20)
        await pilot.press("ctrl+q")

    person(monkeypatch, acts)
    assert compose.run_client(tmp_path, script.command, demo=False) == 0
    assert script.methods()[-2:] == ["initialize", "session/load"]
    assert script.received("session/load")[0]["params"]["sessionId"] == "S1"


def test_an_agent_that_does_not_start_is_told_in_the_app(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def acts(app: CanopyApp, pilot: Any) -> None:
        await eventually(lambda: app.state.link.status == "failed", "the failure", bound=20)
        assert "could not be started" in app.state.link.detail
        await pilot.press("ctrl+q")

    person(monkeypatch, acts)
    assert compose.run_client(tmp_path, (str(tmp_path / "none"),), demo=False) == 0


def test_the_agent_is_stopped_when_the_app_fails(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = FakeAgentScript(tmp_path / "agent")

    def fail() -> None:
        raise RuntimeError("a fault of ours")

    async def acts(app: CanopyApp, pilot: Any) -> None:
        await ready(app)
        app.call_later(fail)
        await eventually(lambda: app.return_code is not None, "the app to leave", bound=20)

    person(monkeypatch, acts)
    with pytest.raises(RuntimeError, match="a fault of ours"):
        compose.run_client(tmp_path, script.command, demo=False)
    assert not is_running(script.pids()[0])


def test_an_agent_that_was_never_used_is_stopped_too(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = FakeAgentScript(tmp_path / "agent")

    async def run_async(self: CanopyApp, **_: object) -> None:
        await eventually(script.pids, "the agent", bound=20)

    monkeypatch.setattr(CanopyApp, "run_async", run_async)
    compose.run_client(tmp_path, script.command, demo=False)
    assert not is_running(script.pids()[0])


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_leaves_in_order(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    script = FakeAgentScript(tmp_path / "agent")
    number = signal.Signals[name]

    async def acts(app: CanopyApp, pilot: Any) -> None:
        await ready(app)
        await pilot.press(*"draft")
        os.kill(os.getpid(), number)
        await eventually(lambda: app.return_code is not None, "the app to leave", bound=20)

    person(monkeypatch, acts)
    assert compose.run_client(tmp_path, script.command, demo=False) == 128 + number
    assert Drafts(own_place / "state").get(str(tmp_path)).text == "draft"
    assert not is_running(script.pids()[0])


def test_the_agent_still_sees_what_textual_takes_away(
    tmp_path: Path, own_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    note = tmp_path / "note"
    command = ("/bin/sh", "-c", f'echo "$NO_COLOR" > {note}; pwd >> {note}')

    async def acts(app: CanopyApp, pilot: Any) -> None:
        await eventually(lambda: app.state.link.status == "failed", "its end", bound=20)
        await pilot.press("ctrl+q")

    person(monkeypatch, acts)
    compose.run_client(tmp_path, command, demo=False)
    assert note.read_text().splitlines() == ["1", str(tmp_path)]


def spoken(*turns: int) -> ClientState:
    state = ClientState()
    for number, done in enumerate(turns):
        view = SessionView(id=f"S {number}", turns_done=done)
        state.sessions[view.id] = view
        state.roots.append(view.id)
    return state


def staged(directory: Path) -> compose.Stage:
    async def launch() -> Any:
        raise AssertionError("nothing is launched")

    return compose.Stage(launch, directory, {}, resumable=True)


def test_the_end_of_a_demo_says_what_is_kept(tmp_path: Path) -> None:
    demo = replace(staged(tmp_path / "thrown-away"), resumable=False, exports_to=tmp_path)
    assert compose._farewell(spoken(0), demo) == []
    [words] = compose._farewell(spoken(1), demo)
    assert "gone" in words
    assert "--record" in words


async def test_exports_of_the_demo_last_where_it_was_started(tmp_path: Path) -> None:
    environment = {**os.environ, "PWD": "/of/another/shell"}
    async with compose.open_stage(tmp_path, None, True, environment) as stage:
        assert stage.exports_to == tmp_path
        assert stage.directory != tmp_path


async def test_the_list_of_sessions_of_a_demo_has_their_last_words(tmp_path: Path) -> None:
    async with compose.open_stage(tmp_path, None, True, dict(os.environ)) as stage:
        project = stage.directory.parent / "config" / "projects" / "fruitstand"
        project.mkdir(parents=True)
        session = "5958166e-295f-4e33-a42a-bc4cc8897b74"
        said = {"type": "user", "message": {"role": "user", "content": "Run the tests"}}
        (project / f"{session}.jsonl").write_text(json.dumps(said) + "\n")
        around = compose._surroundings(stage, Beginning(), Unkept())
        assert around.peek is not None
        assert await around.peek(session, str(stage.directory)) == "you: Run the tests"


def test_the_farewell_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = staged(tmp_path)
    assert compose._farewell(spoken(0), here) == []
    assert compose._farewell(spoken(1, 0), replace(here, resumable=False)) == []
    assert compose._farewell(spoken(1, 0), here)[1:] == ["  canopy --resume 'S 0'"]
    other = tmp_path / "o t"
    assert compose._farewell(spoken(2), staged(other))[1:] == [
        f"  cd '{other}' && canopy --resume 'S 0'"
    ]


def test_a_large_log_begins_anew(own_place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_run, "_LOG_SIZE", 100)
    file = own_place / "canopy.log"
    file.write_text("x" * 200)
    with app_run.logging_to(own_place):
        for number in range(50):
            logging.getLogger("test").warning("noise %d", number)
        # not through the root logger: pytest could not report what it captured there
        handlers = logging.getLogger().handlers
        (log,) = [one for one in handlers if getattr(one, "baseFilename", None) == str(file)]
        log.handle(logging.makeLogRecord({"msg": "hello \ud800", "levelno": logging.WARNING}))
    logging.getLogger("test").warning("afterwards")
    assert file.stat().st_size < 300
    assert "hello \\ud800" in file.read_text()
    assert "xxx" not in file.read_text()
    assert "afterwards" not in file.read_text()


def test_a_log_that_cannot_be_written_says_nothing_on_the_screen(
    own_place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = Path("/dev/full")
    if full.exists():
        (own_place / "canopy.log").symlink_to(full)
    with app_run.logging_to(own_place):
        logging.getLogger("test").warning("hello")
    assert capsys.readouterr() == ("", "")


async def test_the_directory_may_be_gone_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "worktree"
    place.mkdir()
    monkeypatch.chdir(place)
    state = ClientState()
    state.sessions["s"] = SessionView(id="s", cwd=str(place), turns_done=1)
    state.roots.append("s")
    assert compose._farewell(state, staged(place))[1:] == ["  canopy --resume s"]
    place.rmdir()
    assert compose._farewell(state, staged(place)) == []
