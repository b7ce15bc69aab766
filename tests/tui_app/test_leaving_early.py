"""Leaving while the screen is still being made: the exit code of the signal, and no traceback."""

from __future__ import annotations

import os
import signal

import pytest
from textual.widget import Widget

from canopy_tui.app_run import leaving_on_signals
from canopy_tui.view.apps.app import CanopyApp
from canopy_tui.view.surroundings import Surroundings
from tui_app.stage import Stage
from waiting import eventually


@pytest.mark.parametrize("part", ["MainScreen", "Composer"])
async def test_a_signal_while_a_part_of_the_screen_is_made(
    part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    app = CanopyApp(Stage(lambda: 0.0).make, Surroundings(directory="/p"))
    made = Widget._compose
    parts: list[str] = []

    async def leaves(self: Widget) -> None:
        if type(self).__name__ == part and part not in parts:
            parts.append(part)
            os.kill(os.getpid(), signal.SIGTERM)
            await eventually(lambda: app.return_code is not None, "an app that leaves")
        await made(self)

    monkeypatch.setattr(Widget, "_compose", leaves)
    with leaving_on_signals(app):
        await app.run_async(headless=True)
    assert parts == [part]
    assert app.return_code == 128 + signal.SIGTERM
    assert "Traceback" not in "".join(capsys.readouterr())
