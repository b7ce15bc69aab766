"""What a test holds of a fake ``claude``: writes its script, gives its environment, reads its log.

It must not know what runs the fake.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from canopy_agent.claude.process import LaunchSpec
from fakes.fake_host import stat_of

EXECUTABLE = Path(__file__).with_name("fake_cli.py")


class FakeCli:
    """One script and one log below ``folder``; any number of processes may use them.

    ``script`` is described in ``fake_cli.py``; :meth:`play` changes it for processes to come.
    """

    def __init__(self, folder: Path, **script: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = str(EXECUTABLE)
        self._script = folder / "script.json"
        self._log = folder / "log.jsonl"
        self.play(**script)

    def play(self, **script: Any) -> None:
        """Set the script: ``play(turns=[[{"open": {}}, {"say": "hi"}, {"done": {}}]])``."""
        self._script.write_text(json.dumps(script))

    @property
    def env(self) -> dict[str, str]:
        """What to add to an environment so that the fake is used and finds its files."""
        return {
            "CLAUDE_CODE_EXECUTABLE": self.path,
            "FAKE_CLI_SCRIPT": str(self._script),
            "FAKE_CLI_LOG": str(self._log),
        }

    def spec(self, cwd: Path) -> LaunchSpec:
        """How to start the fake without arguments."""
        return LaunchSpec((self.path,), {**os.environ, **self.env}, str(cwd))

    def log(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What happened so far, of one ``kind`` or all."""
        if not self._log.exists():
            return []
        whole = self._log.read_text().rpartition("\n")[0]
        entries = [json.loads(line) for line in whole.splitlines()]
        return [entry for entry in entries if kind in (None, entry["kind"])]

    def received(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The frames that came in, of one ``type`` or all; of all processes in order."""
        frames = [entry["frame"] for entry in self.log("in")]
        return [frame for frame in frames if kind in (None, frame["type"])]

    def requests(self, subtype: str | None = None) -> list[dict[str, Any]]:
        """The control requests that came in: their ``request`` objects."""
        asked = [frame["request"] for frame in self.received("control_request")]
        return [request for request in asked if subtype in (None, request["subtype"])]

    def argvs(self) -> list[list[str]]:
        """The arguments of each process, in the order of their start."""
        return [entry["argv"] for entry in self.log("start")]

    def pids(self) -> list[int]:
        """Every process that was started, grandchildren included."""
        started = [Pid.of(entry["pid"], entry["began"]) for entry in self.log("start")]
        return [*started, *self.grandchildren()]

    def grandchildren(self) -> list[int]:
        """The grandchildren that were started."""
        return [Pid.of(entry["child"], entry["began"]) for entry in self.log("child")]


class Pid(int):
    """A process, told from a later one with the same number by when it ``began``."""

    began: str

    @classmethod
    def of(cls, number: int, began: str) -> Pid:
        """The process of this number that began then."""
        pid = cls(number)
        pid.began = began
        return pid


def is_running(pid: int) -> bool:
    """Whether a process still runs. A zombie does not, nor does a later one with its number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    fields = stat_of(pid)
    if not fields:
        return not Path("/proc").exists()
    return fields[0] != "Z" and (not isinstance(pid, Pid) or fields[19] == pid.began)
