"""The files of the directory that the client works in, listed in the background, for ``@``.

In a git repository git lists them (tracked and new ones, without the ignored); elsewhere the
directory is walked by the rules of its ``.gitignore`` files. It must not know who asks.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from canopy_tui.model.mentions import mentioned

if TYPE_CHECKING:
    from canopy_shared.content import ResourceLink
    from canopy_tui.model.file_match import Block

log = logging.getLogger(__name__)

FRESH = 10.0
"""Seconds for which a listing is not made again."""
SHOWN = 50
_LOOK_TIME = 0.004
"""Seconds of searching before others get a turn."""
_MOST_ENTRIES = 5000


@dataclass(frozen=True, slots=True)
class Found:
    """``paths`` relative to the directory, folders with ``/`` at the end, best first.

    ``listing``: the list is still growing. ``cut``: there are more files than are listed.
    """

    paths: tuple[str, ...]
    listing: bool
    total: int
    cut: bool = False


class _Listing:
    """One listing, filled by a thread; a reader sees whole blocks only."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.total = 0
        self.done = False
        self.begun = time.monotonic()
        self.stop = threading.Event()

    def fill(self, directory: Path) -> None:
        """List everything; a failure is logged and ends the list."""
        from canopy_tui.desk.file_listing import list_files
        from canopy_tui.model.file_match import BLOCK

        folders: set[str] = set()
        rows: list[str] = []
        try:
            for path in list_files(directory, self.stop):
                rows += _new_folders(path, folders)
                rows.append(path)
                if len(rows) >= BLOCK:
                    self._take(rows)
                    rows = []
        except OSError as error:
            log.info("the files of %s could not be listed: %s", directory, error)
        self._take(rows)
        self.done = True

    def _take(self, rows: list[str]) -> None:
        from canopy_tui.model.file_match import block_of

        if rows:
            self.blocks.append(block_of(rows))
            self.total += len(rows)


def _new_folders(path: str, known: set[str]) -> list[str]:
    """The folders above ``path`` that were not known yet, with ``/`` at the end."""
    new = []
    at = path.rfind("/", 0, -1)
    while at > 0:
        folder = path[: at + 1]
        if folder in known:
            break
        known.add(folder)
        new.append(folder)
        at = path.rfind("/", 0, at)
    return new


class FileIndex:
    """``directory`` is absolute. Nothing is listed before it is first asked."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._listing: _Listing | None = None
        self._next: _Listing | None = None

    def refresh(self) -> None:
        """Begin a listing, unless one is under way or fresh. Returns at once."""
        if self._next is not None and self._next.done:
            self._listing, self._next = self._next, None
        newest = self._next or self._listing
        if newest is not None and (not newest.done or time.monotonic() - newest.begun < FRESH):
            return
        listing = _Listing()
        if self._listing is None:
            self._listing = listing
        else:
            self._next = listing  # the old list serves until the new one is whole
        threading.Thread(
            target=listing.fill, args=(self.directory,), name="file-listing", daemon=True
        ).start()

    def close(self) -> None:
        """Stop listing."""
        for listing in (self._listing, self._next):
            if listing is not None:
                listing.stop.set()

    async def search(self, query: str, wanted: Callable[[], bool] = lambda: True) -> Found | None:
        """What fits ``query`` now; None when it is not ``wanted`` any more.

        Others get their turn every few milliseconds.
        """
        from canopy_tui.desk.file_listing import MOST_FILES
        from canopy_tui.model.file_match import Search

        if query.startswith(("/", "~", "../")) or query == "..":
            names = await asyncio.to_thread(_beside, self.directory, query)
            return Found(tuple(names), listing=False, total=len(names))
        self.refresh()
        listing = self._listing
        assert listing is not None
        done, blocks = listing.done, listing.blocks[:]
        search = Search(query, SHOWN)
        started = time.monotonic()
        for number in range(Search.PASSES):
            for block in blocks if not search.enough(number) else ():
                search.look(block, number)
                if time.monotonic() - started > _LOOK_TIME:
                    await asyncio.sleep(0)
                    if not wanted():
                        return None
                    started = time.monotonic()
        cut = listing.total >= MOST_FILES
        best = search.best()
        head = query.rpartition("/")[0]
        if done and head and not any(path.startswith(f"{head}/") for path in best):
            # A folder that was named is looked into, ignored or not.
            best = (await asyncio.to_thread(_beside, self.directory, query) + best)[:SHOWN]
        return Found(tuple(best), not done, listing.total, cut)

    def link(self, path: str) -> ResourceLink | None:
        """A link to the file or folder that ``path`` names, None when there is none."""
        try:
            place = self.directory / Path(path).expanduser()
            found = place.exists()
        except (OSError, RuntimeError, ValueError):  # a loop of links, no home, a zero byte
            return None
        if not found:
            return None
        from canopy_shared.content import ResourceLink

        place = Path(*place.parts)
        name = place.name or str(place)
        return ResourceLink(_normal(place).as_uri(), name)

    def links(self, text: str) -> tuple[ResourceLink, ...]:
        """A link for every mention in ``text`` that names something, each place once."""
        found: dict[str, ResourceLink] = {}
        for spellings in mentioned(text):
            link = next((one for path in spellings if (one := self.link(path))), None)
            if link is not None:
                found.setdefault(link.uri, link)
        return tuple(found.values())


def _normal(path: Path) -> Path:
    """``path`` without ``..``, links kept."""
    import os

    return Path(os.path.normpath(path))


def _beside(directory: Path, query: str) -> list[str]:
    """Entries of a place that is not listed, by the beginning of their names."""
    import os

    head, slash, tail = query.rpartition("/")
    if not slash:
        head, tail = query, ""
    shown = head + "/" if head or slash else ""
    try:
        place = directory / Path(shown or ".").expanduser()
        with os.scandir(place) as entries:
            names = sorted(
                (entry.name + "/" if entry.is_dir() else entry.name)
                for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)
            )
    except (OSError, RuntimeError, ValueError):
        return []
    wanted = tail.lower()
    hidden = tail.startswith(".")
    fits = [n for n in names if n.lower().startswith(wanted) and (hidden or n[0] != ".")]
    return [shown + name for name in fits[:SHOWN] if name.isprintable()]
