"""A terminal that goes away without a word: no hangup is sent, writing just fails."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import termios
from typing import TYPE_CHECKING

import pytest

from canopy_tui.kept.trust import TrustedDirectories
from canopy_tui.view.terminal.output import LastingOutput, of_the_terminal
from fakes.agent import FakeAgentScript
from fakes.cli import is_running
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_client_without_its_terminal_ends_with_its_agent(tmp_path: Path) -> None:
    script = FakeAgentScript(tmp_path / "agent")
    TrustedDirectories(tmp_path / "canopy" / "state").give(str(tmp_path), keep=True)
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    command = (sys.executable, "-m", "canopy_tui", "--agent", shlex.join(script.command))
    place = {"CANOPY_CONFIG_DIR": str(tmp_path / "canopy"), "TERM": "xterm-256color"}
    client = await asyncio.create_subprocess_exec(
        *command,
        cwd=tmp_path,
        env={**os.environ, **place},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,  # so that the kernel has nobody to send the hangup to
    )
    os.close(theirs)
    os.set_blocking(ours, False)
    seen = b""

    def shown() -> bool:
        nonlocal seen
        try:
            seen += os.read(ours, 65536)
        except BlockingIOError:
            return False
        return b"essage, or" in seen and bool(script.pids())

    def written() -> bool:
        shown()
        return b"words" in seen

    try:
        await eventually(shown, "the first screen", bound=60)
        os.write(ours, b"\xff\xe9some\xf0\x90 words\xfe")  # noise is no key, and no end
        await eventually(written, "the words", bound=60)
        os.close(ours)
        await asyncio.wait_for(client.wait(), 60)
        await eventually(lambda: not any(map(is_running, script.pids())), "the end of the agent")
    finally:
        if client.returncode is None:
            client.kill()
            await client.wait()


def test_an_output_that_fails_takes_everything_and_tells_once(tmp_path: Path) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGHUP, lambda number, _frame: told.append(number))
    try:
        with (tmp_path / "file").open("w") as file:
            output = LastingOutput(file)
            assert output.write("here") == 4
            file.close()
            for _ in range(3):
                assert output.write("nobody") == 6
                output.flush()
    finally:
        signal.signal(signal.SIGHUP, before)
    assert told == [signal.SIGHUP]
    assert (tmp_path / "file").read_text() == "here"


def test_the_screen_goes_to_the_terminal_when_errors_go_to_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = os.openpty()
    with (
        os.fdopen(theirs, "w") as screen,
        (tmp_path / "errors").open("w") as errors,
        (tmp_path / "out").open("w") as out,
    ):
        monkeypatch.setattr(sys, "__stdout__", screen)
        assert of_the_terminal(errors) is screen
        assert of_the_terminal(screen) is screen
        monkeypatch.setattr(sys, "__stdout__", out)
        assert of_the_terminal(screen) is screen
        assert of_the_terminal(errors) is errors
        monkeypatch.setattr(sys, "__stdout__", None)
        assert of_the_terminal(errors) is errors
    os.close(ours)
