"""Where Claude Code keeps its sessions: transcripts of all projects, and what lies beside them.

Blocking; call it in a thread. Layout of Claude Code 2.1: ``projects/<directory>/<id>.jsonl`` and
``<id>/subagents/`` under the configuration directory.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from canopy_shared.ordinary import open_ordinary

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NOT_PLAIN = re.compile(r"[^a-zA-Z0-9]")
_LONGEST_NAME = 200


def is_session_id(value: str) -> bool:
    """Whether ``value`` can be the id of a session; nothing else ever becomes part of a path."""
    return _ID.fullmatch(value) is not None


def folder_name(directory: str) -> str:
    """The name under which the sessions of a directory lie. A long one lacks its hash."""
    return _NOT_PLAIN.sub("-", directory)[:_LONGEST_NAME]


def is_place(path: str) -> bool:
    """Whether ``path`` can be an absolute path at all, whatever lies there."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return os.path.isabs(path) and "\0" not in path  # noqa: PTH117 - the text of a client


def canonical(directory: str) -> str:
    """A directory as Claude Code writes it down: links resolved, composed letters."""
    return unicodedata.normalize("NFC", os.path.realpath(directory))


@dataclass(frozen=True, slots=True)
class Store:
    """The sessions under one configuration directory."""

    config_directory: str

    @property
    def projects(self) -> Path:
        """The folder of all project folders."""
        return Path(unicodedata.normalize("NFC", self.config_directory)) / "projects"

    def folders(self) -> Iterator[Path]:
        """The project folders."""
        try:
            with os.scandir(self.projects) as found:
                folders = sorted(Path(one.path) for one in found if one.is_dir())
        except OSError:
            return
        yield from folders

    def folders_of(self, directory: str) -> Iterator[Path]:
        """The project folders that may hold the sessions of ``directory``."""
        name = folder_name(canonical(directory))
        for folder in self.folders():
            long = len(name) == _LONGEST_NAME and folder.name.startswith(f"{name}-")
            if folder.name == name or long:
                yield folder

    def copies(self, session_id: str) -> list[Path]:
        """Every transcript with this id, the one written last first; empty files do not count."""
        if not is_session_id(session_id):
            return []
        found: list[tuple[int, Path]] = []
        for folder in self.folders():
            path = folder / f"{session_id}.jsonl"
            try:
                stat = path.stat()
            except OSError:
                continue
            if stat.st_size:
                found.append((stat.st_mtime_ns, path))
        return [path for _, path in sorted(found, reverse=True)]

    def find(self, session_id: str) -> Path | None:
        """The transcript of a session, None when there is none."""
        return next(iter(self.copies(session_id)), None)

    def delete(self, session_id: str) -> bool:
        """Remove every copy of a session with its subagents. False when there was none.

        Raises ``OSError`` when a transcript cannot be removed.
        """
        copies = self.copies(session_id)
        for path in copies:
            path.unlink(missing_ok=True)
            shutil.rmtree(beside(path), ignore_errors=True)
        return bool(copies)


def beside(transcript: Path) -> Path:
    """The folder of what belongs to a transcript."""
    return transcript.with_suffix("")


def agents_folder(transcript: Path) -> Path:
    """The folder of the transcripts of a session's subagents."""
    return beside(transcript) / "subagents"


def settle(transcript: Path, uuid: str, tail: int = 256 * 1024) -> bool:
    """Whether the end of ``transcript`` holds the record ``uuid`` already: a CLI writes a little
    later than it speaks.
    """
    try:
        with open_ordinary(transcript) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - tail))
            return uuid.encode() in file.read(tail)
    except OSError:
        return False
