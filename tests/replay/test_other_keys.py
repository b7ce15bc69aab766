"""Recordings and past sessions on keys that a person set: those are named and heard, no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from canopy_shared.record import Recording, Step
from canopy_tui.inspect.opening import inspect_app
from canopy_tui.replay.opening import replay_app
from canopy_tui.view.apps.main_screen import MainScreen
from canopy_tui.view.keyboard import keys
from canopy_tui.view.keyboard.keymap import IN_FORCE
from canopy_tui.view.screens.help import HelpScreen
from canopy_tui.view.screens.timeline_screen import TimelineScreen
from inspect_sessions.stored import inspection, team
from replay.patience import PatientPlay
from replay.test_replay_app import STEPS
from store.writing import CWD
from tui_app.other_keys import OTHER, unnamed
from tui_app.playing import WIDE, Clock


@pytest.fixture(autouse=True)
def _other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    lines = [f'"{id}" = "{key}"' for id, key in OTHER.items()]
    (tmp_path / "config.toml").write_text("\n".join(["[keys]", *lines]), encoding="utf-8")
    monkeypatch.setenv("CANOPY_CONFIG_DIR", str(tmp_path))
    yield
    IN_FORCE.use({})


def pressing(play: PatientPlay) -> Callable[..., Any]:
    """Presses the other keys of actions; no usual one is named afterwards."""

    async def press(*ids: str) -> None:
        for id in ids:
            await play.press(OTHER[id])
        unnamed(play)

    return press


async def usual(play: PatientPlay, *groups: keys.Group) -> None:
    """Press what is no key any more."""
    given = [one for group in groups for key in group.keys for one in key.keys.split(",")]
    await play.press(*(one for one in given if one not in ("ctrl+c", "up", "down", "k", "j")))


async def test_a_recording_is_played_on_other_keys() -> None:
    clock = Clock()
    recording = Recording(1_700_000_000.0, tuple(Step(*one) for one in STEPS), (), torn=False)
    app = replay_app(recording, paused=True, clock=clock)
    async with app.run_test(size=WIDE) as pilot:
        play: Any = PatientPlay(app, pilot, app.host, clock)  # type: ignore[arg-type]
        press = pressing(play)
        await play.shows("RECORDING")
        unnamed(play)
        playback = app.playback
        before = playback.position, playback.speed, playback.paused
        await usual(play, keys.PLAYBACK)
        assert (playback.position, playback.speed, playback.paused) == before
        await press("playback-step", "playback-step", "playback-step")
        assert playback.position > before[0]
        await press("playback-faster")
        assert playback.speed == 2.0
        await press("playback-slower", "playback-slower")
        assert playback.speed == 0.5
        await press("playback-pause")
        assert not playback.paused
        await press("playback-pause", "playback-end")
        await play.shows("over")
        await press("help")
        assert isinstance(app.screen, HelpScreen)
        await press("help-close", "tree", "first-child")
        await play.shows("Inside.")
        await press("playback-pause")  # all over again
        await play.until(lambda: not app.is_running, "the end")
    assert app.wants_more


async def test_a_past_session_is_inspected_on_other_keys(tmp_path: Path) -> None:
    t = team(tmp_path / "projects")
    app = inspect_app(inspection(t, tmp_path), CWD, pause=0.01)
    async with app.run_test(size=WIDE) as pilot:
        play: Any = PatientPlay(app, pilot, app.inspected, Clock())  # type: ignore[arg-type]
        press = pressing(play)
        await play.shows("No more.")
        unnamed(play)
        await usual(play, keys.INSPECTION)
        assert isinstance(app.screen, MainScreen)
        await press("timeline")
        await play.until(lambda: isinstance(app.screen, TimelineScreen), "the timeline")
        await play.shows("3 agents")
        unnamed(play)
        await usual(play, keys.TIMELINE)
        assert isinstance(app.screen, TimelineScreen)
        await press("timeline-down", "timeline-up", "timeline-down", "timeline-open")
        await play.shows("read is done.")
        unnamed(play)
        await press("timeline", "timeline-close")
        assert isinstance(app.screen, MainScreen)
        await press("help", "help-close", "find", "search-close", "quit")
        await play.until(lambda: not app.is_running, "the end")
    await app.inspected.aclose()
    assert app.return_code == 0
