"""The port to one running Claude Code CLI: frames in, frames out, one bounded end.

It says what a process offers and must not know how it is run: ``cli_process`` and ``sdk_process``
implement it.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

STDERR_TAIL = 8 * 1024
"""How many bytes of the end of the CLI's stderr are kept."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """How to start the CLI: ``argv[0]`` is its path; ``env`` is the whole environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str


_HINTS = {
    "SIGKILL": "If nobody killed it, the system probably ran out of memory.",
    "SIGXFSZ": "A file grew above the limit on file sizes (ulimit -f): raise it.",
    "SIGXCPU": "It used more processor time than the limit allows (ulimit -t): raise it.",
    **dict.fromkeys(
        ("SIGILL", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGTRAP"),
        "It crashed; if it does so again, canopy doctor examines the installation.",
    ),
}


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How the process ended: one of ``code`` and ``signal`` is set, neither if it is not known."""

    code: int | None
    signal: int | None
    stderr_tail: str

    @classmethod
    def of(cls, returncode: int | None, stderr_tail: str) -> ProcessExit:
        """From a ``Popen.returncode``: below zero it is the signal that ended the process."""
        if returncode is None or returncode >= 0:
            return cls(returncode, None, stderr_tail)
        return cls(None, -returncode, stderr_tail)

    def describe(self) -> str:
        """``exit status 1``, ``signal SIGKILL``, or that nothing is known."""
        if self.code is not None:
            return f"exit status {self.code}"
        if self.signal is None:
            return "unknown exit status"
        try:
            return f"signal {signal.Signals(self.signal).name}"
        except ValueError:
            return f"signal {self.signal}"

    @property
    def hint(self) -> str:
        """One sentence on what a signal often means; "" where it means nothing in particular."""
        name = self.describe().removeprefix("signal ")
        return _HINTS.get(name, "") if self.signal is not None else ""


class ClaudeProcess(Protocol):
    """One CLI process. Start it once, read it from one task, close it from any."""

    @property
    def pid(self) -> int | None:
        """The operating system's id, None before the start."""

    @property
    def exit(self) -> ProcessExit | None:
        """How it ended; None while it runs."""

    async def start(self) -> None:
        """Start the process. Raises :class:`~.errors.ClaudeStartFailed` when it cannot run."""

    async def read(self) -> list[dict[str, Any]]:
        """The next frames in order: all that wait already, or the first that come.

        ``[]`` means the end of the stream, now and at every later call. Frames that were read
        before a close are still handed out. A cancelled read loses nothing.
        """

    def write(self, frame: Mapping[str, Any]) -> None:
        """Queue one frame. Never blocks, and drops the frame when the process is gone."""

    async def drain(self) -> None:
        """Wait until the process took what was written, or is gone."""

    async def aclose(self, *, grace: float = 5.0) -> ProcessExit:
        """End the process and say how it ended.

        Its stdin ends; after ``grace`` seconds it gets SIGTERM, a little later SIGKILL, and so
        does every process it left behind in its group. May be called twice, from any task, while
        :meth:`read` waits, and before :meth:`start`. A cancelled call leaves the close running.
        """
