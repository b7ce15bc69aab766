"""``canopy --plain`` in a directory that is new: a question on a terminal, and what it starts."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

from fakes.agent import FakeAgentScript, ask_permission, said

HANG_SECONDS = 90


def run(
    script: FakeAgentScript, stdin: int, stderr: int, place: Path
) -> subprocess.CompletedProcess[bytes]:
    words = ("--plain", "--agent", json.dumps(script.command), "go")
    return subprocess.run(
        [sys.executable, "-m", "canopy_tui", *words],
        cwd=place,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        timeout=HANG_SECONDS,
        check=False,
        env={**os.environ, "CANOPY_CONFIG_DIR": str(script.folder / "config")},
    )


def test_a_new_directory_is_asked_about_on_the_terminal_alone(tmp_path: Path) -> None:
    place = tmp_path / "new \x1b[31m\u202eplace"
    place.mkdir()
    steps = [ask_permission("p", "$SESSION", "t1"), {"answered": "p"}, {"update": said("Done.")}]
    script = FakeAgentScript(tmp_path / "agent", **{"session/prompt": [steps]})

    nobody = run(script, subprocess.DEVNULL, subprocess.PIPE, place)
    assert (nobody.returncode, nobody.stdout) == (2, b"")
    assert b"--trust trusts it for this run" in nobody.stderr
    person, terminal = pty.openpty()
    os.write(person, b"maybe\n3\n")
    assert run(script, terminal, terminal, place).returncode == 2
    assert script.pids() == []

    os.write(person, b"1\n2\n")  # trust it; then reject what the agent asks
    (place / "CLAUDE.md").touch()
    done = run(script, terminal, terminal, place)
    assert done.returncode == 0, done
    told = os.read(person, 65536).decode()
    assert "Do you trust this directory?" in told
    assert "It holds CLAUDE.md." in told
    assert "new \u241b[31m<U+202E>place" in told
    assert "That is no answer: type a number from 1 to 3." in told
    assert "Do you trust" not in done.stdout.decode()
    assert script.answers()[0]["result"]["outcome"]["optionId"] == "no"
    again = run(script, subprocess.DEVNULL, subprocess.PIPE, place)
    assert (again.returncode, again.stderr) == (4, b"")  # trusted for good; nobody to answer
    os.close(person)
    os.close(terminal)
