"""The order in which requests that wait for the person are shown.

Requests keep their order of arrival and never replace one another; how one is drawn or answered is
not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_tui.model.entries import MessageEntry, Role
from canopy_tui.model.state import RequestState

if TYPE_CHECKING:
    from canopy_shared.content import ContentBlock
    from canopy_tui.model.state import ClientState, PendingRequest, SessionView


def head(state: ClientState, session: str | None) -> PendingRequest | None:
    """The request to show first: the oldest of the pane in view, else the oldest of all."""
    waiting = state.waiting()
    own = [request for request in waiting if request.session == session]
    return next(iter(own or waiting), None)


def following(
    state: ClientState, key: int | None, step: int = 1, *, without: Collection[int] = ()
) -> PendingRequest | None:
    """The waiting request after (``step`` 1) or before (-1) the one with ``key``, going round, and
    past those with a key in ``without``.

    Also right when that one no longer waits: the nearest in that direction is taken.
    """
    waiting = [request for request in state.waiting() if request.key not in without]
    if not waiting:
        return None
    if key is None:
        return waiting[0 if step > 0 else -1]
    if step > 0:
        return next((request for request in waiting if request.key > key), waiting[0])
    return next((request for request in reversed(waiting) if request.key < key), waiting[-1])


def place_of(state: ClientState, key: int) -> tuple[int, int]:
    """``(n, of)``: which waiting request this is, counted from 1; 0 when it does not wait."""
    keys = [request.key for request in state.waiting()]
    return (keys.index(key) + 1 if key in keys else 0), len(keys)


def get(state: ClientState, key: int) -> PendingRequest | None:
    """The request with ``key``, also a short while after it was answered or withdrawn."""
    return next((request for request in state.requests if request.key == key), None)


def last_prompt(root: SessionView) -> tuple[str, tuple[ContentBlock, ...]] | None:
    """Text and blocks of the message that was sent last; None when nothing was sent."""
    for entry in reversed(root.entries):
        if isinstance(entry, MessageEntry) and entry.role is Role.USER:
            return entry.text, tuple(entry.extras)
    return None


def identical(state: ClientState, key: int) -> list[PendingRequest]:
    """The waiting permission requests that ask for the same as ``key``, itself included.

    Same means the same tool with the same input and the same options, in the same directory.
    """
    wanted = get(state, key)
    if wanted is None or wanted.state is not RequestState.WAITING or wanted.kind != "permission":
        return []
    mark = _mark(state, wanted)
    return (
        [wanted]
        if mark is None
        else [
            request
            for request in state.waiting()
            if request.kind == "permission" and _mark(state, request) == mark
        ]
    )


def _mark(state: ClientState, request: PendingRequest) -> bytes | None:
    """What the request asks for, as comparable bytes; None when it cannot be told."""
    view = state.sessions.get(request.session)
    from canopy_tui.model.toolcalls import find

    entry = find(view, request.tool_call_id) if view and request.tool_call_id else None
    if entry is None or not entry.raw_input:
        return None
    offered = sorted(
        [str(getattr(option, "kind", "")), str(getattr(option, "name", ""))]
        for option in getattr(request.payload, "options", ())
    )
    try:
        where = view.cwd or state.root_of(view).cwd if view else ""
        return jsonio.dumps([where, entry.name, entry.kind, offered, _sorted(entry.raw_input)])
    except (TypeError, ValueError):
        return None


def _sorted(value: Any) -> Any:
    """The same JSON value with every object's keys in order."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_sorted(item) for item in value]
    return value
