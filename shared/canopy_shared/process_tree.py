"""What a process has started, as far as the system tells: on Linux, from ``/proc``.

It must not know what the processes are. It imports little, so that a process that is forked early
has it.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable
from typing import Final, NamedTuple

KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL.
_PROC: Final = "/proc"


class Descendant(NamedTuple):
    """One running process: its id, and its start time, which tells it from a later one."""

    pid: int
    born: str


def descendants(*pids: int) -> tuple[Descendant, ...]:
    """What ``pids`` and their children started and still is their child, in other groups too.

    The CLI runs each shell command in a session of its own, which a signal to its group does not
    reach (2.1.332). Empty where there is no ``/proc``.
    """
    children: dict[int, list[Descendant]] = {}
    for number in _running():
        stat = _stat(number)
        if stat is not None:
            parent, born = stat
            children.setdefault(parent, []).append(Descendant(number, born))
    found: list[Descendant] = []
    parents = list(pids)
    while parents:
        under = children.get(parents.pop(), [])
        found += under
        parents += [child.pid for child in under]
    return tuple(found)


def born(pid: int) -> str:
    """When a process was started; empty when none of that number runs, or where there is no
    ``/proc``.
    """
    stat = _stat(pid)
    return "" if stat is None else stat[1]


def kill_all(processes: Iterable[Descendant], number: int = KILL) -> None:
    """Send a signal, SIGKILL by default, to those of ``processes`` that still run."""
    for process in processes:
        if born(process.pid) == process.born:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, number)


def _running() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdecimal()]  # noqa: PTH208
    except OSError:
        return []


def _stat(pid: int) -> tuple[int, str] | None:
    """Parent id and start time of a process, unless it is a zombie; proc(5), fields 3, 4 and 22."""
    try:
        with open(f"{_PROC}/{pid}/stat", "rb") as file:  # noqa: PTH123 - pathlib is dear
            text = file.read()
    except OSError:
        return None
    # The name in field 2 may hold spaces and brackets.
    fields = text.rpartition(b")")[2].split()
    return None if fields[0] in (b"Z", b"X") else (int(fields[1]), fields[19].decode())
