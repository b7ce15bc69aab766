"""Rules for tasks of the CLI: subagents begin, are woken and end; commands and workflows come and
go.

They keep the registry, the children and the hold in step; a frame of an earlier run changes
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain import shell_rules
from canopy_agent.domain.child_options import AGENT
from canopy_agent.domain.effects import Effect, StartTimer
from canopy_agent.domain.tasks import RUNNING, ended_status, names_subagent

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

DRAIN_TIMER = "drain"
DRAIN_SECONDS = 5.0
"""How long an idle CLI may take to report on subagents that ended, before a held prompt is
answered.
"""


def on_task_started(state: SessionState, event: e.TaskStarted) -> list[Effect]:
    """A task began; of the subagents, also one that was woken."""
    if state.tasks.is_late(event.task, event.run):
        return []
    task = state.tasks.started(event)
    call = state.ledger.get(event.tool_use_id or "")
    if call is not None:
        call.has_task = True
    if not task.is_subagent and not names_subagent(event):
        return shell_rules.began(state, event)
    state.turns.spawned(event.task)
    effects = state.children.started(event)
    state.options.learned(event.task, AGENT, event.subagent_type)
    return effects + state.options.tell(event.task, state.children)


def on_task_patched(state: SessionState, event: e.TaskPatched) -> list[Effect]:
    """Something about a task changed: an end, a sign of life, its place."""
    if state.tasks.is_late(event.task, event.run):
        return []
    state.tasks.patched(event)
    if (status := ended_status(event)) is not None:
        return _end(state, event.task, status, error=event.error)
    if event.status in RUNNING and state.tasks.resumed(event.task) is not None:
        state.turns.spawned(event.task)
        return state.children.running(event.task)
    return []


def on_task_notified(state: SessionState, event: e.TaskNotified) -> list[Effect]:
    """A run ended. A notification about an earlier delegation of the same agent is stale."""
    if state.tasks.is_late(event.task, event.run):
        return []
    live = state.tasks.get(event.task)
    named = event.tool_use_id
    if live is not None and named and live.launch and live.launch != named:
        return []
    return _end(
        state,
        event.task,
        event.status,
        reason=event.reason,
        tool_use_id=named,
        error=event.summary if event.status == "failed" else None,
    )


def _end(
    state: SessionState,
    agent: str,
    status: str,
    *,
    error: str | None = None,
    reason: str | None = None,
    tool_use_id: str | None = None,
) -> list[Effect]:
    calls = state.calls_of(agent) if status != "completed" and not state.turns.foreground else []
    state.tasks.ended(agent)
    ended = state.children.ended(agent, status, error=error, reason=reason, tool_use_id=tool_use_id)
    # while the turn works, late results of a stopped agent still come; afterwards nothing does
    closed = state.close_calls(calls, "stopped") + shell_rules.ended(state, agent)
    return closed + ended + _watch_hold(state)


def _watch_hold(state: SessionState) -> list[Effect]:
    """A subagent may end without waking the model: then no idle comes that would end the hold."""
    turn = state.turns.active
    if turn is None or not turn.is_held or state.turns.is_awaiting(turn):
        return []
    return [StartTimer(DRAIN_TIMER, DRAIN_SECONDS)] if state.turns.state == "idle" else []


def on_background_level(state: SessionState, event: e.BackgroundLevel) -> list[Effect]:
    """The CLI's whole list of background tasks: what it does not name has ended unnoticed."""
    effects: list[Effect] = []
    for task in state.tasks.level(event):
        effects += shell_rules.ended(state, task.id)
    return effects + _watch_hold(state)


def on_agent_woken(state: SessionState, event: e.AgentWoken) -> list[Effect]:
    """A SendMessage result that woke an agent."""
    if state.tasks.resumed(event.agent) is not None:
        state.turns.spawned(event.agent)
    return state.children.resumed(event.agent, event.calls)
