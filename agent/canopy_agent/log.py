"""Where the agent's log goes: stderr, and a file when ``CLAUDE_AGENT_LOGS`` names a directory.

It sets up handlers and writes no line of its own, but for a directory that cannot be used.
"""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from canopy_agent.stderr_lines import StderrLines

FILE = "agent.log"
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class _Lines(logging.Formatter):
    """``<ISO time> pid=<pid> <text>``."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        text = super().format(record)
        return f"{at} pid={os.getpid()} {record.levelname} {record.name}: {text}"


class _File(logging.FileHandler):
    """A file that may become unwritable, as on a full disk; that is said once, on stderr."""

    _told = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - a name of logging
        """Say why no more lines come, instead of one traceback for each."""
        if not self._told:
            self._told = True
            reason = sys.exc_info()[1]
            logging.getLogger(__name__).error("the log cannot be written: %s", reason)


def set_up(level: str = "WARNING", directory: str | None = None) -> None:
    """Log to stderr what is at least as grave as ``level``; with ``directory``, log to a file
    there instead, and only errors to stderr too.
    """
    known = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    stderr = StderrLines()
    stderr.setFormatter(logging.Formatter(_FORMAT))
    handlers: list[logging.Handler] = [stderr]
    problem = None
    if directory:
        try:
            handlers.append(_file(Path(directory)))
            stderr.setLevel(logging.ERROR)
            known = min(known, logging.INFO)
        except OSError as error:
            problem = error.strerror or str(error)
    logging.basicConfig(level=known, handlers=handlers, force=True)
    if problem is not None:
        logging.getLogger(__name__).error("CLAUDE_AGENT_LOGS cannot be used: %s", problem)


def _file(directory: Path) -> logging.Handler:
    """A file that others cannot read, as lines may name paths and servers."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / FILE
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    handler = _File(path, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(_Lines())
    return handler
