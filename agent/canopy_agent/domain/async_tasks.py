"""Background tasks that are no subagents, as a client with ``asyncTasks`` follows them.

A task is announced once, when it is known to be in the background and which call began it; what
comes before that waits. Rules follow ``@agentclientprotocol/claude-agent-acp`` 0.101.0; which
events lead here is in ``async_task_rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.domain.bounded import Recent, make_room
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.session_facts import TaskAnnounced, TaskTold

Json = Mapping[str, Any]

SHELL, WORKFLOW, MONITOR = "shell", "workflow", "monitor"
KINDS: Final = {
    "local_bash": SHELL,
    "local_workflow": WORKFLOW,
    "local_monitor": MONITOR,
    "mcp": MONITOR,
}
"""What the types of the CLI's tasks are called; any other keeps its name."""

RUNNING, PAUSED = "running", "paused"
COMPLETED, FAILED, STOPPED = "completed", "failed", "stopped"
STATES: Final = {
    "running": RUNNING,
    "pending": RUNNING,
    "paused": PAUSED,
    "completed": COMPLETED,
    "failed": FAILED,
    "killed": STOPPED,
    "stopped": STOPPED,
    "cancelled": STOPPED,
}
ENDS: Final = frozenset({COMPLETED, FAILED, STOPPED})
_KNOWN_TASKS = 512


@dataclass(slots=True)
class AsyncTask:
    """One task. ``session`` is where it is told; ``wanted`` once it is in the background."""

    id: str
    session: str
    kind: str = "task"
    name: str = ""
    description: str = ""
    in_transcript: bool = True
    call: str | None = None
    wanted: bool = False
    announced: bool = False
    state: str = RUNNING
    lost: bool = False
    """It is called stopped only because the CLI's list lacks it: its real end may still come."""
    claimed: bool = False
    """The client asked to stop it."""
    told: TaskTold = field(default_factory=lambda: TaskTold(""))
    """The news that the client has, or that wait for the announcement."""
    waiting: list[TaskTold] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether it ended, as far as anybody knows."""
        return self.state in ENDS

    @property
    def can_stop(self) -> bool:
        """Whether a client may stop it: a monitor ends by itself."""
        return self.kind != MONITOR


class AsyncTasks:
    """The background tasks of one session by id."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._tasks: dict[str, AsyncTask] = {}
        self._ignored: Recent[str, bool] = Recent(1024)

    # --- reading ----------------------------------------------------------------------------------

    def __contains__(self, id_: object) -> bool:
        return id_ in self._tasks

    def get(self, id_: str) -> AsyncTask | None:
        """The task, also one that ended."""
        return self._tasks.get(id_)

    def of_call(self, call: str) -> list[AsyncTask]:
        """The tasks that ``call`` began."""
        return [task for task in self._tasks.values() if task.call == call]

    def running(self) -> list[AsyncTask]:
        """The announced tasks that did not end."""
        return [task for task in self._tasks.values() if task.announced and not task.is_over]

    def announced(self) -> list[AsyncTask]:
        """The announced tasks, ended or not."""
        return [task for task in self._tasks.values() if task.announced]

    # --- coming to know a task --------------------------------------------------------------------

    def ignore(self, id_: str) -> None:
        """``id_`` is a subagent: for good, unless it was announced already."""
        task = self._tasks.get(id_)
        if task is None or not task.announced:
            self._tasks.pop(id_, None)
            self._ignored[id_] = True

    def seen(self, id_: str) -> AsyncTask | None:
        """The task ``id_``, new if need be; None for one that is ignored."""
        if id_ in self._ignored:
            return None
        task = self._tasks.get(id_)
        if task is None:
            make_room(self._tasks, _KNOWN_TASKS, lambda one: one.is_over)
            task = self._tasks[id_] = AsyncTask(id_, self._root)
        return task

    def begun_by(self, task: AsyncTask, call: str, session: str, *, monitor: bool) -> list[Effect]:
        """The call that began ``task`` is known; ``session`` is that of who made the call."""
        if task.call is not None:
            return []
        task.call = call
        if task.announced:
            return [] if task.is_over else self._tell(task, TaskTold(task.id, call=call))
        task.session = session
        if monitor:
            task.kind, task.in_transcript = MONITOR, False
        return self.release(task)

    def release(self, task: AsyncTask, *, unknown_call: bool = False) -> list[Effect]:
        """Announce ``task`` if everything is known that has to be; what waited follows.

        ``unknown_call``: nothing will tell any more which call began it.
        """
        if task.announced or not task.wanted or (task.call is None and not unknown_call):
            return []
        task.announced = True
        announcement = TaskAnnounced(
            task.id,
            task.name or task.description or task.id,
            task.kind,
            task.description or task.name,
            task.in_transcript,
            task.can_stop,
            task.call,
        )
        waiting, task.waiting = task.waiting, []
        told: list[Effect] = [Show(task.session, news) for news in waiting]
        return [Show(task.session, announcement), *told]

    def release_all(self) -> list[Effect]:
        """A result came: what still waits for its call is announced without."""
        effects: list[Effect] = []
        for task in list(self._tasks.values()):
            effects += self.release(task, unknown_call=True)
        return effects

    # --- what happens to it -----------------------------------------------------------------------

    def progressed(
        self,
        task: AsyncTask,
        *,
        summary: str | None = None,
        usage: Json | None = None,
        output_file: str | None = None,
    ) -> list[Effect]:
        """Tell what is new of these; nothing is told of a task that ended."""
        if task.is_over:
            return []
        news = TaskTold(
            task.id,
            summary=summary if summary != task.told.summary else None,
            usage=usage if usage != task.told.usage else None,
            output_file=output_file if output_file != task.told.output_file else None,
        )
        return [] if news == TaskTold(task.id) else self._tell(task, news)

    def moved(
        self,
        task: AsyncTask,
        state: str,
        *,
        summary: str | None = None,
        output_file: str | None = None,
        lost: bool = False,
    ) -> list[Effect]:
        """``task`` is in ``state`` now. An end is final, unless it was only missing (``lost``)."""
        if task.is_over and not (task.lost and state in ENDS):
            return []
        before, task.state, task.lost = task.state, state, lost
        if state == before:
            return []
        new_file = output_file if output_file != task.told.output_file else None
        news = TaskTold(task.id, state, summary, output_file=new_file)
        effects = self._tell(task, news)
        return effects + (self.release(task, unknown_call=True) if task.is_over else [])

    def _tell(self, task: AsyncTask, news: TaskTold) -> list[Effect]:
        task.told = TaskTold(
            task.id,
            summary=news.summary or task.told.summary,
            usage=news.usage or task.told.usage,
            output_file=news.output_file or task.told.output_file,
        )
        if task.announced:
            return [Show(task.session, news)]
        task.waiting.append(news)
        return []

    def level(self, listed: set[str]) -> list[Effect]:
        """The CLI's whole list: a background task that is missing has ended unnoticed."""
        effects: list[Effect] = []
        for task in self._tasks.values():
            if task.wanted and not task.is_over and task.id not in listed:
                effects += self.moved(task, STOPPED, lost=True)
        return effects

    def all_ended(self, state: str) -> list[Effect]:
        """Nothing runs any more."""
        effects: list[Effect] = []
        for task in self.running():
            effects += self.moved(task, state)
        self._tasks.clear()
        self._ignored.clear()
        return effects
