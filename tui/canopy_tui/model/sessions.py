"""Root sessions and the connection: opened, loaded, closed, lost and found again.

What the agent says inside a session is not handled here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_tui.model import children, facts, requests, tasks, transcript
from canopy_tui.model.entries import NoticeEntry
from canopy_tui.model.facts import TITLE_LIMIT
from canopy_tui.model.sanitize import clipped, without_escapes
from canopy_tui.model.state import (
    AgentLink,
    Loading,
    Phase,
    Replay,
    RequestState,
    SessionView,
)
from canopy_tui.model.toolcalls import close_open

if TYPE_CHECKING:
    from canopy_tui.model.events import (
        LinkChanged,
        Noticed,
        ReplayFailed,
        ReplayStarted,
        SessionClosed,
        SessionOpened,
        SessionReplaced,
    )
    from canopy_tui.model.state import ClientState, Touched

LOST = "The connection to the agent was lost."
_RESTART = "restart_agent"


def ensure_root(state: ClientState, session: str, at: float, touched: Touched) -> SessionView:
    """The root with this id, made when it is new."""
    view = state.sessions.get(session)
    if view is None:
        view = SessionView(id=session, wire_id=session, started_at=at)
        state.sessions[session] = view
        state.roots.append(session)
        touched.tree = True
    elif view.unattached:
        children.detach(state, view, touched)
        state.roots.append(session)
    touched.sessions.add(session)
    return view


def opened(state: ClientState, event: SessionOpened, touched: Touched) -> None:
    """A root is ready for prompts; a replay, if there was one, is over."""
    view = ensure_root(state, event.session, event.at, touched)
    transcript.close_message(state, view, touched)
    if view.replay is Replay.SKIP:
        state.unplaced.clear()  # history of children that are shown already
    children.set_replay(state, view, Replay.NO)
    view.loading = None
    view.phase = Phase.IDLE
    view.cwd = event.cwd or view.cwd
    view.title = event.title or view.title
    view.modes = event.modes or view.modes
    view.mode_words = event.mode_words or view.mode_words
    facts.take_models(view, event.models, event.model)
    if event.options:
        facts.take_options(view, event.options)
    view.mode = event.mode or view.mode


def replay_started(state: ClientState, event: ReplayStarted, touched: Touched) -> None:
    """History follows: of a new view, or once more of one that is already full."""
    view = ensure_root(state, event.session, event.at, touched)
    view.cwd = event.cwd or view.cwd
    view.title = view.title or clipped(event.title, TITLE_LIMIT)
    children.set_replay(state, view, Replay.SKIP if view.entries else Replay.FILL)
    view.loading = Loading(event.at)


def replay_failed(state: ClientState, event: ReplayFailed, touched: Touched) -> None:
    """No history follows."""
    view = state.sessions.get(event.session)
    if view is not None:
        children.set_replay(state, view, Replay.NO)
        view.loading = None
        touched.sessions.add(view.id)
        state.unplaced.clear()


def replaced(state: ClientState, event: SessionReplaced, touched: Touched) -> None:
    """What waited for the old root waits for the new one, until the person sends again."""
    old, new = state.sessions.get(event.session), state.sessions.get(event.by)
    if old is None or new is None:
        return
    old.successor = new.id
    new.queue, old.queue = [*old.steering, *old.queue, *new.queue], []
    old.steering = []
    new.queue_held, old.queue_held = bool(new.queue), False
    touched.sessions |= {old.id, new.id}


def closed(state: ClientState, event: SessionClosed, touched: Touched) -> None:
    """Forget a root and everything below it."""
    view = state.sessions.get(event.session)
    if view is None or view.parent is not None:
        return
    gone = {view.id, *children.all_below(state, view)}
    for request in state.waiting():
        if request.session in gone:
            requests.ended(state, request.key, RequestState.WITHDRAWN, touched)
    for session in gone:
        del state.sessions[session]
    state.roots.remove(view.id)
    tasks.forget_root(state, view.id, touched)
    state.aliases = {wire: own for wire, own in state.aliases.items() if own not in gone}
    state.watched -= gone
    touched.tree = True


def link_changed(state: ClientState, event: LinkChanged, touched: Touched) -> None:
    """The connection came up or went down; when it went down, nothing runs any more."""
    touched.link = True
    before = state.link
    state.link = AgentLink(
        status=event.status,
        name=event.name or before.name,
        detail=event.detail,
        stderr=event.stderr,
        capabilities=event.capabilities or before.capabilities,
        meta=event.meta or before.meta,
        logins=event.logins or before.logins,
        remembers=event.remembers,
    )
    if event.status != "ready":
        state.login = None
    elif before.status != "ready":
        _no_longer_offer_to_restart(state, touched)
    if event.status not in ("lost", "failed") or before.status == event.status:
        return
    requests.withdraw_all(state, touched)
    state.unplaced.clear()
    tasks.all_ended(state, event.at, touched)
    for view in list(state.sessions.values()):
        _disconnect(state, view, event, touched)


def _no_longer_offer_to_restart(state: ClientState, touched: Touched) -> None:
    for view in state.sessions.values():
        for entry in view.entries:
            if isinstance(entry, NoticeEntry) and entry.action == _RESTART:
                entry.action, entry.hint = None, ""
                transcript.redrawn(view, entry, touched)


def _disconnect(
    state: ClientState, view: SessionView, event: LinkChanged, touched: Touched
) -> None:
    transcript.close_message(state, view, touched)
    close_open(state, view, event.at, touched, background=True)
    view.burst = view.cycle = None
    view.woke_at = 0.0
    view.replay, view.loading = Replay.NO, None
    view.option_changes.clear()
    if view.phase is Phase.RUNNING:
        view.ended_at = event.at
    if view.parent is None or not view.phase.ended:
        view.phase = Phase.DISCONNECTED
        view.activity = ""
        view.requires_action = False
    touched.sessions.add(view.id)
    if view.parent is None:
        notice = NoticeEntry(
            at=event.at,
            severity="error",
            title=event.detail or LOST,
            detail=without_escapes(event.stderr),
            action=_RESTART,
        )
        transcript.append(state, view, notice, touched, work=False)


def noticed(state: ClientState, event: Noticed, touched: Touched) -> None:
    """A notice of the client itself; without a session it goes nowhere."""
    view = state.find(event.session)
    if view is None:
        return
    notice = NoticeEntry(
        at=event.at,
        severity=event.severity,
        title=event.title,
        detail=event.detail,
        action=event.action,
        hint=event.hint,
    )
    transcript.append(state, view, notice, touched, work=False)
