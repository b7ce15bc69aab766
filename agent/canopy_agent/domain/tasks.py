"""The live task registry: which subagents, commands and workflows of the CLI run right now.

The single source for attribution, the hold and what blocks the foreground; it decides nothing
itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.events import BackgroundLevel, TaskNotified, TaskPatched, TaskStarted

ENDED = frozenset({"completed", "failed", "killed", "stopped", "cancelled"})
STOPPED = frozenset({"killed", "stopped", "cancelled"})
RUNNING = frozenset({"running", "pending"})

SUBAGENT_TYPE = "local_agent"
WORKER_RESTART = "worker_restart"


@dataclass(slots=True)
class LiveTask:
    """One running task. ``launch`` is the tool call that gave it its work."""

    id: str
    launch: str | None
    is_subagent: bool
    task_type: str | None = None
    backgrounded: bool = False
    parent: str | None = None
    run: str | None = None
    ended_per_level: bool = False
    sweep_armed: bool = False
    ambient: bool = False


def names_subagent(event: TaskStarted) -> bool:
    """Whether the task is a subagent."""
    return event.subagent_type is not None or event.task_type == SUBAGENT_TYPE


class TaskRegistry:
    """Live tasks by id, and the agents that a SendMessage may wake again."""

    def __init__(self) -> None:
        self._live: dict[str, LiveTask] = {}
        self._resumable: Recent[str, bool] = Recent(256)
        self._stopped: Recent[str, bool] = Recent(256)
        self._runs: Recent[str, str] = Recent(1024)
        self._over: Recent[str, str] = Recent(1024)
        self._past: Recent[str, bool] = Recent(2048)
        self._launches: Recent[str, str] = Recent(2048)
        self._workers: Recent[str, str] = Recent(4096)

    # --- reading -----------------------------------------------------------------------------

    def get(self, task: str | None) -> LiveTask | None:
        """The live task, None when it does not run."""
        return None if task is None else self._live.get(task)

    def live(self) -> list[LiveTask]:
        """All live tasks in the order they began."""
        return list(self._live.values())

    def launches(self) -> set[str]:
        """Tool calls whose task still runs."""
        return {task.launch for task in self._live.values() if task.launch}

    def launch_of(self, agent: str) -> str | None:
        """The first tool call that launched ``agent``, also after it ended.

        Messages of a resumed agent still come under it.
        """
        return self._launches.use(agent)

    def worker_of(self, call: str | None) -> str | None:
        """The task that ``call`` began or woke, also after it ended."""
        return self._workers.use(call)

    def runs_under(self, call: str) -> bool:
        """Whether the task that ``call`` began or woke works now."""
        return self.worker_of(call) in self._live

    def is_stopped(self, call: str | None) -> bool:
        """Whether the task of ``call`` was stopped: what still comes of it is of no use."""
        return self.worker_of(call) in self._stopped

    def has_ended(self, agent: str) -> bool:
        """Whether ``agent`` is a subagent that worked and does not work now."""
        return agent in self._resumable

    def is_running_subagent(self, task: str) -> bool:
        """Whether ``task`` is a subagent that, as far as we know, still works."""
        live = self._live.get(task)
        return live is not None and live.is_subagent and not live.ended_per_level

    def blocks_foreground(self, agent: str | None) -> bool:
        """Whether a question of ``agent`` holds up the main conversation: it or its whole chain of
        parents runs in the foreground. None is the main conversation itself.
        """
        seen: set[str] = set()
        while agent is not None:
            task = self._live.get(agent)
            if task is None or task.backgrounded or agent in seen:
                return False
            seen.add(agent)
            agent = task.parent
        return True

    def descends(self, agent: str | None, ancestor: str) -> bool:
        """Whether ``agent`` is ``ancestor`` or was launched by it or by one of its descendants."""
        seen: set[str] = set()
        while agent is not None and agent not in seen:
            if agent == ancestor:
                return True
            seen.add(agent)
            task = self._live.get(agent)
            agent = task.parent if task is not None else None
        return False

    # --- late frames ---------------------------------------------------------------------------

    def is_late(self, task: str, run: str | None) -> bool:
        """Whether a frame belongs to an earlier run than the newest one seen; remembers the
        newest.
        """
        if run is None:
            return False
        newest = self._runs.get(task)
        if newest is not None and run < newest:
            return True
        self._runs[task] = run
        return False

    def is_over(self, task: str, run: str | None) -> bool:
        """Whether ``run`` of ``task`` ended: nothing but a newer run brings the task back."""
        return run is not None and self._over.get(task) == run

    def repeats(self, event: TaskStarted) -> bool:
        """Whether a start only repeats what was seen: an ended run, or an earlier delegation."""
        live = self._live.get(event.task)
        if live is None and event.run is not None and self._over.get(event.task) is not None:
            return self.is_over(event.task, event.run)
        again = live is not None and event.tool_use_id == live.launch
        return not again and event.tool_use_id is not None and event.tool_use_id in self._past

    def is_stale(self, event: TaskNotified) -> bool:
        """Whether an end names an earlier delegation than the one that the task works on."""
        live, named = self._live.get(event.task), event.tool_use_id
        return (
            live is not None
            and named != live.launch
            and named is not None
            and (named in self._past)
        )

    # --- writing -------------------------------------------------------------------------------

    def remember(self, agent: str, launch: str) -> None:
        """``agent`` worked for ``launch`` before this process; a SendMessage may wake it."""
        self._works_for(agent, launch)
        self._past[launch] = True
        self._resumable[agent] = True

    def started(self, event: TaskStarted) -> LiveTask:
        """Register a task that began, or began again."""
        before = self._live.pop(event.task, None)
        task = LiveTask(
            event.task,
            event.tool_use_id,
            names_subagent(event) or event.task in self._resumable,
            event.task_type,
            bool(event.backgrounded),
            event.parent_task,
            event.run,
            ambient=event.ambient,
        )
        if before is not None:
            task.is_subagent = task.is_subagent or before.is_subagent
            if (before.run, before.launch) == (task.run, task.launch):
                # said once more: it brings back nothing that the list of tasks does not have
                task.ended_per_level, task.sweep_armed = before.ended_per_level, before.sweep_armed
            if before.launch != task.launch and before.launch is not None:
                self._past[before.launch] = True
        self._works_for(event.task, event.tool_use_id)
        self._live[event.task] = task
        self._resumable.pop(event.task)
        self._stopped.pop(event.task)
        return task

    def _works_for(self, task: str, call: str | None) -> None:
        if call is None:
            return
        if task not in self._launches:
            self._launches[task] = call
        self._workers[call] = task

    def patched(self, event: TaskPatched) -> None:
        """Note that a task moved to the background or back."""
        task = self._live.get(event.task)
        if task is not None and event.backgrounded is not None:
            task.backgrounded = event.backgrounded

    def ended(
        self, task_id: str, status: str, *, run: str | None = None, reason: str | None = None
    ) -> LiveTask | None:
        """Forget a task that ended; a subagent stays resumable. None when it was not live."""
        task = self._live.pop(task_id, None)
        if reason != WORKER_RESTART:
            over = run or (task.run if task is not None else None)
            if over is not None:
                self._over[task_id] = over
            if task is not None and task.launch is not None:
                self._past[task.launch] = True
        if task is not None and task.is_subagent:
            self._resumable[task_id] = True
            if status in STOPPED and reason != WORKER_RESTART:
                self._stopped[task_id] = True
        return task

    def resumed(self, agent: str, calls: tuple[str, ...] = ()) -> LiveTask | None:
        """A sign that an ended agent works again; the new live task, None when that is no news.

        ``calls`` are those that may have woken it: a run that one of them began and that ended is
        not begun again by its late result.
        """
        if agent in self._live or agent not in self._resumable:
            return None
        if any(call in self._past for call in calls):
            return None
        self._resumable.pop(agent)
        self._stopped.pop(agent)
        # without a call its task_started will say which one it was
        call = calls[0] if calls else None
        task = LiveTask(agent, call, True, SUBAGENT_TYPE, backgrounded=True)
        self._works_for(agent, call)
        self._live[agent] = task
        return task

    def returned(self, call: str) -> None:
        """The result of ``call`` came: a subagent that runs in the foreground has ended with it."""
        task = self._live.get(self._workers.get(call) or "")
        if task is not None and task.is_subagent and task.launch == call:
            task.ended_per_level = not task.backgrounded

    def level(self, event: BackgroundLevel) -> list[LiveTask]:
        """Compare with the CLI's list of background tasks; gives the other tasks that it has lost.

        A subagent that is not listed may be a live foreground one, so it is only marked; see
        :meth:`turn_began`.
        """
        lost = []
        listed = set(event.tasks)
        for task in self.live():
            if task.id in listed:
                task.ended_per_level = task.sweep_armed = False
            elif task.is_subagent:
                task.ended_per_level = task.ended_per_level or task.backgrounded
            elif task.backgrounded:
                lost.append(self._live.pop(task.id))
        return lost

    def turn_began(self) -> list[LiveTask]:
        """Two-phase sweep: what was called ended before the last turn is forgotten, and given."""
        swept = [t for t in self.live() if t.ended_per_level and t.sweep_armed]
        for task in swept:
            self.ended(task.id, "")
        for task in self.live():
            task.sweep_armed = task.ended_per_level
        return swept

    def clear(self) -> None:
        """The CLI is gone, and every task with it; its agents may be woken in the next one."""
        for task in self.live():
            self.ended(task.id, "")
        self._runs.clear()
        self._over.clear()

    def forget(self) -> None:
        """The conversation is gone, and its agents with it."""
        self.clear()
        self._resumable.clear()


def ended_status(event: TaskPatched | TaskNotified) -> str | None:
    """The end that an event reports, None when the task goes on."""
    return event.status if event.status in ENDED else None
