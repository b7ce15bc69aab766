"""Requests of the agent to the person: they arrive, are answered or withdrawn, and never anything
twice.

The wire form of a request is not known here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_shared.permission import REJECT_ALWAYS, REJECT_ONCE
from canopy_shared.updates import SubagentStateUpdate, SubagentUpdate
from canopy_tui.model import flat, toolcalls, transcript
from canopy_tui.model.state import RequestState

if TYPE_CHECKING:
    from canopy_shared.updates import Update
    from canopy_tui.model.events import RequestAnswered, RequestArrived
    from canopy_tui.model.state import ClientState, PendingRequest, SessionView, Touched

KEPT = 50
"""How many requests stay known after they were answered or withdrawn."""


def arrived(state: ClientState, event: RequestArrived, touched: Touched) -> None:
    """Queue a request under the session that asks, and mark the tool call it is about.

    A request of a session that nobody announced is queued all the same.
    """
    request = event.request
    touched.requests = True
    state.requests.append(request)
    view = state.find(request.session)
    if view is None:
        return
    if event.tool_call is not None and event.tool_call.tool_call_id:
        view = flat.owner(state, view, event.tool_call, request.at, touched)
        entry = toolcalls.apply(state, view, event.tool_call, request.at, touched)
        entry.waits = True
    elif request.tool_call_id is not None:
        view = _owner_of_call(state, view, request.tool_call_id)
        _mark_call(state, view, request.tool_call_id, touched)
    request.session = view.id
    touched.sessions.add(view.id)


def _owner_of_call(state: ClientState, view: SessionView, call: str) -> SessionView:
    return state.sessions[view.flat_owners.get(call, view.id)]


def answered(state: ClientState, event: RequestAnswered, touched: Touched) -> None:
    """The person answered: how long the call waited for it, and whether it was a no."""
    request = next((one for one in state.requests if one.key == event.key), None)
    if request is not None and request.state is RequestState.WAITING:
        view = state.sessions.get(request.session)
        entry = toolcalls.find(view, request.tool_call_id or "") if view is not None else None
        if entry is not None and request.kind == "permission":
            option = request.payload.option(event.option) if event.option else None
            entry.rejected = option is not None and option.kind in (REJECT_ONCE, REJECT_ALWAYS)
            if event.at is not None:
                entry.waited += max(0.0, event.at - request.at)
    ended(state, event.key, RequestState.ANSWERED, touched)


def ended(state: ClientState, key: int, how: RequestState, touched: Touched) -> None:
    """A request was answered or withdrawn; without effect when it does not wait any more."""
    request = next((one for one in state.requests if one.key == key), None)
    if request is None or request.state is not RequestState.WAITING:
        return
    request.state = how
    touched.requests = True
    view = state.sessions.get(request.session)
    if view is not None:
        touched.sessions.add(view.id)
        if request.tool_call_id is not None:
            _mark_call(state, view, request.tool_call_id, touched)
    _forget(state)


def _mark_call(state: ClientState, view: SessionView, call: str, touched: Touched) -> None:
    entry = toolcalls.find(view, call)
    if entry is None:
        return
    waits = any(_is_about(request, view.id, call) for request in state.waiting())
    if entry.waits is not waits:
        entry.waits = waits
        transcript.changed(state, view, entry, touched)


def _is_about(request: PendingRequest, session: str, call: str) -> bool:
    return request.session == session and request.tool_call_id == call


def _forget(state: ClientState) -> None:
    """Drop the oldest requests that are over, beyond a bound."""
    over = [one for one in state.requests if one.state is not RequestState.WAITING]
    if len(over) > KEPT:
        gone = {one.key for one in over[: len(over) - KEPT]}
        state.requests = [one for one in state.requests if one.key not in gone]


def left_behind(state: ClientState, update: Update) -> list[PendingRequest]:
    """What a child still asks whose end ``update`` tells: nobody waits for the answer."""
    match update:
        case SubagentStateUpdate():
            view = state.find(update.subagent_session_id)
        case SubagentUpdate():
            view = state.find(update.session_id)
        case _:
            return []
    if view is None or not view.phase.ended:
        return []
    return [request for request in state.waiting() if request.session == view.id]


def withdraw_all(state: ClientState, touched: Touched) -> None:
    """Nobody waits for an answer any more."""
    for request in state.waiting():
        ended(state, request.key, RequestState.WITHDRAWN, touched)
