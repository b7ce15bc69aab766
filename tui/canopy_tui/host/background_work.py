"""Carries out what the person wants of work in the background: stop a task, give up a goal.

It follows the output of what runs as well. It holds no state of the conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from canopy_shared.errors import AcpError
from canopy_tui.host.task_tails import TaskTails
from canopy_tui.model import events as e
from canopy_tui.model import intents as i

if TYPE_CHECKING:
    from canopy_tui.model.background import BackgroundTask
    from canopy_tui.model.state import ClientState
    from canopy_tui.wire.client import AcpClient

Spawn = Callable[[Coroutine[Any, Any, None]], None]


class BackgroundWork:
    """``client`` gives the endpoint while the agent is there, ``apply`` reduces an event."""

    def __init__(
        self,
        state: Callable[[], ClientState],
        client: Callable[[], AcpClient | None],
        apply: Callable[[e.Event], None],
        spawn: Spawn,
        clock: Callable[[], float],
    ) -> None:
        self._state = state
        self._client = client
        self._apply = apply
        self._spawn = spawn
        self._clock = clock
        self._tails = TaskTails(state, apply)
        self._asked = 0
        """Tasks whose stop the agent has not answered yet."""
        self._kept_on: dict[str, list[tuple[str, str]]] = {}
        """By root: tasks that were not stopped, each with the reason."""

    def follow(self) -> None:
        """Tasks changed: read their output while there is any."""
        if not self._tails.running and self._tails.has_work:
            self._spawn(self._tails.run())

    def act(self, intent: i.StopTask | i.ClearGoal) -> None:
        """Carry out ``intent``; one that has no use now does nothing."""
        client, state = self._client(), self._state()
        if client is None:
            return
        if isinstance(intent, i.StopTask):
            task = state.tasks.get(intent.task)
            if task is not None and task.stops:
                self._asked += 1
                self._spawn(self._stop(client, task))
        else:
            root = state.sessions.get(intent.session)
            if root is not None and root.goal is not None:
                self._spawn(self._clear_goal(client, root.id, root.wire_id))

    def stop_cycle(self, task_key: str) -> bool:
        """Stop what a root does on its own; whether that was possible."""
        task = self._state().tasks.get(task_key)
        if task is None or not task.stops:
            return False
        self.act(i.StopTask(task_key))
        return True

    async def _stop(self, client: AcpClient, task: BackgroundTask) -> None:
        view = self._state().sessions.get(task.session)
        self._apply(e.TaskStopping(task.key))
        try:
            stopped = await client.stop_task(view.wire_id if view else task.session, task.id)
        except AcpError as error:
            self._kept_on.setdefault(task.root, []).append((task.name, str(error)))
            stopped = False
        finally:
            self._asked -= 1
        if not stopped:
            self._apply(e.TaskStopping(task.key, on=False))
        if not self._asked:
            self._tell_of_kept()

    def _tell_of_kept(self) -> None:
        """One line per session, however many of its tasks were to be stopped together."""
        kept, self._kept_on = self._kept_on, {}
        for root, tasks in kept.items():
            if len(tasks) == 1:
                self._refused(root, f"{tasks[0][0]} was not stopped: {tasks[0][1]}")
            else:
                reasons = "\n".join(f"{name}: {reason}" for name, reason in tasks)
                self._refused(root, f"{len(tasks)} tasks were not stopped", reasons)

    async def _clear_goal(self, client: AcpClient, root: str, wire_id: str) -> None:
        try:
            await client.clear_goal(wire_id)
        except AcpError as error:
            self._refused(root, f"The goal was not cleared: {error}")

    def _refused(self, session: str, title: str, detail: str = "") -> None:
        at = self._clock()
        self._apply(e.Noticed(session=session, severity="error", title=title, detail=detail, at=at))
