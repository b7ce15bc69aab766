"""Fixtures that more than one folder of tests uses."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from fakes.cli import FakeCli, is_running

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

# Property tests say nothing about time: a slow machine is no reason to fail.
settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Look for garbage less often: what was collected stays, and an app leaves much behind.

    With the thresholds of the interpreter the search takes a third of a test's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 5, 20)


@pytest.fixture
def fake_cli(tmp_path: Path) -> Iterator[FakeCli]:
    """A fake ``claude`` with the default script (it echoes prompts).

    At the end of the test none of its processes may be left.
    """
    fake = FakeCli(tmp_path / "fake-cli")
    yield fake
    left = [pid for pid in fake.pids() if is_running(pid)]
    assert not left, f"processes left by the test: {left}"


def _in_utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let reports hold only what UTF-8 can: xdist would end the whole run over one lone surrogate
    that a hostile test logged.
    """
    report = yield
    report.sections = [(title, _in_utf8(text)) for title, text in report.sections]
    if report.failed and (told := str(report.longrepr)) != _in_utf8(told):
        report.longrepr = _in_utf8(told)
    return report
