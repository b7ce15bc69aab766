"""The sessions that an agent has stored, as far as it has listed them, and how a person finds one.

Pure: who asks for a page, and when, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from canopy_shared.ext import air

UNARCHIVED, ALL = "unarchived", "all"
"""What a listing shows: only what is not archived, or everything."""


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked for: the sessions of one directory (``None``: of all), and whether archived
    ones too.
    """

    cwd: str | None = None
    archived: str = UNARCHIVED


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """One row of ``session/list``. Times are ISO 8601 as the agent wrote them, "" when unknown.

    ``state`` is what the agent says that the session does now (``idle``, ``running``,
    ``requires_action``, ``error``), "" when it does not say. ``cost`` is in USD.
    """

    id: str
    cwd: str = ""
    title: str = ""
    updated_at: str = ""
    archived: bool = False
    model: str = ""
    state: str = ""
    forked_from: str = ""
    last_prompt_at: str = ""
    cost: float | None = None


@dataclass(slots=True)
class Catalogue:
    """The answer to one query so far. ``cursor`` is set while there are more pages."""

    query: Query | None = None
    rows: list[ListedSession] = field(default_factory=list)
    cursor: str | None = None
    loading: bool = False
    error: str = ""

    def asked(self, query: Query, *, more: bool) -> None:
        """A page is on its way: the next of the same query, or the first."""
        if not (more and query == self.query):
            self.rows, self.cursor = [], None
        self.query, self.loading, self.error = query, True, ""

    def arrived(self, query: Query, rows: tuple[ListedSession, ...], cursor: str | None) -> bool:
        """Take a page; False when it answers an earlier query. A session is listed once."""
        if query != self.query or not self.loading:
            return False
        known = {row.id for row in self.rows}
        self.rows += [row for row in rows if row.id not in known]
        self.cursor, self.loading = cursor, False
        return True

    def failed(self, query: Query, error: str) -> bool:
        """The page did not come; False when it was of an earlier query."""
        if query != self.query:
            return False
        self.loading, self.error = False, error
        return True

    def find(self, session: str) -> ListedSession | None:
        """The row of a session."""
        return next((row for row in self.rows if row.id == session), None)

    def gone(self, session: str) -> None:
        """A session was deleted."""
        self.rows = [row for row in self.rows if row.id != session]

    def retitled(self, session: str, title: str) -> None:
        """A session has another title."""
        self.rows = [replace(r, title=title) if r.id == session else r for r in self.rows]

    def archived(self, session: str, archived: bool) -> None:
        """A session was archived, or brought back; it may leave the list by that."""
        rows = [replace(r, archived=archived) if r.id == session else r for r in self.rows]
        only_unarchived = self.query is not None and self.query.archived == UNARCHIVED
        self.rows = [row for row in rows if not (only_unarchived and row.archived)]


def found(rows: list[ListedSession], words: str) -> list[ListedSession]:
    """The rows that hold every word of ``words`` in title, directory, model or id, in their order.

    Upper case in ``words`` is looked for as it is written, lower case in any.
    """
    wanted = words.split()
    if not wanted:
        return rows
    return [row for row in rows if all(_holds(row, word) for word in wanted)]


def _holds(row: ListedSession, word: str) -> bool:
    text = f"{row.title}\n{row.cwd}\n{row.model}\n{row.id}"
    return word in (text.lower() if word == word.lower() else text)


def is_indexed(meta: object) -> bool:
    """Whether an agent with this ``_meta`` in its answer to ``initialize`` keeps an index of its
    sessions: by id, with titles that can be changed and an archive (AIR).
    """
    names = (air.payload_of(meta) or {}).get("capabilities")
    return isinstance(names, (list, tuple)) and air.SESSION_INDEX in names
