"""Processes that must not outlive this one, even if it is killed: told to whoever sees to that.

Who starts them, and what is done about them, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable

Listener = Callable[[int, bool], None]
"""Is told the number of a process that leads a group, and whether it runs from now on or ended."""

_listener: Listener | None = None


def watch(listener: Listener | None) -> None:
    """Tell ``listener`` from now on; None: nobody."""
    global _listener
    _listener = listener


def started(pid: int) -> None:
    """A process of ours runs."""
    if _listener is not None:
        _listener(pid, True)


def ended(pid: int) -> None:
    """It is gone, with its group."""
    if _listener is not None:
        _listener(pid, False)
