"""The app on a recording: keys and mouse of playing, and nothing that could be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.frames import Notification, Request, Response
from canopy_shared.record import AGENT, CLIENT, Recording, Step
from canopy_tui.replay.opening import replay_app
from canopy_tui.view.bars.replay_bar import ReplayBar
from canopy_tui.view.requests.request_screen import RequestScreen
from canopy_tui.view.screens.detail_screen import DetailScreen
from fakes.agent import permission, said, spawned
from replay.patience import PatientPlay
from tui_app.playing import NARROW, WIDE, Clock

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_shared.frames import Frame


def update(session: str, body: dict[str, Any]) -> Frame:
    return Notification("session/update", {"sessionId": session, "update": body})


STEPS: list[tuple[float, Any, Frame]] = [
    (0.0, CLIENT, Request(1, "session/new", {"cwd": "/home/ada/till"})),
    (0.0, AGENT, Response(1, {"sessionId": "S"})),
    (1.0, CLIENT, Request(2, "session/prompt", {"sessionId": "S", "prompt": []})),
    (2.0, AGENT, update("S", said("First words [b]x[/b]\x1b[2J."))),
    (3.0, AGENT, update("S", spawned("C", "Fix the build"))),
    (4.0, AGENT, update("C", said("Inside.", "c1"))),
    (5.0, AGENT, Request(9, "session/request_permission", permission("C", "t1"))),
    (8.0, CLIENT, Response(9, {"outcome": {"outcome": "selected", "optionId": "yes"}})),
    (9.0, AGENT, Response(2, {"stopReason": "end_turn"})),
]


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_playing_by_key_and_mouse(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    recording = Recording(
        1_700_000_000.0, tuple(Step(*step) for step in STEPS), broken=(4,), torn=False
    )
    clock = Clock()
    app = replay_app(recording, paused=True, clock=clock)
    async with app.run_test(size=size, notifications=True) as pilot:
        play: Any = PatientPlay(app, pilot, app.host, clock)  # type: ignore[arg-type]
        await play.shows("RECORDING")
        await play.shows("paused")
        await play.shows("line 4 is broken")
        while app.playback.position < 2.0:
            await play.press("full_stop")
        await play.shows("First words [b]x[/b]")
        bar = app.main.query_one(ReplayBar)
        await play.press("space")
        assert not app.playback.paused
        await pilot.click(bar, offset=(bar.render().plain.index("pause") + 1, 0))
        assert app.playback.paused
        await play.press("greater_than_sign")
        await play.shows("paused ×2")
        assert app.playback.speed == 2.0
        await play.press("less_than_sign", "less_than_sign")
        assert app.playback.speed == 0.5
        while not app.state.waiting():
            await play.press("full_stop")
        await play.press("f4")
        await play.until(lambda: isinstance(app.screen, RequestScreen), "the question")
        clock.pass_by(5)
        await play.press("y")
        assert app.state.waiting()
        await play.press("escape")
        await play.press("dollar_sign")
        await play.shows("over")
        assert not app.state.waiting()
        await play.press("alt+down")
        await play.shows("Inside.")
        await play.press("e")
        await play.until(lambda: any(tmp_path.glob("canopy-*.md")), "the export")
        await play.press("h", "i")
        assert app.main.transcript.has_focus  # so that the keys of playing go on
        await play.press("enter")
        await play.until(lambda: isinstance(app.screen, DetailScreen), "the call alone")
        await play.press("escape", "ctrl+o", "f1")
        await play.shows("Step to what changed next")
        await play.press("escape")
        await play.shows("Space again")
        await play.press("space")
        await play.until(lambda: not app.is_running, "the end")
    assert app.wants_more
    assert app.return_code == 0
