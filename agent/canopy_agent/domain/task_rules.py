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
from canopy_agent.domain.lineage import SEND_MESSAGE
from canopy_agent.domain.state import REQUEST_MARKERS
from canopy_agent.domain.tasks import RUNNING, ended_status

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

DRAIN_TIMER = "drain"
DRAIN_SECONDS = 5.0
"""How long the CLI may take to report on subagents that ended, before a held prompt is answered."""


def on_task_started(state: SessionState, event: e.TaskStarted) -> list[Effect]:
    """A task began; of the subagents, also one that was woken."""
    if state.tasks.is_late(event.task, event.run) or state.tasks.repeats(event):
        return []
    task = state.tasks.started(event)
    call = state.ledger.get(event.tool_use_id or "")
    if call is not None:
        call.has_task = True
    if not task.is_subagent:
        if event.tool_use_id is not None:
            state.children.nobody(event.tool_use_id)
        return shell_rules.began(state, event)
    state.turns.spawned(event.task, event.parent_task)
    state.options.learned(event.task, AGENT, event.subagent_type)
    effects = state.children.started(event)
    return effects + state.options.tell(event.task, state.children)


def on_task_patched(state: SessionState, event: e.TaskPatched) -> list[Effect]:
    """Something about a task changed: an end, a sign of life, its place."""
    if state.tasks.is_late(event.task, event.run):
        return []
    state.tasks.patched(event)
    if (status := ended_status(event)) is not None:
        return _end(state, event, status, error=event.error)
    if event.status not in RUNNING or state.tasks.is_over(event.task, event.run):
        return []
    if state.tasks.resumed(event.task) is None:
        return []
    state.turns.spawned(event.task, None)
    return state.children.running(event.task)


def on_task_notified(state: SessionState, event: e.TaskNotified) -> list[Effect]:
    """A run ended. A notification about an earlier delegation of the same agent is stale."""
    if state.tasks.is_late(event.task, event.run) or state.tasks.is_stale(event):
        return []
    error = event.summary if event.status == "failed" else None
    return _end(state, event, event.status, error=error)


def _end(
    state: SessionState, event: e.TaskPatched | e.TaskNotified, status: str, *, error: str | None
) -> list[Effect]:
    agent = event.task
    noted = event if isinstance(event, e.TaskNotified) else None
    reason = noted.reason if noted is not None else None
    calls = state.calls_of(agent)
    if state.turns.foreground and not state.children.drops_after_end:
        calls = []  # late results of the agent still come; the end of the turn closes the rest
    state.tasks.ended(agent, status, run=event.run, reason=reason)
    state.turns.ended(agent)
    named = noted.tool_use_id if noted is not None else None
    ended = state.children.ended(agent, status, error=error, reason=reason, tool_use_id=named)
    closed = state.close_calls(calls, "stopped")
    effects = closed + ended if state.children.drops_after_end else ended + closed
    return shell_rules.ended(state, agent) + effects + watch_hold(state)


def watch_hold(state: SessionState) -> list[Effect]:
    """A subagent may end without waking the model: then neither a result nor an idle may come
    that would end the hold.
    """
    turn = state.turns.active
    if turn is None or not turn.is_held or state.turns.is_awaiting(turn):
        return []
    return [StartTimer(DRAIN_TIMER, DRAIN_SECONDS)] if is_quiet(state) else []


def is_quiet(state: SessionState) -> bool:
    """Whether nothing tells of a cycle that is about to report on subagents."""
    if state.turns.autonomous or state.requested:
        return False
    return state.turns.state == "idle" or REQUEST_MARKERS in state.capabilities


def on_background_level(state: SessionState, event: e.BackgroundLevel) -> list[Effect]:
    """The CLI's whole list of background tasks: what it does not name has ended unnoticed."""
    effects: list[Effect] = []
    for task in state.tasks.level(event):
        effects += shell_rules.ended(state, task.id)
    return effects + watch_hold(state)


def on_agent_woken(state: SessionState, event: e.AgentWoken) -> list[Effect]:
    """A SendMessage result that woke an agent."""
    calls = tuple(c for c in event.calls if _is_message(state, c))
    if state.tasks.resumed(event.agent, calls) is not None:
        state.turns.spawned(event.agent, None)
    return state.children.resumed(event.agent, calls)


def _is_message(state: SessionState, id_: str) -> bool:
    call = state.ledger.get(id_)
    return call is not None and call.name == SEND_MESSAGE
