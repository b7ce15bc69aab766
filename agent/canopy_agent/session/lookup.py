"""Finds the one stored session that a person means: by id, by its start, by file, or the newest.

Blocking; it reads no more than a list of sessions does, and of a named file up to its first record.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from canopy_agent.history.listing import Listing, Row, transcripts
from canopy_agent.history.store import Store, is_session_id
from canopy_agent.history.transcript import is_transcript
from canopy_agent.session.successions import newest, owners
from canopy_shared.record import is_recording

SHORTEST = 4
"""Characters of an id that may stand for all of it."""
_ENDING = ".jsonl"
_LISTS = "canopy inspect lists what there is"


class NoSessionError(Exception):
    """Nothing is found; the text is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class FoundSession:
    """``id`` is the session's, which may go on in a transcript of another id."""

    id: str
    path: Path


def find_session(wanted: str | None, directory: Path, config_directory: str) -> FoundSession:
    """The session ``wanted``, or without one the newest of ``directory``.

    Raises :class:`NoSessionError`.
    """
    store = Store(config_directory)
    if wanted is None:
        return _newest_of(directory, store)
    if wanted.endswith(_ENDING) or "/" in wanted or os.sep in wanted:
        return _at(wanted)
    if is_session_id(wanted):
        found = store.find(newest(config_directory).get(wanted, wanted))
        if found is not None:
            return _checked(FoundSession(wanted, found), str(found))
    elif len(wanted) >= SHORTEST and wanted.isprintable():
        by_start = _by_start(wanted.lower(), store)
        if by_start is not None:
            return _checked(by_start, str(by_start.path))
    if _exists(Path(wanted)):
        return _at(wanted)
    part = len(wanted) >= SHORTEST and not is_session_id(wanted)
    what = "no session begins with" if part else "there is no session"
    raise NoSessionError(f"{what} {wanted!r} {_where(store)}; {_instead(directory, store)}")


def need_sessions(config_directory: str) -> None:
    """Raises :class:`NoSessionError` where there is none to pick from."""
    store = Store(config_directory)
    if not any(any(transcripts(folder)) for folder in store.folders()):
        raise NoSessionError(
            f"Claude Code keeps no session {_where(store)}; canopy begins one, and "
            "CLAUDE_CONFIG_DIR names another folder of Claude's"
        )


def _at(wanted: str) -> FoundSession:
    """The session in a file that the person named."""
    path = Path(wanted)
    if not _exists(path):
        raise NoSessionError(f"the file {wanted!r} does not exist; {_LISTS}")
    if path.is_dir():
        raise NoSessionError(f"{wanted!r} is a directory; {_inside(path)}")
    if not path.is_file():
        raise NoSessionError(f"{wanted!r} is no file with a transcript; {_LISTS}")
    return _checked(FoundSession(path.stem, path.resolve()), wanted)


def _checked(found: FoundSession, shown: str) -> FoundSession:
    """``found``, if its file holds records of a session."""
    try:
        if is_transcript(found.path):
            return found
        if is_recording(found.path):
            raise NoSessionError(
                f"{shown!r} is a recording of Canopy; canopy replay shows it, not inspect"
            )
        what = "holds no record of a session" if found.path.stat().st_size else "is empty"
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
    raise NoSessionError(f"{shown!r} {what}; a transcript of Claude Code is needed; {_LISTS}")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _inside(folder: Path) -> str:
    """What could be named of a directory."""
    try:
        files = [one for one in folder.iterdir() if one.suffix == _ENDING and one.is_file()]
        files.sort(key=lambda one: one.stat().st_mtime, reverse=True)
        newest_one = next(filter(is_transcript, files), None)
    except OSError as error:
        return f"what is in it cannot be read: {error.strerror or error}"
    if newest_one is None:
        return f"no transcript (ID{_ENDING}) lies in it; {_LISTS}"
    return f"name a transcript in it; the newest is {newest_one.name!r}"


def _newest_of(directory: Path, store: Store) -> FoundSession:
    row = next(stored_rows(Listing(store), str(directory)), None)
    if row is None:
        raise NoSessionError(
            f"Claude Code keeps no session of {str(directory)!r} {_where(store)}; "
            "name one by its id, or go to its directory"
        )
    return FoundSession(row.id, Path(row.path))


def stored_rows(listing: Listing, directory: str | None) -> Iterator[Row]:
    """The sessions of ``directory`` (None: of all), the newest first, under their own ids."""
    config_directory = listing.store.config_directory
    return listing.rows(
        directory, sessions=owners(config_directory), replaced=_replaced(config_directory)
    )


def _replaced(config_directory: str) -> set[str]:
    current = newest(config_directory)
    return {*owners(config_directory), *current} - set(current.values())


def _by_start(start: str, store: Store) -> FoundSession | None:
    found = {
        one.id: one.path
        for folder in store.folders()
        for one in transcripts(folder)
        if one.id.lower().startswith(start)
    }
    if len(found) > 1:
        shown = ", ".join(sorted(found)[:3])
        raise NoSessionError(f"{len(found)} sessions begin with {start!r}: {shown}")
    for id_, path in found.items():
        return FoundSession(owners(store.config_directory).get(id_, id_), Path(path))
    return None


def _where(store: Store) -> str:
    return f"below {str(store.projects)!r}"


def _instead(directory: Path, store: Store) -> str:
    """What could have been meant."""
    try:
        return f"the newest here is {_newest_of(directory, store).id}, and {_LISTS}"
    except NoSessionError:
        return _LISTS if any(store.folders()) else "Claude Code has stored nothing there yet"
