"""One ``session/update``, applied: a table from the kind of update to what it changes.

A new kind gets one line here. Kinds that this version does not know leave a notice, once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_shared import updates as u
from canopy_shared.content import TextContent
from canopy_tui.model import (
    activity,
    children,
    compaction,
    facts,
    failures,
    flat,
    tasks,
    toolcalls,
    transcript,
    turns,
)
from canopy_tui.model.attachments import as_sent
from canopy_tui.model.entries import MessageEntry, NoticeEntry, PlanEntry, Role
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Phase, Replay

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView, Touched

Handler = Callable[["ClientState", "SessionView", Any, float, "Touched"], None]

_ROLES = {
    u.UserMessageChunk: Role.USER,
    u.AgentMessageChunk: Role.AGENT,
    u.AgentThoughtChunk: Role.THOUGHT,
}


def apply(
    state: ClientState, view: SessionView, update: u.Update, at: float, touched: Touched
) -> None:
    """Apply ``update`` to ``view``, or to the child that it is about."""
    if view.replay is not Replay.NO:
        _count(state, view, touched)
    if view.replay is Replay.SKIP and type(update) not in _FACTS:
        return
    view = flat.owner(state, view, update, at, touched)
    view.last_update_at = at
    touched.sessions.add(view.id)
    _HANDLERS.get(type(update), _ignored)(state, view, update, at, touched)


def _count(state: ClientState, view: SessionView, touched: Touched) -> None:
    """How far a load has come."""
    root = state.root_of(view)
    if root.loading is not None:
        root.loading.updates += 1
        touched.sessions.add(root.id)


def _chunk(
    state: ClientState,
    view: SessionView,
    update: u.UserMessageChunk | u.AgentMessageChunk | u.AgentThoughtChunk,
    at: float,
    touched: Touched,
) -> None:
    role = _ROLES[type(update)]
    if role is Role.USER and _is_task(view, update.content):
        return
    message_id = update.message_id if isinstance(update.message_id, str) else None
    content = as_sent(update.content) if role is Role.USER else update.content
    transcript.add_chunk(state, view, role, content, message_id, at, touched)
    if role is not Role.USER:
        view.activity = activity.of_message(role)
        failures.recovered(state, view, touched)
        _root_works(view, touched)


def _is_task(view: SessionView, content: object) -> bool:
    """Whether a child that is loaded is told once more what its announcement said already."""
    first = view.entries[0] if view.parent is not None and len(view.entries) == 1 else None
    said = first.text if isinstance(first, MessageEntry) and first.role is Role.PARENT else None
    return said is not None and isinstance(content, TextContent) and content.text == said


def _tool(
    state: ClientState,
    view: SessionView,
    update: u.ToolCallStart | u.ToolCallUpdate,
    at: float,
    touched: Touched,
) -> None:
    if not update.tool_call_id:
        return
    entry = toolcalls.apply(state, view, update, at, touched)
    failures.recovered(state, view, touched)
    view.activity = activity.after_tool(view) if entry.ended else activity.of_tool(entry)
    _root_works(view, touched)
    root = state.root_of(view)
    if root.flat_launches:
        flat.launched(state, root, view, entry, update.meta, at, touched)


def _root_works(view: SessionView, touched: Touched) -> None:
    if view.parent is None:
        turns.settle_phase(view, touched)
    elif view.phase is not Phase.RUNNING:
        view.activity = ""


def _plan(
    state: ClientState, view: SessionView, update: u.Plan, at: float, touched: Touched
) -> None:
    _show_plan(state, view, PlanEntry(at=at, steps=update.entries), touched)


def _plan_document(
    state: ClientState, view: SessionView, update: u.PlanDocument, at: float, touched: Touched
) -> None:
    content = update.plan.get("content")
    document = content if isinstance(content, str) else ""
    _show_plan(state, view, PlanEntry(at=at, document=document), touched)


def _show_plan(state: ClientState, view: SessionView, plan: PlanEntry, touched: Touched) -> None:
    shown = view.entries[view.plan_entry] if view.plan_entry is not None else None
    if isinstance(shown, PlanEntry):
        if (shown.steps, shown.document) != (plan.steps, plan.document):
            shown.steps, shown.document = plan.steps, plan.document
            transcript.changed(state, view, shown, touched)
        return
    if plan.steps or plan.document:
        view.plan_entry = transcript.append(state, view, plan, touched, work=False)


def _notice(
    state: ClientState, view: SessionView, update: u.Notice, at: float, touched: Touched
) -> None:
    detail = update.description if isinstance(update.description, str) else ""
    severity = update.severity if update.severity in ("info", "warning", "error") else "info"
    notice = NoticeEntry(at=at, severity=severity, title=update.title, detail=detail)
    transcript.append(state, view, notice, touched, work=False)


def _spawned(
    state: ClientState, view: SessionView, update: u.SubagentSpawned, at: float, touched: Touched
) -> None:
    if children.spawned(state, view, update, at, touched) is not None:
        view.activity = activity.DELEGATING
        place_waiting(state, update.subagent_session_id, touched)


def _child_ended(
    state: ClientState,
    view: SessionView,
    update: u.SubagentStateUpdate,
    at: float,
    touched: Touched,
) -> None:
    children.state_update(state, update, at, touched)


def _child_reported(
    state: ClientState, view: SessionView, update: u.SubagentUpdate, at: float, touched: Touched
) -> None:
    if children.reported(state, view, update, at, touched) is not None:
        view.activity = activity.DELEGATING
        place_waiting(state, update.session_id, touched)


def _unknown(
    state: ClientState, view: SessionView, update: u.UnknownUpdate, at: float, touched: Touched
) -> None:
    if update.kind in view.unknown_kinds or len(view.unknown_kinds) >= 100:
        return
    view.unknown_kinds.add(update.kind)
    kind = clipped(update.kind, 60) or "(none)"
    notice = NoticeEntry(
        at=at, severity="info", title=f"The agent sent an update of an unknown kind: {kind}"
    )
    transcript.append(state, view, notice, touched, work=False)


def _ignored(
    state: ClientState, view: SessionView, update: object, at: float, touched: Touched
) -> None:
    """What is not an update at all changes nothing."""


_FACTS: dict[type, Handler] = {
    u.AvailableCommandsUpdate: lambda state, view, update, at, touched: facts.commands(
        view, update
    ),
    u.CurrentModeUpdate: lambda state, view, update, at, touched: facts.mode(view, update),
    u.ConfigOptionUpdate: lambda state, view, update, at, touched: facts.options(view, update),
    u.SessionInfoUpdate: facts.information,
    u.UsageUpdate: lambda state, view, update, at, touched: turns.usage(
        state, view, update, touched
    ),
}

_HANDLERS: dict[type, Handler] = {
    **_FACTS,
    u.UserMessageChunk: _chunk,
    u.AgentMessageChunk: _chunk,
    u.AgentThoughtChunk: _chunk,
    u.ToolCallStart: _tool,
    u.ToolCallUpdate: _tool,
    u.Plan: _plan,
    u.PlanDocument: _plan_document,
    u.Notice: _notice,
    u.CompactionUpdate: compaction.told,
    u.CompactionSummaryChunk: compaction.grew,
    u.SubagentSpawned: _spawned,
    u.SubagentStateUpdate: _child_ended,
    u.SubagentUpdate: _child_reported,
    u.SessionMessage: lambda state, view, update, at, touched: children.message(
        state, view, update, at, touched
    ),
    u.AsyncTaskSpawned: tasks.told,
    u.AsyncTaskProgress: tasks.told,
    u.AsyncTaskStateUpdate: tasks.told,
    u.UnknownUpdate: _unknown,
}


# --- sessions that nobody has announced yet -----------------------------------------------------

WAITING_SESSIONS = 64
WAITING_UPDATES = 2000


def keep_waiting(state: ClientState, session: str, update: u.Update, at: float) -> None:
    """Keep an update until its session is announced. Bounded: the oldest session goes first, and
    of one session the newest updates are kept.
    """
    if session not in state.unplaced and len(state.unplaced) >= WAITING_SESSIONS:
        del state.unplaced[next(iter(state.unplaced))]
    waiting = state.unplaced.setdefault(session, [])
    waiting.append((at, update))
    if len(waiting) > WAITING_UPDATES:
        del waiting[0]


def place_waiting(state: ClientState, session: str, touched: Touched) -> None:
    """Apply what waited for ``session``, in the order it came."""
    view = state.find(session)
    for at, update in state.unplaced.pop(session, ()):
        if view is not None:
            apply(state, view, update, at, touched)
