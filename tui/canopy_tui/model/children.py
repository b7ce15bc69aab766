"""Child sessions: their announcement, their state, and their runs, in both announced forms.

AIR announces each run as a session of its own (``a1``, ``a1:generation:2``, claude-agent-acp
0.101.0); here all runs of one agent are one row. RFD keeps one id
(https://agentclientprotocol.com/rfds/subagents). Agents that only tag tool calls are in ``flat``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from canopy_shared.content import TextContent
from canopy_shared.unset import UNSET
from canopy_tui.model import toolcalls, transcript
from canopy_tui.model.entries import ChildEntry, MessageEntry, Role, RuleEntry
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase, Replay, SessionView

if TYPE_CHECKING:
    from canopy_shared.updates import (
        SessionMessage,
        SubagentSpawned,
        SubagentStateUpdate,
        SubagentUpdate,
    )
    from canopy_tui.model.state import ClientState, Touched

_GENERATION = re.compile(r"(?P<agent>.+):generation:\d+")
TITLE_LIMIT = 200
DEEPEST = 50
"""Levels of the tree. What an agent nests deeper is shown beside its parent."""
_LATE = 500
"""Entries from the end among which a message may still grow."""

AIR_PHASES = {
    "completed": Phase.DONE,
    "failed": Phase.FAILED,
    "cancelled": Phase.CANCELLED,
    "disconnected": Phase.DISCONNECTED,
}
_RFD_STOPS = {
    "end_turn": Phase.DONE,
    "cancelled": Phase.CANCELLED,
    "error": Phase.FAILED,
}


def agent_of(session_id: str) -> str:
    """The id that all generations of one agent share.

    >>> agent_of("a1:generation:2")
    'a1'
    """
    found = _GENERATION.fullmatch(session_id)
    return found["agent"] if found else session_id


# --- AIR --------------------------------------------------------------------------------------


def spawned(
    state: ClientState, parent: SessionView, update: SubagentSpawned, at: float, touched: Touched
) -> SessionView | None:
    """A run begins: of a new child, or of one that is already in the tree."""
    wire_id = update.subagent_session_id
    if wire_id in state.aliases:
        return None  # announced twice
    state.root_of(parent).native = True
    task = update.prompt if isinstance(update.prompt, str) else update.task
    view = state.sessions.get(agent_of(wire_id))
    if view is not None and view.unattached:
        move(state, view, parent, at, touched)
        view.title = clipped(update.name, TITLE_LIMIT)
    elif view is None:
        view = place(state, parent, agent_of(wire_id), at, touched)
        view.title = clipped(update.name, TITLE_LIMIT)
    else:
        begin_run(state, view, task, at, touched)
    view.wire_id = wire_id
    state.aliases[wire_id] = view.id
    view.task = update.task
    view.cancellable = _can_cancel(update.capabilities)
    if task:
        prompt = MessageEntry(at=at, role=Role.PARENT, chunks=[task], settled=True, peer=parent.id)
        transcript.append(state, view, prompt, touched)
    return view


def state_update(
    state: ClientState, update: SubagentStateUpdate, at: float, touched: Touched
) -> None:
    """A run ended. The end of an earlier run says nothing of the one that goes on."""
    view = state.find(update.subagent_session_id)
    phase = AIR_PHASES.get(update.state)
    if view is None or phase is None or view.wire_id != update.subagent_session_id:
        return
    end_run(state, view, phase, "", at, touched)


# --- RFD --------------------------------------------------------------------------------------


def reported(
    state: ClientState, parent: SessionView, update: SubagentUpdate, at: float, touched: Touched
) -> SessionView | None:
    """A child appears or changes. Returns it when it is new."""
    view = state.find(update.session_id)
    new = view is None or view.unattached
    if view is None or view.unattached:
        state.root_of(parent).native = True
        if view is None:
            view = place(state, parent, update.session_id, at, touched)
        else:
            move(state, view, parent, at, touched)
        state.aliases[update.session_id] = view.id
    if isinstance(update.title, str):
        view.title = clipped(update.title, TITLE_LIMIT)
    if isinstance(update.description, str):
        view.role = clipped(update.description, TITLE_LIMIT)
    if update.capabilities is not UNSET:
        view.cancellable = _can_cancel(update.capabilities)
    if update.cwd is not UNSET:
        view.cwd = update.cwd or parent.cwd
    if isinstance(update.state, Mapping):
        _rfd_state(state, view, update.state, at, touched)
    touched.sessions.add(view.id)
    return view if new else None


def _rfd_state(
    state: ClientState, view: SessionView, told: Mapping[str, Any], at: float, touched: Touched
) -> None:
    word = told.get("state")
    view.requires_action = word == "requires_action"
    if word in ("running", "requires_action"):
        if view.phase is not Phase.RUNNING:
            begin_run(state, view, "", at, touched)
    elif word == "idle":
        error = told.get("error")
        reason = error.get("message") if isinstance(error, Mapping) else ""
        stop = told.get("stopReason")
        phase = _RFD_STOPS.get(stop, Phase.DONE) if isinstance(stop, str) else Phase.IDLE
        end_run(state, view, phase, reason if isinstance(reason, str) else "", at, touched)
    else:
        end_run(state, view, Phase.DISCONNECTED, "", at, touched)


def message(
    state: ClientState, view: SessionView, update: SessionMessage, at: float, touched: Touched
) -> None:
    """A message between two sessions, as ``view`` saw it.

    What a parent sent is shown in the child alone when the child has its own view of it.
    """
    sender = _peer(state, update.sender_session_id)
    recipient = _peer(state, update.recipient_session_id)
    if sender == view.id:
        if recipient in view.children and isinstance(update.recipient_message_id, str):
            return
        role, peer = Role.AGENT, recipient
    elif sender is not None and sender in view.children:
        role, peer = Role.CHILD, sender
    else:
        role, peer = Role.PARENT, sender
        _take_task(view, update)
    blocks = update.content if isinstance(update.content, tuple) else ()
    if not blocks:
        return
    entry = transcript.whole_message(role, blocks, at)
    known = _known_message(view, update.message_id)
    if known is not None:
        known.chunks, known.extras = entry.chunks, entry.extras
        transcript.changed(state, view, known, touched)
        return
    transcript.close_message(state, view, touched)
    entry.message_id, entry.peer = update.message_id, peer
    transcript.append(state, view, entry, touched)


def _known_message(view: SessionView, message: str) -> MessageEntry | None:
    """A message between sessions that is told again because it grew; only a late one can."""
    for entry in reversed(view.entries[-_LATE:]):
        if isinstance(entry, MessageEntry) and message and entry.message_id == message:
            return entry if entry.peer or entry.role in (Role.PARENT, Role.CHILD) else None
    return None


def _take_task(view: SessionView, update: SessionMessage) -> None:
    blocks = update.content if isinstance(update.content, tuple) else ()
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    if texts:
        view.task = texts[0]


def _peer(state: ClientState, session: object) -> str | None:
    return state.aliases.get(session, session) if isinstance(session, str) else None


# --- runs ---------------------------------------------------------------------------------------


def _can_cancel(capabilities: object) -> bool:
    return isinstance(capabilities, Mapping) and isinstance(capabilities.get("cancel"), Mapping)


def place(
    state: ClientState,
    parent: SessionView,
    session: str,
    at: float,
    touched: Touched,
    *,
    card: bool = True,
) -> SessionView:
    """Put a new running child into the tree, with its ``card`` in the parent's transcript."""
    parent = _not_too_deep(state, parent)
    view = SessionView(
        id=session,
        wire_id=session,
        parent=parent.id,
        cwd=parent.cwd,
        phase=Phase.RUNNING,
        started_at=at,
        last_update_at=at,
        replay=parent.replay,
    )
    state.sessions[session] = view
    parent.children.append(session)
    touched.tree = True
    touched.sessions.add(session)
    if card:
        add_card(state, parent, view, at, touched)
    return view


def _not_too_deep(state: ClientState, parent: SessionView) -> SessionView:
    """``parent``, or who is above it where the tree would grow deeper than anybody can look at."""
    above = [parent]
    while (up := above[-1].parent) is not None:
        above.append(state.sessions[up])
    return above[max(0, len(above) - DEEPEST)]


def move(
    state: ClientState, view: SessionView, parent: SessionView, at: float, touched: Touched
) -> None:
    """A session that was shown before anybody announced it takes its place below ``parent``.

    What lies below it already cannot be above it: then it stays where it is.
    """
    parent = _not_too_deep(state, parent)
    if parent.id == view.id or parent.id in all_below(state, view):
        return
    detach(state, view, touched)
    view.parent, view.phase = parent.id, Phase.RUNNING
    view.started_at, view.ended_at = at, None
    parent.children.append(view.id)
    add_card(state, parent, view, at, touched)


def detach(state: ClientState, view: SessionView, touched: Touched) -> None:
    """Take a session that nobody had announced from where it lay."""
    view.unattached, view.title = False, ""
    if view.parent is not None:
        old = state.sessions[view.parent]
        old.children.remove(view.id)
        old.child_cards.pop(view.id, None)
        view.parent = None
    touched.tree = True


def add_card(
    state: ClientState, parent: SessionView, view: SessionView, at: float, touched: Touched
) -> None:
    """A card of this run in the parent's transcript; text that streams there goes on above it."""
    card = ChildEntry(at=at, child=view.id, run=view.run)
    parent.child_cards[view.id] = transcript.append(state, parent, card, touched)


def begin_run(
    state: ClientState, view: SessionView, task: str, at: float, touched: Touched
) -> None:
    """A child works again: a rule in its transcript, a new card in its parent's."""
    transcript.close_message(state, view, touched)
    view.run += 1
    view.phase, view.phase_reason = Phase.RUNNING, ""
    view.started_at, view.ended_at = at, None
    rule = RuleEntry(at=at, kind="resumed", text=task)
    transcript.append(state, view, rule, touched)
    if view.parent is not None:
        add_card(state, state.sessions[view.parent], view, at, touched)


def end_run(
    state: ClientState, view: SessionView, phase: Phase, reason: str, at: float, touched: Touched
) -> None:
    """A child's run is over. A second end only adds a reason that was not known."""
    touched.sessions.add(view.id)
    view.requires_action = False
    if view.phase is not Phase.RUNNING:
        if reason and not view.phase_reason:
            view.phase_reason = reason
        return
    transcript.close_message(state, view, touched)
    if phase is not Phase.DONE and phase.ended:
        toolcalls.close_open(state, view, at, touched, background=False)
    view.phase, view.phase_reason = phase, reason
    view.ended_at = at
    view.activity = ""


def end_detached(state: ClientState, root: SessionView, at: float, touched: Touched) -> None:
    """The turn that launched them is over, and agents that flatten hold it until they are done."""
    for child in root.flat_launches.values():
        view = state.sessions[child]
        if view.detached and view.phase is Phase.RUNNING:
            end_run(state, view, Phase.DONE, "", at, touched)


def set_replay(state: ClientState, root: SessionView, replay: Replay) -> None:
    """Say of a root and everything below it whether what comes is history."""
    for view in (root, *(state.sessions[child] for child in all_below(state, root))):
        view.replay = replay


def all_below(state: ClientState, view: SessionView) -> list[str]:
    """Every session below ``view``, nearest first."""
    found = list(view.children)
    for child in found:
        found += state.sessions[child].children
    return found
