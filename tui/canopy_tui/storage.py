"""What the client remembers from run to run: sent prompts, and drafts that were not sent.

Files are private (0600), bounded, replaced in one step, and a broken one is as good as none. What
a prompt is for is not known here.
"""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from canopy_shared import jsonio

log = logging.getLogger(__name__)

HISTORY_LIMIT = 2000
"""Prompts kept over all directories."""
DRAFT_LIMIT = 200
TEXT_LIMIT = 100_000
"""Characters; a longer text is not kept."""
_COMPACT_ABOVE = HISTORY_LIMIT * 2


class PromptHistory:
    """Sent prompts of all directories, one JSON line each."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "history.jsonl"

    def of(self, directory: Path) -> list[str]:
        """The prompts sent in ``directory``, oldest first, each text once at its last place."""
        wanted = str(directory)
        texts: dict[str, None] = {}
        for row in self._rows():
            if row["directory"] == wanted:
                texts.pop(row["text"], None)
                texts[row["text"]] = None
        return list(texts)

    def add(self, directory: Path, text: str) -> None:
        """Remember a prompt. Failing to write is logged and nothing more."""
        if not text.strip() or len(text) > TEXT_LIMIT:
            return
        row = {"at": int(time.time()), "directory": str(directory), "text": text}
        try:
            _append(self._file, jsonio.dumps(row) + b"\n")
            self._compact()
        except OSError as error:
            log.warning("the prompt history could not be written: %s", error)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for line in _lines(self._file)[-HISTORY_LIMIT:]:
            try:
                row = jsonio.loads(line)
            except ValueError:
                continue
            if isinstance(row, dict) and _are_texts(row.get("directory"), row.get("text")):
                yield row

    def _compact(self) -> None:
        if len(_lines(self._file)) > _COMPACT_ABOVE:
            rows = (jsonio.dumps(row) + b"\n" for row in self._rows())
            _replace(self._file, b"".join(rows))


class Drafts:
    """Unsent text by key: a session id, or a directory before there is one."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "drafts.json"

    def get(self, key: str) -> str:
        """The draft, empty when there is none."""
        return self._all().get(key, "")

    def put(self, key: str, text: str) -> None:
        """Keep a draft; an empty text removes it. Failing to write is logged and nothing more."""
        drafts = self._all()
        if drafts.pop(key, "") == text:
            return
        if text and len(text) <= TEXT_LIMIT:
            drafts[key] = text
        newest = dict(list(drafts.items())[-DRAFT_LIMIT:])
        try:
            _replace(self._file, jsonio.dumps(newest))
        except OSError as error:
            log.warning("the draft could not be written: %s", error)

    def _all(self) -> dict[str, str]:
        try:
            stored = jsonio.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        pairs = stored.items() if isinstance(stored, dict) else ()
        return {key: text for key, text in pairs if isinstance(text, str)}


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().splitlines()
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
    finally:
        os.close(descriptor)


def _last_byte(descriptor: int, size: int) -> bytes:
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)


def _replace(file: Path, content: bytes) -> None:
    """Write a file whole or not at all; ``mkstemp`` makes it private."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
