"""What each door of the command loads before it is of use, seen from outside the process.

``-X importtime`` names every module at the moment it is loaded, so nothing has to be built into
the program to be measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HANG_SECONDS = 60
HEAVY = frozenset({"acp", "anyio", "claude_agent_sdk", "mcp", "pydantic", "rich", "textual"})
STDIO_MODULES = 160

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": 1, "clientCapabilities": {}},
}


def loaded_modules(stderr: str) -> set[str]:
    """Names in the table of ``-X importtime``: ``import time: self | cumulative |   name``."""
    lines = [line for line in stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines[1:]}


def run(folder: Path, *arguments: str, stdin: str = "") -> tuple[str, set[str]]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "canopy_tui", *arguments],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, loaded_modules(done.stderr)


def packages_of(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_asking_for_the_version_loads_no_door(tmp_path: Path, flag: str) -> None:
    stdout, modules = run(tmp_path, flag)
    assert "canopy" in stdout
    assert "canopy_tui.cli" in modules
    assert packages_of(modules) & HEAVY == set()
    assert {name for name in modules if name.startswith("canopy_agent")} == set()


def test_initialize_is_answered_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    stdout, modules = run(tmp_path, "--stdio", stdin=json.dumps(INITIALIZE) + "\n")
    answers = [json.loads(line) for line in stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [0]
    assert answers[0]["result"]["protocolVersion"] == 1
    assert packages_of(modules) & HEAVY == set()
    assert len(modules) <= STDIO_MODULES, sorted(modules)
