"""``reduce(state, event)``: the one way in which the client's state changes.

Pure but for the state it is given: no clock, no randomness, no waiting. The rules lie in the
modules it calls; this one only says which event goes where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from canopy_tui.model import events as e
from canopy_tui.model import (
    facts,
    listing,
    requests,
    sessions,
    steering,
    tasks,
    transcript,
    turns,
    unattached,
    updates,
)
from canopy_tui.model.state import Replay, RequestState, Touched

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView


def reduce(state: ClientState, event: e.Event) -> Touched:
    """Apply ``event`` to ``state`` in place and say what changed.

    Never raises on what an agent sent. Events for sessions that do not exist change nothing,
    except that updates wait until their session is announced.
    """
    touched = Touched()
    match event:
        case e.UpdateArrived():
            _update(state, event, touched)
        case e.SessionOpened():
            _adopt_of_history(state, event, touched)
            sessions.opened(state, event, touched)
            updates.place_waiting(state, event.session, touched)
        case e.ReplayStarted():
            sessions.replay_started(state, event, touched)
        case e.ReplayFailed():
            sessions.replay_failed(state, event, touched)
        case e.SessionReplaced():
            sessions.replaced(state, event, touched)
        case e.SessionClosed():
            sessions.closed(state, event, touched)
        case e.RequestArrived():
            requests.arrived(state, event, touched)
        case e.RequestAnswered():
            requests.answered(state, event, touched)
        case e.RequestWithdrawn(key):
            requests.ended(state, key, RequestState.WITHDRAWN, touched)
        case e.LinkChanged():
            sessions.link_changed(state, event, touched)
        case e.Noticed():
            sessions.noticed(state, event, touched)
        case e.TaskOutput():
            tasks.output(state, event, touched)
        case e.TaskStopping():
            tasks.stopping(state, event, touched)
        case e.Seen() | e.Watched():
            _looked(state, event, touched)
        case e.QueueChanged() | e.PromptSent() | e.TurnEnded() | e.SteerSent() | e.SteerEnded():
            _turn(state, event, touched)
        case e.OptionAsked() | e.OptionSettled():
            facts.option_change(state, event, touched)
        case e.ModelChanged():
            facts.model_changed(state, event, touched)
        case e.UsageAsked() | e.UsageTold() | e.AgentUseTold() | e.ServersAsked() | e.ServersTold():
            facts.controls_changed(state, event, touched)
        case e.LoginChanged(need):
            state.login, touched.link = need, True
        case e.ProblemMet(problem):
            state.problem, touched.link = problem, True
        case e.SessionsAsked() | e.SessionsListed() | e.ListingFailed() | e.StoredSessionChanged():
            touched.catalogue |= listing.changed(state.catalogue, event)
        case _:
            assert_never(event)
    _refresh_cards(state, touched)
    return touched


def _update(state: ClientState, event: e.UpdateArrived, touched: Touched) -> None:
    view = state.find(event.session)
    if view is None:
        updates.keep_waiting(state, event.session, event.update, event.at)
    else:
        updates.apply(state, view, event.update, event.at, touched)


def _turn(
    state: ClientState,
    event: e.QueueChanged | e.PromptSent | e.TurnEnded | e.SteerSent | e.SteerEnded,
    touched: Touched,
) -> None:
    view = state.sessions.get(event.session)
    if view is None:
        return
    match event:
        case e.QueueChanged():
            turns.queue_changed(view, event, touched)
        case e.PromptSent():
            turns.prompt_sent(state, view, event, touched)
        case e.TurnEnded():
            _adopt(state, view, event.at, touched)
            view.controls.add(event.use)
            turns.turn_ended(state, view, event, touched)
        case e.SteerSent():
            steering.sent(view, event, touched)
        case e.SteerEnded():
            steering.ended(state, view, event, touched)


def _adopt(state: ClientState, root: SessionView, at: float, touched: Touched) -> None:
    for session in unattached.adopt(state, root, at, touched):
        updates.place_waiting(state, session, touched)


def _adopt_of_history(state: ClientState, event: e.SessionOpened, touched: Touched) -> None:
    view = state.sessions.get(event.session)
    if view is not None and view.replay is Replay.FILL:
        _adopt(state, view, event.at, touched)


def _looked(state: ClientState, event: e.Seen | e.Watched, touched: Touched) -> None:
    if isinstance(event, e.Watched):
        state.watched = event.sessions
        looked_at = event.sessions
    else:
        looked_at = frozenset((event.session,))
    for session in looked_at:
        view = state.sessions.get(session)
        if view is not None:
            transcript.seen(view, touched)


def _refresh_cards(state: ClientState, touched: Touched) -> None:
    """A child's card in its parent's transcript shows the child's row, so it changes with it."""
    for session in tuple(touched.sessions):
        view = state.sessions.get(session)
        if view is None or view.parent is None:
            continue
        parent = state.sessions[view.parent]
        index = parent.child_cards.get(session)
        if index is not None:
            card = parent.entries[index]
            card.revision += 1
            touched.entries.add((parent.id, card.key))
