"""Failure records (AIR ``sessionFailure``): what failed, what a person can do, and when it is over.

Shapes follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0, which tells of no recovery: that
work goes on is the sign of it. How a notice looks is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from canopy_shared.ext.failure import NEW_SESSION, RETRY
from canopy_tui.model import transcript
from canopy_tui.model.entries import NoticeEntry

if TYPE_CHECKING:
    from canopy_shared.ext.failure import SessionFailure
    from canopy_tui.model.state import ClientState, SessionView, Touched

SEND_AGAIN: Final = "send_again"
"""The action of the app that sends the last message once more."""
_ACTIONS: Final = {RETRY: SEND_AGAIN, NEW_SESSION: "new_session"}

_HINTS: Final = {
    "access": "Log in, then send the message again.",
    "connection": "The next message starts Claude Code again and resumes this conversation.",
    "request": "Change the message, or choose another model ({palette}), then send it again.",
    "service": "This is usually over soon.",
}
_LIMIT: Final = (
    "Wait until the limit ends, or choose another model ({palette}); /usage shows limits."
)
_LIMIT_SOON: Final = "Wait a moment before you send it again."
_LIMIT_SESSION: Final = (
    "A new session starts with an empty context; /compact makes room in this one."
)
_OR_NEW: Final = " If it comes back, a new session helps ({palette})."
_ADVISORY: Final = "unknown"
"""The category of a warning that nothing failed for."""


def next_step(record: SessionFailure) -> str:
    """A sentence on what to do next; empty for a warning, which takes care of itself."""
    if record.severity != "error":
        return ""
    if record.category == "limit":
        if NEW_SESSION in record.actions:
            return _LIMIT_SESSION
        return _LIMIT_SOON if RETRY in record.actions else _LIMIT
    hint = _HINTS.get(record.category, "")
    both = RETRY in record.actions and NEW_SESSION in record.actions
    return hint + _OR_NEW if both else hint


def told(
    state: ClientState, view: SessionView, record: SessionFailure, at: float, touched: Touched
) -> None:
    """Show a record; a later revision of one that is shown takes its place."""
    entry = _shown(view, record.id)
    if entry is None:
        entry = NoticeEntry(at=at, severity="warning", title=record.title, failure=record.id)
        _fill(entry, record)
        index = transcript.append(state, view, entry, touched, work=False)
        view.failures[record.id] = index
    elif record.revision <= entry.failure_revision:
        return
    else:
        _fill(entry, record)
        transcript.changed(state, view, entry, touched)
    hopes = entry.severity == "warning" and record.category != _ADVISORY
    view.troubled = record.id if hopes else None


def _fill(entry: NoticeEntry, record: SessionFailure) -> None:
    entry.severity = "error" if record.severity == "error" else "warning"
    entry.title = record.title
    entry.detail = record.details or ""
    entry.failure_revision = record.revision
    entry.hint = next_step(record)
    known = (_ACTIONS[name] for name in record.actions if name in _ACTIONS)
    entry.action = next(known, None) if entry.severity == "error" else None
    entry.recovered = False


def _shown(view: SessionView, id_: str) -> NoticeEntry | None:
    index = view.failures.get(id_)
    entry = view.entries[index] if index is not None else None
    return entry if isinstance(entry, NoticeEntry) else None


def recovered(state: ClientState, view: SessionView, touched: Touched) -> None:
    """Work goes on: what was tried again went through."""
    if view.troubled is None:
        return
    entry = _shown(view, view.troubled)
    view.troubled = None
    if entry is not None:
        entry.recovered = True
        transcript.redrawn(view, entry, touched)
