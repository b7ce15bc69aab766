"""A folder as Windows has them, with scripts as npm makes them, and ways to run Canopy beside it.

The scripts are batch files on Windows and shell scripts of the same name elsewhere. It must not
know what is tested.
"""

from __future__ import annotations

import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

FAKES = Path(__file__).parent.parent / "fakes"
WINDOWS_PYTHON = Path(__file__).with_name("windows_python.py")
BOUND = 120.0  # for what takes some seconds

_AGENT = """\
import json, pathlib, runpy, sys
here = pathlib.Path(__file__).parent
(here / "arguments.json").write_text(json.dumps(sys.argv[1:]))
fake = {fake!r}
sys.argv = [fake, str(here / "script.json"), str(here / "record.jsonl")]
runpy.run_path(fake, run_name="__main__")
"""


def folder(parent: Path) -> Path:
    """One whose name has what the shells of Windows treat in their own way."""
    made = parent / "Ann Other & Co"
    made.mkdir()
    return made


def agent_script(place: Path, **script: Any) -> Path:
    """``agent.cmd``, which starts a fake agent with ``script`` and notes its arguments."""
    (place / "script.json").write_text(json.dumps(script))
    (place / "agent.py").write_text(_AGENT.format(fake=str(FAKES / "fake_agent.py")))
    if os.name == "nt":
        text = f'@echo off\n"{sys.executable}" -I "%~dp0agent.py" %*\n'
    else:
        text = f'#!/bin/sh\nexec "{sys.executable}" -I "${{0%/*}}/agent.py" "$@"\n'
    made = place / "agent.cmd"
    made.write_text(text)
    made.chmod(0o755)
    return made


def cli_script(place: Path) -> Path:
    """``claude.cmd`` of npm and the ``claude.exe`` that it starts, a fake Claude CLI."""
    program = place / "node_modules" / "@anthropic-ai" / "claude-code" / "bin" / "claude.exe"
    program.parent.mkdir(parents=True)
    if os.name == "nt":
        # pip has this with it, to make the programs that it puts beside python.exe.
        scripts = importlib.import_module("pip._vendor.distlib.scripts")
        maker = scripts.ScriptMaker(None, str(program.parent))
        maker.executable, maker.variants = sys.executable, {""}
        maker.make("claude = fake_cli:main")
    else:
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKES / "fake_cli.py"}" "$@"\n')
        program.chmod(0o755)
    made = place / "claude.cmd"
    made.write_text('"%dp0%\\node_modules\\@anthropic-ai\\claude-code\\bin\\claude.exe"   %*\n')
    made.chmod(0o755)
    return made


def command(*words: str) -> list[str]:
    """How to run ``windows_python.py``."""
    return [sys.executable, str(WINDOWS_PYTHON), *words]


def environment(place: Path, **more: str) -> dict[str, str]:
    """Ours, with what Canopy keeps below ``place``."""
    return {**os.environ, "CANOPY_CONFIG_DIR": str(place / "kept"), **more}


class Talk:
    """A running ``canopy --stdio``: requests go out, the lines that come are kept."""

    def __init__(self, words: list[str], env: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=env)
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.stderr = b""
        self.seen: list[dict[str, Any]] = []
        self._readers = [threading.Thread(target=read) for read in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self.stderr = self._process.stderr.read()

    def ask(self, number: int, method: str, **params: Any) -> Any:
        """The result of a request; what came before it is in ``seen``."""
        asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        while True:
            line = self._lines.get(timeout=BOUND)
            assert line, f"it ended: {self.stderr.decode(errors='replace')}"
            frame = json.loads(line)
            if frame.get("id") == number and "method" not in frame:
                assert "result" in frame, frame
                return frame["result"]
            self.seen.append(frame)

    def end(self) -> int:
        """Close its stdin and wait; gives the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            return self._process.wait(BOUND)
        finally:
            self._process.kill()
            self._process.wait()
            for reader in self._readers:
                reader.join(BOUND)
            for pipe in (self._process.stdout, self._process.stderr):
                if pipe is not None:
                    pipe.close()
