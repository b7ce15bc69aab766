"""Rules for stopping one background task, or the cycle that no prompt asked for, at the client's
word.

A stop is claimed once; how the order travels is the runtime's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import extension_events as x
from canopy_agent.domain import work_rules
from canopy_agent.domain.async_tasks import STOPPED
from canopy_agent.domain.effects import Effect, Reply, ReplyError, Show, StopBackground
from canopy_agent.domain.facts import Noted

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

STOPPED_TITLE = "Stopped"
_CYCLE = "what Claude Code did by itself"


def on_stop_asked(state: SessionState, event: x.TaskStopAsked) -> list[Effect]:
    """Only a running task that nobody stops yet can be stopped."""
    cycle = state.autonomous_task
    if cycle is not None and event.task == cycle.id:
        if cycle.claimed or state.turns.unsettled():
            return [_no(event.key)]
        cycle.claimed = True
        return [StopBackground(event.key, event.task, interrupt=True)]
    task = state.async_tasks.get(event.task) if state.async_tasks is not None else None
    if task is None or not task.announced or task.is_over or not task.can_stop or task.claimed:
        return [_no(event.key)]
    task.claimed = True
    return [StopBackground(event.key, event.task)]


def _no(key: str) -> Reply:
    return Reply(key, {"stopped": False})


def on_stop_done(state: SessionState, event: x.TaskStopDone) -> list[Effect]:
    """The order went through, or did not: then it may be given again."""
    if (answer := work_rules.on_stop_done(state, event)) is not None:
        return answer
    cycle = state.autonomous_task
    task = state.async_tasks.get(event.task) if state.async_tasks is not None else None
    if event.problem is not None:
        if task is not None:
            task.claimed = False
        if cycle is not None and cycle.id == event.task:
            cycle.claimed = False
        return [ReplyError(event.key, event.problem)]
    effects: list[Effect] = []
    if cycle is not None and cycle.id == event.task:
        effects += cycle.end(state.root, STOPPED)
    if task is not None and state.async_tasks is not None:
        effects += state.async_tasks.moved(task, STOPPED)
    name = (task.name or task.description) if task is not None else _CYCLE
    effects.append(Show(state.root, Noted("info", STOPPED_TITLE, name)))
    return [*effects, Reply(event.key, {"stopped": True})]
