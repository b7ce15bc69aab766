"""Background tasks: their announcement, progress and end (AIR ``asyncTasks``), and their output.

Shapes follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0. A task of kind ``turn`` stands for
work of the root that no prompt asked for: it says that the root works, and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from canopy_shared.updates import AsyncTaskProgress, AsyncTaskSpawned, AsyncTaskStateUpdate
from canopy_tui.model import toolcalls, transcript, turns
from canopy_tui.model.background import ENDS, FAILED, PAUSED, RUNNING, STOPPED, TURN, BackgroundTask
from canopy_tui.model.sanitize import clipped
from canopy_tui.model.state import Replay

if TYPE_CHECKING:
    from canopy_tui.model.events import TaskOutput, TaskStopping
    from canopy_tui.model.state import ClientState, SessionView, Touched

NAME_LIMIT = 200
KEPT = 50
"""How many tasks stay known after their end."""

Report = AsyncTaskSpawned | AsyncTaskProgress | AsyncTaskStateUpdate


def told(
    state: ClientState, view: SessionView, update: Report, at: float, touched: Touched
) -> None:
    """Take over what the agent says of a task. One that was never announced is not shown."""
    root = state.root_of(view)
    key = f"{root.id}/{update.async_task_id}"
    task = state.tasks.get(key)
    if view.replay is not Replay.NO:
        return
    if task is None and isinstance(update, AsyncTaskSpawned) and update.async_task_id:
        task = _announced(state, root, view, key, update, at, touched)
    if task is None:
        return
    touched.tasks = True
    touched.sessions.add(root.id)
    _take(task, update)
    if isinstance(update, AsyncTaskStateUpdate):
        _moved(task, update.state, at)
    _mark_call(state, task, at, touched)
    if task.kind == TURN:
        _follow_cycle(state, root, task, touched)
    _forget(state)


def _announced(
    state: ClientState,
    root: SessionView,
    view: SessionView,
    key: str,
    update: AsyncTaskSpawned,
    at: float,
    touched: Touched,
) -> BackgroundTask:
    task = BackgroundTask(
        key=key,
        id=update.async_task_id,
        session=view.id,
        root=root.id,
        name=clipped(update.name, NAME_LIMIT),
        kind=update.task_type,
        can_stop=update.can_stop is True,
        started_at=at,
    )
    if isinstance(update.description, str):
        task.description = clipped(update.description, NAME_LIMIT)
    state.tasks[key] = task
    if task.kind == TURN:
        _begin_cycle(state, root, task, touched)
    return task


def _take(task: BackgroundTask, update: Report) -> None:
    if isinstance(update.tool_call_id, str):
        task.call = task.call or update.tool_call_id
    if isinstance(update.output_file_path, str):
        task.output_file = update.output_file_path
    summary = None if isinstance(update, AsyncTaskSpawned) else update.summary
    if isinstance(summary, str):
        task.summary = clipped(summary, NAME_LIMIT)
    usage = update.usage if isinstance(update, AsyncTaskProgress) else None
    tokens = usage.get("totalTokens") if isinstance(usage, Mapping) else None
    if isinstance(tokens, int) and not isinstance(tokens, bool):
        task.tokens = tokens


def _moved(task: BackgroundTask, word: str, at: float) -> None:
    if word not in ENDS and word not in (RUNNING, PAUSED):
        return
    if task.is_over and word not in ENDS:
        return
    task.state = word
    if task.is_over:
        task.stopping = False
        task.ended_at = task.ended_at or at


def _mark_call(state: ClientState, task: BackgroundTask, at: float, touched: Touched) -> None:
    """The tool call that began the task shows that it goes on."""
    view = state.sessions.get(task.session)
    entry = toolcalls.find(view, task.call) if view and task.call else None
    if view is None or entry is None:
        return
    entry.backgrounded = True
    entry.in_background = not task.is_over
    if task.is_over:
        entry.exited = True
    if task.is_over and entry.ended:
        entry.ended_at = task.ended_at or at
        entry.status = "failed" if task.state == FAILED else entry.status
    if task.is_over:
        transcript.changed(state, view, entry, touched)
    else:
        transcript.redrawn(view, entry, touched)


def _forget(state: ClientState) -> None:
    over = [task.key for task in state.tasks.values() if task.is_over]
    for key in over[: max(0, len(over) - KEPT)]:
        del state.tasks[key]


# --- work that no prompt asked for ----------------------------------------------------------------


def _begin_cycle(
    state: ClientState, root: SessionView, task: BackgroundTask, touched: Touched
) -> None:
    if root.burst is not None:
        transcript.close_message(state, root, touched)
        root.burst = None
    root.cycle = task.key
    root.tells_cycles = True


def _follow_cycle(
    state: ClientState, root: SessionView, task: BackgroundTask, touched: Touched
) -> None:
    if task.is_over and root.cycle == task.key:
        root.cycle = None
    turns.settle_phase(root, touched)


# --- the output, the stop, the end ----------------------------------------------------------------


def output(state: ClientState, event: TaskOutput, touched: Touched) -> None:
    """The end of a task's output was read."""
    task = state.tasks.get(event.task)
    if task is None or (task.tail, task.tail_is_cut) == (event.text, event.cut):
        return
    task.tail, task.tail_is_cut = event.text, event.cut
    touched.tasks = True
    view = state.sessions.get(task.session)
    entry = toolcalls.find(view, task.call) if view and task.call else None
    if view is not None and entry is not None:
        toolcalls.show_output(entry, ("…\n" if event.cut else "") + event.text)
        transcript.redrawn(view, entry, touched)


def stopping(state: ClientState, event: TaskStopping, touched: Touched) -> None:
    """The person asked to stop a task, or the agent refused to."""
    task = state.tasks.get(event.task)
    if task is not None and not task.is_over:
        task.stopping = event.on
        touched.tasks = True


def all_ended(state: ClientState, at: float, touched: Touched) -> None:
    """The agent is gone: whatever ran is nobody's any more."""
    for task in state.tasks.values():
        if not task.is_over:
            _moved(task, STOPPED, at)
            task.summary = task.summary or "The agent is gone."
            _mark_call(state, task, at, touched)
            touched.tasks = True


def forget_root(state: ClientState, root: str, touched: Touched) -> None:
    """A root was closed."""
    gone = [task.key for task in state.tasks.values() if task.root == root]
    for key in gone:
        del state.tasks[key]
        touched.tasks = True
