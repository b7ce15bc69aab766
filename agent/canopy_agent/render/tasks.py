"""Plans: the entries of a TodoWrite, and the task list that the Task tools keep in Claude Code.

The list is rebuilt from what the tools report; it knows no wire shape beyond ``PlanEntry``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from canopy_agent.render.results import text_of
from canopy_agent.render.titles import text_field
from canopy_shared.updates import PlanEntry

Json = Mapping[str, Any]

MAX_TASKS = 1000
_STATUSES = frozenset({"pending", "in_progress", "completed"})
_CREATED = re.compile(r"Task #(\S+) created successfully: (.*)")
_LISTED = re.compile(r"^#(\S+) \[(\w+)\] (.*)$", re.MULTILINE)
_BRACKETS = re.compile(r"(?: \([^()]*\))?(?: \[blocked by [^\]]*\])?\Z")
_NO_TASKS = "No tasks found"


def todo_entries(tool_input: Json) -> tuple[PlanEntry, ...] | None:
    """The plan of a TodoWrite input, None when it holds no list."""
    todos = tool_input.get("todos")
    if not isinstance(todos, list):
        return None
    return tuple(_todo_entry(todo) for todo in todos if isinstance(todo, Mapping))


def _todo_entry(todo: Json) -> PlanEntry:
    status = _status(todo.get("status"))
    active = text_field(todo, "activeForm") if status == "in_progress" else ""
    return PlanEntry(active or text_field(todo, "content", "activeForm"), status)


def _status(value: Any) -> str:
    return value if isinstance(value, str) and value in _STATUSES else "pending"


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the list."""

    id: str
    subject: str
    status: str = "pending"
    active_form: str = ""
    description: str = ""


class TaskList:
    """The tasks in the order of their creation."""

    __slots__ = ("_tasks",)

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}

    @property
    def has_unfinished(self) -> bool:
        """Whether some task is not completed."""
        return any(task.status != "completed" for task in self._tasks.values())

    def entries(self) -> tuple[PlanEntry, ...]:
        """The list as a plan."""
        return tuple(
            PlanEntry(task.active_form if _is_active(task) else task.subject, task.status)
            for task in self._tasks.values()
        )

    def take(self, name: str, tool_input: Json, content: Any, structured: Any) -> bool:
        """Read a successful result of a Task tool; whether it says anything about the list."""
        told = structured if isinstance(structured, Mapping) else {}
        match name:
            case "TaskCreate":
                return self._create(tool_input, content, told)
            case "TaskUpdate":
                return told.get("success") is not False and self._update(tool_input)
            case "TaskList":
                return self._replace(content, told)
            case _:
                return False

    def hooked(self, event: str, task_id: str, subject: str, description: str = "") -> bool:
        """Read a ``TaskCreated`` or ``TaskCompleted`` hook; whether it tells of the list."""
        task = self._tasks.get(task_id)
        match event:
            case "TaskCreated":
                return self._put(task or Task(task_id, subject, description=description))
            case "TaskCompleted":
                return self._put(replace(task or Task(task_id, subject), status="completed"))
            case _:
                return False

    def clear(self) -> None:
        """Forget everything: the conversation was reset."""
        self._tasks.clear()

    def _put(self, task: Task) -> bool:
        if not task.id or not task.subject:
            return False
        if task.id not in self._tasks and len(self._tasks) >= MAX_TASKS:
            return False
        self._tasks[task.id] = task
        return True

    def _create(self, tool_input: Json, content: Any, told: Json) -> bool:
        created = told.get("task")
        if isinstance(created, Mapping):
            task_id, subject = _id(created.get("id")), text_field(created, "subject")
        else:
            found = _CREATED.search(text_of(content))
            task_id, subject = found.groups() if found else ("", "")
        known = self._tasks.get(task_id)
        task = known or Task(task_id, subject or text_field(tool_input, "subject"))
        return self._put(_described(task, tool_input))

    def _update(self, tool_input: Json) -> bool:
        task_id = _id(tool_input.get("taskId"))
        if tool_input.get("status") == "deleted":
            return self._tasks.pop(task_id, None) is not None
        task = self._tasks.get(task_id) or Task(task_id, text_field(tool_input, "subject"))
        if "status" in tool_input:
            task = replace(task, status=_status(tool_input["status"]))
        subject = text_field(tool_input, "subject") or task.subject
        return self._put(_described(replace(task, subject=subject), tool_input))

    def _replace(self, content: Any, told: Json) -> bool:
        listed = told.get("tasks")
        text = text_of(content)
        if isinstance(listed, list):
            found = list(_structured_tasks(listed))
        else:
            found = [Task(i, _BRACKETS.sub("", s), _status(t)) for i, t, s in _LISTED.findall(text)]
            if not found and _NO_TASKS not in text:
                return False
        before, self._tasks = self._tasks, {}
        for task in found:
            known = before.get(task.id)
            if known:
                task = replace(known, subject=task.subject or known.subject, status=task.status)
            self._put(task)
        return True


def _is_active(task: Task) -> bool:
    return task.status == "in_progress" and bool(task.active_form)


def _described(task: Task, tool_input: Json) -> Task:
    return replace(
        task,
        active_form=text_field(tool_input, "activeForm") or task.active_form,
        description=text_field(tool_input, "description") or task.description,
    )


def _structured_tasks(listed: list[Any]) -> Iterator[Task]:
    for item in listed:
        if isinstance(item, Mapping):
            yield Task(
                _id(item.get("id")), text_field(item, "subject"), _status(item.get("status"))
            )


def _id(value: Any) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
