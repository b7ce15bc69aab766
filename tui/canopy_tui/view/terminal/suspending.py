"""Gives the terminal back to the shell until the person brings the program back (``fg``).

It stops the whole job, as the kernel does for Ctrl+Z: a program that started this one, such as a
package runner, has to stop too, or the shell would wait for it. It knows no app.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.driver import Driver

_STEP, _STEPS = 0.01, 50
"""The signal stops all threads, but perhaps not at once."""


def is_known_here() -> bool:
    """Whether this system has jobs at all."""
    return hasattr(signal, "SIGTSTP")


def has_shell_above() -> bool:
    """Whether somebody could bring the job back: not where it is all that the terminal runs."""
    return os.getpgrp() != os.getsid(0)


def stop_job() -> bool:
    """Stop, and return when the job is in the foreground again. False: nobody would bring it back,
    and the kernel did not stop it (an orphaned process group of POSIX).
    """
    came_back: list[int] = []
    job = os.getpgrp()
    on_continue = signal.signal(signal.SIGCONT, lambda number, _frame: came_back.append(number))
    on_stop = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.killpg(job, signal.SIGTSTP)
        for _ in range(_STEPS):
            if came_back:
                break
            time.sleep(_STEP)
        while came_back and not _is_in_front(job):  # it was told to go on in the background
            os.killpg(job, signal.SIGSTOP)
            time.sleep(_STEP)
    finally:
        signal.signal(signal.SIGTSTP, on_stop)
        signal.signal(signal.SIGCONT, on_continue)
    return bool(came_back)


def _is_in_front(job: int) -> bool:
    try:
        return sys.__stdin__ is None or os.tcgetpgrp(sys.__stdin__.fileno()) == job
    except (OSError, ValueError):
        return True


def stopping_in_order(driver: type[Driver]) -> type[Driver]:
    """The same driver, which leaves the terminal and comes back between two steps of the loop.

    Textual 8.2.8 does both inside the handler of SIGTSTP or SIGCONT: a deadlock where the signal
    comes while the main thread puts something into the queue of what is to be written.
    """

    class StoppingDriver(driver):  # type: ignore[valid-type, misc]
        _must_signal_resume: bool

        def _sigtstp_application(self, *_: Any) -> None:
            self._soon(super()._sigtstp_application)

        def _sigcont_application(self, *_: Any) -> None:
            self._soon(self._go_on)

        def _go_on(self) -> None:
            if self._auto_restart and not self._must_signal_resume:
                # SIGSTOP gave no chance to leave, and the shell has changed the modes since: a
                # start on top would read the keys with two threads
                self.suspend_application_mode()
                self._must_signal_resume = True
            super()._sigcont_application()

        def _soon(self, call: Callable[[], None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: so does the program
                self._loop.call_soon_threadsafe(call)

    return StoppingDriver
