"""What surrounds an app while it runs: a log in place of the screen, signals that leave in order.

It knows that an app can be left; which app it is, and what it is for, is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_tui.paths import LOG

if TYPE_CHECKING:
    from canopy_tui.view.apps.app import CanopyApp

_LOG_SIZE = 1_000_000


@contextlib.contextmanager
def leaving_on_signals(app: CanopyApp) -> Iterator[None]:
    """Leave as if the person had, so that the terminal is restored and the agent stopped."""
    loop = asyncio.get_running_loop()
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGINT")]
    caught = []
    for number in numbers:
        if number is not None:
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, partial(_leave, app, 128 + number))
                caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)


def _leave(app: CanopyApp, code: int) -> None:
    if (app.away or app.terminal_is_lent) and code == 128 + signal.SIGINT:
        return  # Ctrl+C is for the editor or login that has the terminal
    if app.main.is_mounted:
        app.leave()  # keeps the draft
    app.exit(return_code=code)


class _BoundedLog(logging.FileHandler):
    """Begins anew when it is large. What cannot be written is dropped: a complaint of ``logging``
    on stderr would be on the app's screen.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Write it, below what there is or on a new page."""
        with contextlib.suppress(OSError, ValueError):
            if self.stream is not None and self.stream.tell() > _LOG_SIZE:
                self.stream.truncate(0)
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say nothing."""


class _Harmless(logging.Formatter):
    """What is quoted in a line may be foreign, and a log is looked at in a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Without control codes."""
        from canopy_tui.model.sanitize import for_file

        text = super().format(record).encode("utf-8", "backslashreplace").decode()
        return for_file(text)


@contextlib.contextmanager
def logging_to(folder: Path) -> Iterator[None]:
    """Warnings go to ``canopy.log``, since the screen is the app's; without a file nowhere."""
    file = folder / LOG
    handler: logging.Handler = logging.NullHandler()
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.exists() and (not file.is_file() or file.stat().st_size > _LOG_SIZE):
            file.unlink()  # a named pipe would wait for its reader
        file.touch(mode=0o600)
        handler = _BoundedLog(file, encoding="utf-8")
    handler.setLevel(logging.WARNING)
    handler.setFormatter(_Harmless("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        with contextlib.suppress(OSError):  # a full disk
            handler.close()
