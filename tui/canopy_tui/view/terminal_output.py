"""Ends the program when its terminal goes away without a hangup signal.

Textual 8.2.8 writes on a thread that ends with the first error; its queue fills then, and the app
waits for it for ever, deaf to signals. It reads on a thread that turns without rest at the end of
the input. What is drawn and typed is not known here.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

from canopy_tui import terminal_guard

if TYPE_CHECKING:
    from textual.driver import Driver

_HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)


def tell_hangup() -> None:
    """Do what the kernel does for the processes of a terminal that is gone."""
    os.kill(os.getpid(), _HANGUP)


def watch(descriptor: int) -> None:
    """Block until the terminal of this descriptor is gone, then tell it."""
    poll = select.poll()
    poll.register(descriptor, 0)
    if any(event & select.POLLHUP for _, event in poll.poll()):
        tell_hangup()


class LastingOutput:
    """A text file that takes everything. The first error is told to the process as a hangup, what
    comes later is dropped.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._gone = False

    def write(self, text: str) -> int:
        """Write ``text``, if anybody is there; gives its length."""
        self._try(lambda: self._file.write(text))
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        self._try(self._file.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def _try(self, call: Any) -> None:
        if self._gone:
            return
        try:
            call()
        except BlockingIOError:
            # a program that had the terminal left it non-blocking; what did not fit stays buffered
            with contextlib.suppress(OSError, ValueError):
                os.set_blocking(self._file.fileno(), True)
                self._file.flush()
        except (OSError, ValueError):
            self._gone = True
            tell_hangup()


def of_the_terminal(file: IO[str]) -> IO[str]:
    """``file``, which is stderr in Textual, or stdout when only that is the terminal: errors may
    be on their way to a file (``canopy 2> errors``), which must not get the screen.
    """
    out = sys.__stdout__
    return out if out is not None and not file.isatty() and out.isatty() else file


def lasting(driver: type[Driver]) -> type[Driver]:
    """The same driver, which writes to a :class:`LastingOutput` if it writes to a file, whose
    terminal is watched, and which tells the guard of the terminal when it draws.
    """

    class LastingDriver(driver):  # type: ignore[valid-type, misc]
        _watched = False

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            file = getattr(self, "_file", None)
            if file is not None:
                self._file = LastingOutput(of_the_terminal(file))

        def start_application_mode(self) -> None:
            self._tell_guard()
            super().start_application_mode()
            stdin = sys.__stdin__
            if not self._watched and hasattr(select, "poll") and stdin is not None:
                self._watched = True
                arguments = (stdin.fileno(),)
                name = "terminal-watch"
                threading.Thread(target=watch, args=arguments, daemon=True, name=name).start()

        def close(self) -> None:
            super().close()  # everything is written now
            guard = terminal_guard.present()
            if guard is not None:
                guard.has_left()

        def _tell_guard(self) -> None:
            guard = terminal_guard.present()
            if guard is not None:
                guard.draws(self.fileno, self._patch_iflag, self._patch_lflag)

    return LastingDriver
