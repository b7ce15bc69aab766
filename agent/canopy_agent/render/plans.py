"""Plans as the client gets them: from TodoWrite, from the Task tools and their hooks, or as a fact.

A plan replaces the plan of its session, so a subagent's own list is not sent where it has no
session.
"""

from __future__ import annotations

from canopy_agent.capabilities import ClientProfile
from canopy_agent.domain.facts import TaskHooked, ToolReturned
from canopy_agent.render.reports import Call
from canopy_agent.render.tasks import TaskList, todo_entries
from canopy_shared.updates import Plan, PlanEntry, Update

TODO_WRITE = "TodoWrite"
MAX_SESSIONS = 256


class Plans:
    """The task list of the session and what was sent of plans last."""

    __slots__ = ("_last", "_profile", "tasks")

    def __init__(self, profile: ClientProfile) -> None:
        self._profile = profile
        self.tasks = TaskList()
        self._last: dict[str | None, tuple[PlanEntry, ...]] = {}

    def todo(self, call: Call, parent: str | None) -> list[Update]:
        """The plan of a complete TodoWrite input; each agent has a list of its own."""
        entries = todo_entries(call.input)
        if entries is None or (parent is not None and not self._profile.native_children):
            return []
        return self.show(entries, parent)

    def returned(self, call: Call, returned: ToolReturned, parent: str | None) -> list[Update]:
        """The task list after a Task tool; failures change nothing. All agents share the list."""
        if returned.is_error or call.name == TODO_WRITE:
            return []
        heard = self.tasks.take(call.name, call.input, returned.content, returned.structured)
        return self.show(self.tasks.entries(), parent) if heard else []

    def hooked(self, fact: TaskHooked, parent: str | None) -> list[Update]:
        """The task list after a ``TaskCreated`` or ``TaskCompleted`` hook."""
        heard = self.tasks.hooked(fact.event, fact.task, fact.subject, fact.description)
        return self.show(self.tasks.entries(), parent) if heard else []

    def unfinished(self) -> list[Update]:
        """The task list once more, for a new turn that begins with tasks unfinished."""
        return [Plan(self.tasks.entries())] if self.tasks.has_unfinished else []

    def forget(self, parent: str | None) -> list[Update]:
        """The conversation was cleared: its plan is empty, which is told if there was one."""
        self.tasks.clear()
        shown = any(self._last.values())
        self._last.clear()
        return [Plan(())] if shown else []

    def show(self, entries: tuple[PlanEntry, ...], parent: str | None) -> list[Update]:
        """The plan; AIR clients do not get the same one twice."""
        if self._profile.air and self._last.get(parent) == entries:
            return []
        if len(self._last) >= MAX_SESSIONS:
            self._last.clear()
        self._last[parent] = entries
        return [Plan(entries)]
