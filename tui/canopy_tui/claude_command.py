"""``canopy --cli``: runs the Claude CLI as if it had been called directly.

It must not know where that CLI lies or what its arguments mean.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def run_as_if_called(
    program: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    in_place: bool = os.name == "posix",
) -> int:
    """Run ``program`` on our own stdin, stdout, stderr and terminal; return its exit code.

    ``in_place``: this process becomes the program and the call does not return, so that signals,
    job control and the exit status are the program's own. Otherwise (Windows, whose exec leaves a
    second process behind) it is a child, and Ctrl-C, which the console gives to both, is left to
    it. Raises ``OSError`` if the program cannot be started.
    """
    command = [program, *arguments]
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    if not in_place:
        child = subprocess.Popen(command, env=dict(environment))
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return child.wait()
        finally:
            signal.signal(signal.SIGINT, previous)
    # Python ignores these, and what is ignored stays ignored in the program that follows.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if number := getattr(signal, name, None):
            signal.signal(number, signal.SIG_DFL)
    os.execve(command[0], command, dict(environment))
