"""What an inspection needs from whoever reads sessions on disk.

Plain shapes; who reads, and from where, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from canopy_shared.updates import Update


class Told(Protocol):
    """One update of ``session`` at a time in epoch seconds. ``prompt``: a person's message that
    began a turn.
    """

    @property
    def at(self) -> float: ...
    @property
    def session(self) -> str: ...
    @property
    def update(self) -> Update: ...
    @property
    def prompt(self) -> bool: ...


class Effort(Protocol):
    """One agent's ``spans`` of work in epoch seconds, its tool ``calls``, and its tokens: ``read``
    anew, ``cached``, ``written``.
    """

    @property
    def spans(self) -> Sequence[tuple[float, float]]: ...
    @property
    def model(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def read(self) -> int: ...
    @property
    def cached(self) -> int: ...
    @property
    def written(self) -> int: ...


class Reading(Protocol):
    """Everything of one session as it is now. ``cost`` in US dollars, None when nobody knows.

    ``running``: some program has the session open. ``ends``: when turns of the main agent ended.
    """

    @property
    def session(self) -> str: ...
    @property
    def cwd(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def told(self) -> Sequence[Told]: ...
    @property
    def efforts(self) -> Mapping[str, Effort]: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def running(self) -> bool: ...
    @property
    def ends(self) -> Sequence[float]: ...


class PastRow(Protocol):
    """One stored session in a list."""

    @property
    def id(self) -> str: ...
    @property
    def cwd(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def updated_at(self) -> str: ...


class Past(Protocol):
    """All stored sessions."""

    async def page(self, directory: str | None, start: int) -> tuple[Sequence[PastRow], bool]:
        """Rows from number ``start`` on, and whether there are more. Raises ``OSError``."""

    def open(self, session: str) -> Source | None:
        """One session; None when it is gone."""


class Source(Protocol):
    """One session."""

    async def changed(self) -> bool:
        """Whether there is more than at the last :meth:`read`."""

    async def read(self) -> Reading:
        """Read everything. Raises ``OSError``."""
