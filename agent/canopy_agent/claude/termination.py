"""Ends a CLI together with everything it started.

It must not know what the process is. Where the system has no groups it does less.
"""

from __future__ import annotations

import asyncio
import os
import signal

from canopy_shared.process_tree import KILL

_POLL = 0.02

TERM = signal.SIGTERM


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
