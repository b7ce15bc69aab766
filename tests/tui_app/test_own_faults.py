"""A fault of the client itself: it is logged whole; the terminal shows little, and no values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual._context import active_app
from textual.worker import WorkerFailed

from canopy_tui.app_run import logging_to
from canopy_tui.paths import LOG
from canopy_tui.view.apps.own_fault import told
from tui_app.playing import playing

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "sk-ant-of-nobody-else"


class FaultError(Exception):
    """Nothing of the product raises it."""


def deep(times: int) -> None:
    """Fail with a token in a variable, below more frames than anybody reads."""
    token = TOKEN
    if times:
        deep(times - 1)
    raise FaultError(f"no {len(token)} \x1b[2Jof them [bold]")


async def failing() -> None:
    """The same in a worker."""
    deep(0)


async def end_by_a_fault(tmp_path: Path, *calls: Any, expected: type[Exception]) -> str:
    """Run the app until the first of ``calls`` ends it; gives what was kept of the draft."""
    kept: list[str] = []

    async def play_until_the_end() -> None:
        async with playing(
            log_file=str(tmp_path / LOG), on_draft=lambda _id, draft: kept.append(draft.text)
        ) as play:
            await play.write("half a message")
            for call in calls:
                play.app.call_later(call)
            await play.until(lambda: not play.app.is_running, "the end")

    with logging_to(tmp_path), pytest.raises(expected):
        await play_until_the_end()
    return kept[-1]


async def test_a_fault_is_logged_whole_and_told_in_short(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert await end_by_a_fault(tmp_path, lambda: deep(30), expected=FaultError) == "half a message"
    log = (tmp_path / LOG).read_text(encoding="utf-8")
    assert "FaultError: no 21" in log
    assert "on_event" in log, "the beginning"
    assert TOKEN not in log
    assert "\x1b" not in log
    shown = capfd.readouterr().err
    assert "a fault of its own" in shown
    assert "FaultError: no 21 ␛[2Jof them [bold]\n" in shown
    assert "in deep" in shown
    assert f"All of it is at the end of {tmp_path / LOG}\n" in shown
    assert TOKEN not in shown
    assert len(shown.splitlines()) < 15
    assert "\x1b[2J" not in shown


async def test_a_fault_in_a_worker_is_told_as_what_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def begin() -> None:
        active_app.get().run_worker(failing())

    await end_by_a_fault(tmp_path, begin, expected=WorkerFailed)
    assert "in failing" in (tmp_path / LOG).read_text(encoding="utf-8")
    shown = capfd.readouterr().err
    assert "\nFaultError: no 21" in shown
    assert "WorkerFailed" not in shown


async def test_of_several_faults_the_first_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def another() -> None:
        raise KeyError("one more")

    await end_by_a_fault(tmp_path, lambda: deep(0), another, expected=FaultError)
    shown = capfd.readouterr().err
    assert shown.count("a fault of its own") == 1
    assert "textual run" not in shown
    assert "KeyError" not in shown


def test_no_log_is_named_that_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    for name in ("", str(tmp_path / "empty.log"), str(tmp_path / "none.log")):
        assert "All of it" not in told(FaultError("x" * 10_000), name)
    assert len(told(FaultError("x" * 10_000), "")) < 500
