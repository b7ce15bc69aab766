"""What the client remembers from run to run: sent prompts, and drafts that were not sent.

Files are private (0600), bounded, replaced in one step, and a broken one is as good as none. What
a prompt is for is not known here.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from canopy_shared import jsonio
from canopy_shared.ordinary import read_end, read_ordinary
from canopy_tui.kept.unkept import Unkept
from canopy_tui.model.shelf import Draft

HISTORY_LIMIT = 2000
"""Prompts kept over all directories."""
DRAFT_LIMIT = 200
TEXT_LIMIT = 100_000
"""Characters; a longer prompt is not kept."""
DRAFT_SIZE = 8_000_000
"""Bytes of one draft with its pastes; a larger one is not kept."""
PICTURE_DAYS = 30
HISTORY_SIZE = 8_000_000
"""Bytes of the prompts that are kept."""
_COMPACT_ABOVE = HISTORY_LIMIT * 2


class PromptHistory:
    """Sent prompts of all directories, one JSON line each."""

    def __init__(self, folder: Path, unkept: Unkept | None = None) -> None:
        self._file = folder / "history.jsonl"
        self._unkept = unkept or Unkept()

    def of(self, directory: Path) -> list[str]:
        """The prompts sent in ``directory``, oldest first, each text once at its last place."""
        wanted = str(directory)
        return _each_once(row["text"] for row in self._rows() if row["directory"] == wanted)

    def everywhere(self) -> list[str]:
        """The prompts of all directories, in the same way."""
        return _each_once(row["text"] for row in self._rows())

    def times(self) -> dict[str, float]:
        """When each was sent last, in epoch seconds."""
        rows = ((row["text"], row.get("at")) for row in self._rows())
        return {text: float(at) for text, at in rows if isinstance(at, int | float)}

    def add(self, directory: Path, text: str) -> None:
        """Remember a prompt."""
        if not text.strip() or len(text) > TEXT_LIMIT:
            return
        row = {"at": int(time.time()), "directory": str(directory), "text": text}
        try:
            _append(self._file, jsonio.dumps(row) + b"\n")
            self._compact()
        except OSError as error:
            self._unkept("the prompt history", error)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for line in _lines(self._file, HISTORY_SIZE)[-HISTORY_LIMIT:]:
            try:
                row = jsonio.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and _are_texts(row.get("directory"), row.get("text")):
                yield row

    def _compact(self) -> None:
        twice = HISTORY_SIZE * 2
        if self._file.stat().st_size > twice or len(_lines(self._file, twice)) > _COMPACT_ABOVE:
            rows = (jsonio.dumps(row) + b"\n" for row in self._rows())
            replace_file(self._file, b"".join(rows))


class Drafts:
    """Unsent messages by key: a session id, or a directory, whose draft is the last written there.

    One file each, so that two clients do not overwrite each other's.
    """

    def __init__(self, folder: Path, unkept: Unkept | None = None) -> None:
        self._folder = folder / "drafts"
        self._unkept = unkept or Unkept()

    def get(self, key: str) -> Draft:
        """The draft, empty when there is none."""
        return self._read(key)[0]

    def left(
        self, directory: str, holder: Callable[[str], str | None], *, goes_on: bool = False
    ) -> Draft:
        """The draft of a directory, unless somebody still writes it: ``holder`` names the client
        that has a session open. ``goes_on``: an old session is opened, which has its own draft, so
        that one written in a session is not for it.
        """
        draft, session = self._read(directory)
        return Draft() if session and (goes_on or holder(session) is not None) else draft

    def keep(self, directory: str, session: str, draft: Draft) -> None:
        """Keep what is unsent for ``session`` (empty before there is one); nothing removes it."""
        last, owner = self._read(directory)
        if session:
            self._write(session, draft, session)
        if not directory:
            return
        if draft.text:
            if last == draft and owner not in ("", session):
                self._write(owner, Draft(), owner)  # it was taken over from that session
            self._write(directory, draft, session)
        elif owner in ("", session):
            self._write(directory, draft, session)

    def _write(self, key: str, draft: Draft, session: str) -> None:
        file = self._file(key)
        try:
            if not draft.text:
                file.unlink(missing_ok=True)
                return
            row = {
                "key": key,
                "session": session,
                "text": draft.text,
                "pasted": dict(draft.pasted),
                "pictures": dict(draft.pictures),
            }
            content = jsonio.dumps(row)
            if len(content) > DRAFT_SIZE:
                self._unkept.too_large("the draft", DRAFT_SIZE)
                return
            replace_file(file, content)
            _keep_newest(self._folder, DRAFT_LIMIT, file)
        except (OSError, ValueError) as error:
            self._unkept("the draft", error)

    def _read(self, key: str) -> tuple[Draft, str]:
        """The draft, and the session in which it was written."""
        try:
            row = jsonio.loads(read_ordinary(self._file(key), DRAFT_SIZE))
        except (OSError, ValueError):
            return Draft(), ""
        if not isinstance(row, dict) or not _are_texts(row.get("text"), row.get("session")):
            return Draft(), ""
        draft = Draft(row["text"], _texts(row.get("pasted")), _texts(row.get("pictures")))
        return draft, row["session"]

    def _file(self, key: str) -> Path:
        return self._folder / f"{_digest(key.encode('utf-8', 'surrogatepass'))}.json"


class Pictures:
    """Pictures from the clipboard, kept as files so that a draft finds them again."""

    def __init__(self, folder: Path, unkept: Unkept | None = None) -> None:
        self._folder = folder / "pictures"
        self._unkept = unkept or Unkept()

    def keep(self, content: bytes, ending: str) -> str:
        """The path of the file; empty when it could not be written."""
        file = self._folder / f"{_digest(content)}.{ending}"
        try:
            replace_file(file, content)
            old = time.time() - PICTURE_DAYS * 86400
            for other in self._folder.iterdir():
                if other.stat().st_mtime < old:
                    other.unlink(missing_ok=True)
        except OSError as error:
            self._unkept("a picture", error)
            return ""
        return str(file)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _texts(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {key: text for key, text in pairs if isinstance(text, str)}


def _keep_newest(folder: Path, limit: int, newest: Path) -> None:
    others = [file for file in folder.iterdir() if file != newest]
    if len(others) >= limit:
        others.sort(key=lambda file: file.stat().st_mtime)
        for file in others[: len(others) - limit + 1]:
            file.unlink(missing_ok=True)


def _each_once(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        found.pop(text, None)
        found[text] = None
    return list(found)


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _lines(file: Path, most: int) -> list[bytes]:
    try:
        return read_end(file, most).splitlines()
    except OSError:
        return []


def _append(file: Path, line: bytes) -> None:
    """Add a line in one write, so that two clients do not mix theirs; a line that was cut off
    before it stays alone.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size and _last_byte(descriptor, size) != b"\n":
            line = b"\n" + line
        os.write(descriptor, line)
    except OSError as error:
        _name_place(error, file)
        raise
    finally:
        os.close(descriptor)


def _name_place(error: BaseException, file: Path) -> None:
    """A full disk says only that it is full."""
    if isinstance(error, OSError) and error.filename is None:
        error.filename = str(file)


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def replace_file(file: Path, content: bytes) -> None:
    """Write a file whole or not at all; ``mkstemp`` makes it private."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except BaseException as error:
        _name_place(error, file)
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
