"""Ends the program when its terminal goes away without a hangup signal.

Textual 8.2.8 writes on a thread that ends with the first error; its queue fills then, and the app
waits for it for ever, deaf to signals. It reads on a thread that turns without rest at the end of
the input. What is drawn and typed is not known here.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import sys
import threading
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

from canopy_tui.model.glyphs import ASCII, holds_unicode
from canopy_tui.process import terminal_guard, typed_ahead
from canopy_tui.view.terminal.suspending import stopping_in_order

if TYPE_CHECKING:
    from textual.driver import Driver

    from canopy_tui.view.terminal.plain_output import Plain

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
    comes later is dropped. ``plain`` is the table of what the terminal shows instead.
    """

    def __init__(self, file: IO[str], plain: Plain | None = None) -> None:
        self._file = file
        self._plain = plain
        self._gone = False

    def write(self, text: str) -> int:
        """Write ``text``, if anybody is there; gives its length."""
        shown = text if self._plain is None or text.isascii() else text.translate(self._plain)
        self._try(lambda: self._file.write(shown))
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


def _table_for(file: IO[str], glyphs: str) -> Plain | None:
    encoding = getattr(file, "encoding", None)
    if holds_unicode(encoding) and glyphs != ASCII:
        return None
    from canopy_tui.view.terminal.plain_output import plain_for

    return plain_for(encoding, glyphs)


def _take_any_bytes(module: Any) -> None:
    """Textual 8.2.8 ends the app with the first byte that is no UTF-8: noise on the line, a report
    of an old mouse, a letter of a terminal with another encoding. That byte is no key then.
    """
    if module is not None and hasattr(module, "getincrementaldecoder"):
        module.getincrementaldecoder = _lenient_decoder


def _lenient_decoder(_encoding: str) -> Any:
    """Decodes as the terminal writes."""
    encoding = getattr(sys.__stdin__, "encoding", None) or "utf-8"
    if codecs.lookup(encoding).name == "ascii":
        encoding = "utf-8"
    return partial(codecs.getincrementaldecoder(encoding), errors="ignore")


KEEP_TITLE: Final = "\x1b[22;2t"
"""Puts the title of the window on a stack; xterm's control sequences, XTWINOPS."""


def lasting(driver: type[Driver], glyphs: str = "") -> type[Driver]:
    """The same driver, which writes to a :class:`LastingOutput` if it writes to a file, whose
    terminal is watched, and which tells the guard of the terminal when it draws. What is typed may
    be any bytes. While it draws, the window has the title ``window_title``.
    """
    _take_any_bytes(sys.modules.get(driver.__module__))

    class LastingDriver(stopping_in_order(driver)):  # type: ignore[misc]
        window_title = "canopy"
        _watched = False

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            file = getattr(self, "_file", None)
            if file is not None:
                file = of_the_terminal(file)
                self._file = LastingOutput(file, _table_for(file, glyphs))

        def start_application_mode(self) -> None:
            typed_ahead.give_back()
            self._tell_guard()
            super().start_application_mode()
            self.write(f"{KEEP_TITLE}\x1b]2;{self.window_title}\x07")
            stdin = sys.__stdin__
            if not self._watched and hasattr(select, "poll") and stdin is not None:
                self._watched = True
                arguments = (stdin.fileno(),)
                name = "terminal-watch"
                threading.Thread(target=watch, args=arguments, daemon=True, name=name).start()

        def stop_application_mode(self) -> None:
            self.write(terminal_guard.TITLE_BACK)
            super().stop_application_mode()

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
