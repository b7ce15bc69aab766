"""The live task registry: which subagents, commands and workflows of the CLI run right now.

The single source for attribution, the hold and what blocks the foreground; it decides nothing
itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.events import BackgroundLevel, TaskNotified, TaskPatched, TaskStarted

ENDED = frozenset({"completed", "failed", "killed", "stopped", "cancelled"})
RUNNING = frozenset({"running", "pending"})

SUBAGENT_TYPE = "local_agent"


@dataclass(slots=True)
class LiveTask:
    """One running task. ``launch`` is the tool call that began it, ``origin`` the first one
    ever.
    """

    id: str
    launch: str | None
    is_subagent: bool
    task_type: str | None = None
    backgrounded: bool = False
    parent: str | None = None
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
        self._runs: Recent[str, str] = Recent(1024)
        self._launches: Recent[str, str] = Recent(2048)

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
        return self._launches.get(agent)

    def runs_under(self, launch: str) -> bool:
        """Whether the agent that ``launch`` began works now."""
        return any(
            task.launch == launch or self._launches.get(task.id) == launch
            for task in self._live.values()
        )

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

    # --- writing -------------------------------------------------------------------------------

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

    def started(self, event: TaskStarted) -> LiveTask:
        """Register a task that began, or began again."""
        if event.tool_use_id is not None and event.task not in self._launches:
            self._launches[event.task] = event.tool_use_id
        task = LiveTask(
            event.task,
            event.tool_use_id,
            names_subagent(event) or event.task in self._resumable,
            event.task_type,
            bool(event.backgrounded),
            event.parent_task,
            ambient=event.ambient,
        )
        self._live.pop(event.task, None)
        self._live[event.task] = task
        self._resumable.pop(event.task)
        return task

    def patched(self, event: TaskPatched) -> None:
        """Note that a task moved to the background or back."""
        task = self._live.get(event.task)
        if task is not None and event.backgrounded is not None:
            task.backgrounded = event.backgrounded

    def ended(self, task_id: str) -> LiveTask | None:
        """Forget a task that ended; a subagent stays resumable. None when it was not live."""
        task = self._live.pop(task_id, None)
        if task is not None and task.is_subagent:
            self._resumable[task_id] = True
        return task

    def resumed(self, agent: str) -> LiveTask | None:
        """A sign that an ended agent works again; the new live task, None when that is no news."""
        if agent in self._live or agent not in self._resumable:
            return None
        self._resumable.pop(agent)
        # which call woke it is not known yet; its task_started will say
        task = LiveTask(agent, None, True, SUBAGENT_TYPE, backgrounded=True)
        self._live[agent] = task
        return task

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
                task.ended_per_level = task.backgrounded
            elif task.backgrounded:
                lost.append(self._live.pop(task.id))
        return lost

    def turn_began(self) -> None:
        """Two-phase sweep: what the level called ended before the last turn is forgotten now."""
        for task in self.live():
            if task.ended_per_level and task.sweep_armed:
                self.ended(task.id)
            task.sweep_armed = task.ended_per_level

    def clear(self) -> None:
        """The CLI or its conversation is gone, and every task with it."""
        self._live.clear()
        self._resumable.clear()
        self._runs.clear()


def ended_status(event: TaskPatched | TaskNotified) -> str | None:
    """The end that an event reports, None when the task goes on."""
    return event.status if event.status in ENDED else None
