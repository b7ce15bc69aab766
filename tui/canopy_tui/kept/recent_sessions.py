"""The client's own list of recent sessions, for agents that can go on with one but keep no list.

One private file for all agents, bounded, replaced in one step, and a broken one is as good as none.
What a session holds is the agent's; it is not known here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_shared.ordinary import read_ordinary
from canopy_tui.kept.storage import replace_file
from canopy_tui.kept.unkept import Unkept
from canopy_tui.model.catalogue import ListedSession, Query

if TYPE_CHECKING:
    from canopy_tui.model import events as e

MOST = 500
"""Sessions of all agents together; the oldest go first."""
_TITLE = 200
_LARGEST = 16 * 1024 * 1024
_LONGEST = 4096
"""Characters of an id or a directory; a longer one is not kept."""

Row = dict[str, Any]


class RecentSessions:
    """``recent.json`` in ``folder``, as far as it is about the agent that ``command`` starts.

    A session is noted with its first message. Of the command only a digest is kept, since it may
    hold secrets.
    """

    def __init__(self, folder: Path, command: Sequence[str], unkept: Unkept | None = None) -> None:
        self._file = folder / "recent.json"
        self._agent = hashlib.sha256(jsonio.dumps(list(command))).hexdigest()[:32]
        self._wanted = False
        self._unkept = unkept or Unkept()
        self._places: dict[str, str] = {}

    def observe(self, event: e.Event) -> None:
        """Follow what happens in the client."""
        from canopy_shared.updates import SessionInfoUpdate
        from canopy_tui.model import events as e

        match event:
            case e.LinkChanged(status="ready", remembers=remembers):
                self._wanted = remembers
            case e.SessionOpened(session=session, cwd=cwd):
                self._places[session] = cwd
            case e.PromptSent(session=session, text=text, at=at):
                self._note(session, at=at, first=" ".join(text.split()))
            case e.UpdateArrived(session, SessionInfoUpdate(title=str(title)), _) if title.strip():
                self._note(session, title=" ".join(title.split()))

    def rows(self, query: Query) -> tuple[ListedSession, ...]:
        """The sessions of this agent that ``query`` wants, newest first."""
        own = [row for row in self._rows() if row["agent"] == self._agent]
        wanted = [row for row in own if query.cwd in (None, row["cwd"])]
        return tuple(
            ListedSession(
                id=row["session"], cwd=row["cwd"], title=row["title"], updated_at=_iso(row["at"])
            )
            for row in reversed(wanted)
        )

    def forget(self, session: str) -> None:
        """List ``session`` no longer."""
        rows = self._rows()
        kept = [row for row in rows if not self._is(row, session)]
        if len(kept) != len(rows):
            self._write(kept)

    # --- the file -----------------------------------------------------------------------------

    def _note(self, session: str, *, at: float = 0.0, first: str = "", title: str = "") -> None:
        cwd = self._places.get(session)
        if not self._wanted or cwd is None or max(len(session), len(cwd)) > _LONGEST:
            return
        rows = self._rows()
        known = next((row for row in rows if self._is(row, session)), None)
        if known is None and not at:
            return  # nothing was said yet
        old = known or {"title": "", "at": 0.0}
        words = (title or old["title"] or first)[:_TITLE]
        row = {
            "agent": self._agent,
            "session": session,
            "cwd": cwd,
            "title": words,
            "at": at or old["at"],
        }
        if row != known:
            others = [one for one in rows if not self._is(one, session)]
            self._write(sorted([*others, row], key=lambda one: float(one["at"])))

    def _is(self, row: Row, session: str) -> bool:
        return bool(row["agent"] == self._agent and row["session"] == session)

    def _rows(self) -> list[Row]:
        """What is kept, oldest first."""
        try:
            stored = jsonio.loads(read_ordinary(self._file, _LARGEST))
        except (OSError, ValueError):
            return []
        return [row for row in stored if _is_row(row)] if isinstance(stored, list) else []

    def _write(self, rows: list[Row]) -> None:
        try:
            replace_file(self._file, jsonio.dumps(rows[-MOST:]))
        except (OSError, ValueError) as error:
            self._unkept("the recent sessions", error)


def _is_row(row: object) -> bool:
    if not isinstance(row, dict) or isinstance(row.get("at"), bool):
        return False
    texts = (row.get(name) for name in ("agent", "session", "cwd", "title"))
    return all(isinstance(text, str) for text in texts) and isinstance(row.get("at"), int | float)


def _iso(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
