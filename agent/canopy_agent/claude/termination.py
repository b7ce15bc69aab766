"""Ends a CLI together with everything it started.

It must not know what the process is. Where the system has no groups or no ``/proc`` it does less.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.02

TERM = signal.SIGTERM
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL.


@dataclass(frozen=True, slots=True)
class Descendant:
    """One running process: its id, and its start time, which tells it from a later one."""

    pid: int
    born: str


def signal_group(pid: int, number: int) -> bool:
    """Send signal ``number`` (0: none, only ask) to the group that ``pid`` leads.

    False when no such group is left, or the system has no groups.
    """
    if not hasattr(os, "killpg"):
        return False
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def descendants(pid: int) -> tuple[Descendant, ...]:
    """What ``pid`` and its children started and still is their child, in other groups too.

    The CLI runs each shell command in a session of its own, which a signal to its group does not
    reach (2.1.332). Empty where there is no ``/proc``.
    """
    children: dict[int, list[Descendant]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        stat = _stat(int(folder.name))
        if stat is not None:
            parent, born = stat
            children.setdefault(parent, []).append(Descendant(int(folder.name), born))
    found: list[Descendant] = []
    parents = [pid]
    while parents:
        under = children.get(parents.pop(), [])
        found += under
        parents += [child.pid for child in under]
    return tuple(found)


def kill_all(processes: tuple[Descendant, ...]) -> None:
    """SIGKILL those of ``processes`` that still run."""
    for process in processes:
        stat = _stat(process.pid)
        if stat is not None and stat[1] == process.born:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, KILL)


async def sweep_group(pid: int, *, patience: float = 0.5) -> None:
    """End what is left of a group whose leader is gone: SIGTERM, then SIGKILL.

    Must be called soon after the leader's end, before its number can be given to another process.
    """
    if not signal_group(pid, TERM):
        return
    # Bounded, since a zombie whose new parent does not reap it still counts as a member.
    for _ in range(round(patience / _POLL)):
        await asyncio.sleep(_POLL)
        if not signal_group(pid, 0):
            return
    signal_group(pid, KILL)


def _stat(pid: int) -> tuple[int, str] | None:
    """Parent id and start time of a process; proc(5), fields 4 and 22."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode(errors="replace")
    except OSError:
        return None
    # The name in field 2 may hold spaces and brackets.
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), fields[19]
