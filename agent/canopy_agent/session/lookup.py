"""Finds the one stored session that a person means: by id, by its start, by file, or the newest.

Blocking; it reads no more than a list of sessions does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from canopy_agent.history.listing import Listing, Row, transcripts
from canopy_agent.history.store import Store, is_session_id
from canopy_agent.session.successions import newest, owners

SHORTEST = 4
"""Characters of an id that may stand for all of it."""


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
    if wanted.endswith(".jsonl"):
        path = Path(wanted)
        if path.is_file():
            return FoundSession(path.stem, path.resolve())
        raise NoSessionError(f"{wanted!r} is no file")
    if is_session_id(wanted):
        path_or_none = store.find(newest(config_directory).get(wanted, wanted))
        if path_or_none is not None:
            return FoundSession(wanted, path_or_none)
    elif len(wanted) >= SHORTEST:
        return _by_start(wanted.lower(), directory, store)
    raise NoSessionError(f"there is no session {wanted!r}; {_instead(directory, store)}")


def _newest_of(directory: Path, store: Store) -> FoundSession:
    row = next(stored_rows(Listing(store), str(directory)), None)
    if row is None:
        raise NoSessionError(
            f"Claude Code keeps no session of {str(directory)!r}; name one by its id, "
            "or go to its directory"
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


def _by_start(start: str, directory: Path, store: Store) -> FoundSession:
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
    raise NoSessionError(f"no session begins with {start!r}; {_instead(directory, store)}")


def _instead(directory: Path, store: Store) -> str:
    """What could have been meant."""
    try:
        return f"the newest here is {_newest_of(directory, store).id}"
    except NoSessionError:
        return "the names of the files below projects/ in Claude's folder are the ids"
