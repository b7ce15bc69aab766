"""Notes of the sessions that clients on this machine have open, one locked file each.

The system lets go of a lock when its process ends in any way: a note that nobody holds is of a
client that did not leave by itself. What follows from that is not known here.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_shared.ordinary import open_ordinary
from canopy_tui.kept.unkept import Unkept

if TYPE_CHECKING:
    from canopy_tui.model import events as e

_LIMIT = 64 * 1024
_TITLE = 200
_FAR = 1 << 30
"""Where Windows locks a byte: its locks keep others from reading."""
_OLD = 30 * 86400.0


@dataclass(frozen=True, slots=True)
class LeftSession:
    """A session that was open in a client which ended without leaving."""

    session: str
    cwd: str
    title: str


@dataclass(slots=True)
class _Note:
    file: IO[bytes]
    path: Path
    content: dict[str, Any]


class OpenSessions:
    """The notes below ``folder``."""

    def __init__(self, folder: Path, unkept: Unkept | None = None) -> None:
        self._folder = folder / "open"
        self._unkept = unkept or Unkept()
        self._notes: dict[str, _Note] = {}
        self._loading: dict[str, str] = {}
        """Titles of stored sessions that are being opened: they hold messages."""

    def observe(self, event: e.Event) -> None:
        """Follow what happens in the client."""
        from canopy_tui.model import events as e

        match event:
            case e.ReplayStarted(session=session, title=title):
                self._loading[session] = title
            case e.ReplayFailed(session=session):
                self._loading.pop(session, None)
            case e.SessionOpened(session=session, cwd=cwd):
                self.take(session, cwd)
                if session in self._loading:
                    self.spoken(session, self._loading.pop(session))
            case e.SessionClosed(session=session):
                self.release(session)
            case e.PromptSent(session=session, text=text):
                self.spoken(session, text)

    def take(self, session: str, cwd: str) -> None:
        """Note that this client has ``session`` open; where another has, its note stays."""
        if session in self._notes:
            return
        path = self._path(session)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        except OSError as error:
            self._unkept("which sessions are open", error)
            return
        if not _lock(file):
            file.close()
            return
        before = _content(file)
        content = {"session": session, "cwd": cwd, "pid": os.getpid(), "at": time.time()}
        content["title"] = before.get("title", "")
        self._notes[session] = note = _Note(file, path, content)
        self._write(note)

    def spoken(self, session: str, text: str) -> None:
        """The session holds a message: it can be gone on with."""
        note = self._notes.get(session)
        if note is not None and not note.content.get("title"):
            note.content["title"] = " ".join(text.split())[:_TITLE] or "…"
            self._write(note)

    def release(self, session: str) -> None:
        """The session is closed."""
        note = self._notes.pop(session, None)
        if note is not None:
            # A file that is open cannot be removed on Windows, and elsewhere one that is closed may
            # be somebody else's by then.
            if os.name == "nt":
                note.file.close()
            with contextlib.suppress(OSError):
                note.path.unlink()
            note.file.close()

    def release_all(self) -> None:
        """The client leaves by itself."""
        for session in list(self._notes):
            self.release(session)
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def holder(self, session: str) -> str | None:
        """Who else has ``session`` open, as a word or two; None for nobody."""
        path = self._path(session)
        if session in self._notes or not path.exists() or _is_free(path):
            return None
        pid = _read(path).get("pid")
        return f"(process {pid})" if isinstance(pid, int) else "(unknown process)"

    def left_behind(self, cwd: str) -> LeftSession | None:
        """The newest session of ``cwd`` whose client ended without leaving. It is told once: every
        note that nobody holds is removed.
        """
        found: list[tuple[float, LeftSession]] = []
        ours = {note.path for note in self._notes.values()}
        with contextlib.suppress(OSError):
            for path in self._folder.glob("*.json"):
                note = _read(path) if path not in ours and _is_free(path) else {}
                if not note or (note.get("cwd") != cwd and time.time() - _at(note) < _OLD):
                    continue
                title, session = note.get("title"), note.get("session")
                if note.get("cwd") == cwd and isinstance(session, str) and title:
                    found.append((_at(note), LeftSession(session, cwd, str(title))))
                path.unlink(missing_ok=True)
        return max(found, key=lambda one: one[0])[1] if found else None

    def _write(self, note: _Note) -> None:
        try:
            note.file.seek(0)
            note.file.truncate()
            note.file.write(jsonio.dumps(note.content))
        except OSError as error:
            error.filename = error.filename or str(note.path)
            self._unkept("which sessions are open", error)

    def _path(self, session: str) -> Path:
        import hashlib

        name = hashlib.sha256(session.encode(errors="replace")).hexdigest()[:32]
        return self._folder / f"{name}.json"


def _at(note: dict[str, Any]) -> float:
    at = note.get("at")
    return float(at) if isinstance(at, (int, float)) else 0.0


def _read(path: Path) -> dict[str, Any]:
    try:
        with open_ordinary(path, 0) as file:
            return _content(file)
    except OSError:
        return {}


def _content(file: IO[bytes]) -> dict[str, Any]:
    try:
        value = jsonio.loads(file.read(_LIMIT))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_free(path: Path) -> bool:
    try:
        with path.open("r+b", buffering=0) as file:
            return _lock(file)
    except OSError:
        return False


def _lock(file: IO[bytes]) -> bool:
    """Lock ``file`` until this process closes it; False when another process has.

    On POSIX closing any descriptor of a file gives up its locks, so a file that is held is never
    opened a second time.
    """
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
            file.seek(0)
        else:
            os.lockf(file.fileno(), os.F_TLOCK, 1)
    except OSError:
        return False
    return True
