"""Which events tell of background tasks, and where each task is told.

The life of a task is in ``async_tasks``; a client without ``asyncTasks`` leads to nothing here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.domain import events as e
from canopy_agent.domain.async_tasks import FAILED, KINDS, SHELL, STATES, STOPPED, AsyncTask
from canopy_agent.domain.effects import Effect
from canopy_agent.domain.output_files import output_file
from canopy_agent.domain.tasks import SUBAGENT_TYPE, names_subagent

if TYPE_CHECKING:
    from canopy_agent.domain.async_tasks import AsyncTasks
    from canopy_agent.domain.state import SessionState

MONITOR_TOOL = "Monitor"
_NOT_BY_TYPE = frozenset({"local_bash", SUBAGENT_TYPE})


def on_task_started(state: SessionState, event: e.TaskStarted) -> list[Effect]:
    """A task began; subagents are the children's."""
    tasks = state.async_tasks
    if tasks is None or state.tasks.is_late(event.task, event.run):
        return []
    if names_subagent(event):
        tasks.ignore(event.task)
        return []
    task = tasks.seen(event.task)
    if task is None:
        return []
    task.kind = KINDS.get(event.task_type or "", event.task_type or "task")
    task.description = event.description or task.description
    task.name = event.workflow_name or task.description
    if event.skip_transcript or event.ambient:
        task.in_transcript = False
    by_type = event.backgrounded is None and event.task_type not in _NOT_BY_TYPE
    task.wanted = task.wanted or event.backgrounded is True or by_type
    return _bind(state, tasks, task, event.tool_use_id) + tasks.release(task)


def _bind(
    state: SessionState, tasks: AsyncTasks, task: AsyncTask, call: str | None
) -> list[Effect]:
    if call is None or task.call is not None:
        return []
    begun = state.ledger.get(call)
    monitor = begun is not None and begun.name == MONITOR_TOOL
    return tasks.begun_by(task, call, _session_of(state, call), monitor=monitor)


def _session_of(state: SessionState, call: str) -> str:
    """The session of whoever made ``call``, as things are now."""
    begun = state.ledger.get(call)
    if begun is not None and begun.pinned is not None:
        return begun.pinned
    parent = state.ledger.parent_of(call, None)
    agent = state.children.agent_of_call(parent) if parent is not None else None
    return state.children.session_of(agent) if agent is not None else state.root


def on_task_progressed(state: SessionState, event: e.TaskProgressed) -> list[Effect]:
    """A task goes on."""
    task = _known(state, event.task, event.run)
    if state.async_tasks is None or task is None:
        return []
    effects = _bind(state, state.async_tasks, task, event.tool_use_id)
    words = event.summary or event.description
    told = state.async_tasks.progressed(task, summary=words, usage=event.usage)
    return effects + told


def on_task_patched(state: SessionState, event: e.TaskPatched) -> list[Effect]:
    """Something about a task changed: its state, or that it went to the background."""
    task = _known(state, event.task, event.run)
    if state.async_tasks is None or task is None:
        return []
    task.wanted = task.wanted or event.backgrounded is True
    effects = state.async_tasks.release(task)
    now = STATES.get(event.status or "")
    if now is not None:
        effects += state.async_tasks.moved(task, now, summary=event.error)
    return effects


def on_task_notified(state: SessionState, event: e.TaskNotified) -> list[Effect]:
    """A task ended."""
    task = _known(state, event.task, event.run)
    if state.async_tasks is None or task is None:
        return []
    effects = _bind(state, state.async_tasks, task, event.tool_use_id)
    now = STATES.get(event.status, FAILED)
    return effects + state.async_tasks.moved(
        task, now, summary=event.summary, output_file=event.output_file or None
    )


def _known(state: SessionState, id_: str, run: str | None) -> AsyncTask | None:
    if state.async_tasks is None or state.tasks.is_late(id_, run):
        return None
    return state.async_tasks.get(id_)


def on_level(state: SessionState, event: e.BackgroundLevel) -> list[Effect]:
    """The CLI's whole list of background tasks. One first seen here is for the panel only."""
    tasks = state.async_tasks
    if tasks is None:
        return []
    effects: list[Effect] = []
    for row in event.rows:
        effects += _listed(state, tasks, row)
    return effects + tasks.level(set(event.tasks))


def _listed(state: SessionState, tasks: AsyncTasks, row: Any) -> list[Effect]:
    id_, kind = _text(row, "task_id") or _text(row, "id"), _text(row, "task_type")
    if id_ is None:
        return []
    if kind == SUBAGENT_TYPE or _text(row, "subagent_type") is not None:
        tasks.ignore(id_)
        return []
    fresh = tasks.get(id_) is None
    task = tasks.seen(id_)
    if task is None:
        return []
    if fresh:
        task.in_transcript = False
        task.kind = KINDS.get(kind or "", kind or "task")
        task.name = task.description = _text(row, "description") or ""
    task.wanted = True
    return _bind(state, tasks, task, _text(row, "tool_use_id")) + tasks.release(task)


def on_tool_result(state: SessionState, event: e.ToolResulted) -> list[Effect]:
    """A command that goes on in the background, and where its output is."""
    tasks = state.async_tasks
    if tasks is None:
        return []
    effects: list[Effect] = []
    id_ = _text(event.structured, "backgroundTaskId")
    task = tasks.seen(id_) if id_ else None
    if task is not None and not task.is_over:
        if not task.name and not task.announced:
            task.kind, task.name = SHELL, "Background command"
        task.wanted = True
        effects += _bind(state, tasks, task, event.id) + tasks.release(task)
    for known in tasks.of_call(event.id):
        path = output_file(event, known.id)
        effects += tasks.progressed(known, output_file=path) if path else []
    return effects


def _text(source: object, key: str) -> str | None:
    value = source.get(key) if isinstance(source, dict) else None
    return value if isinstance(value, str) and value else None


def on_result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    """Any result: what waits for its call waits no longer."""
    return [] if state.async_tasks is None else state.async_tasks.release_all()


def all_ended(state: SessionState, *, cancelled: bool) -> list[Effect]:
    """The CLI or its conversation is gone."""
    if state.async_tasks is None:
        return []
    return state.async_tasks.all_ended(STOPPED if cancelled else FAILED)
