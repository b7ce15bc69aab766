"""TodoWrite and the Task tools: plans, with a card only when a permission request needs one.

The task list itself is kept in ``render.tasks``.
"""

from __future__ import annotations

from collections.abc import Iterator

from canopy_agent.render.reports import Call, Report, Reporter, View, show_nothing
from canopy_agent.render.titles import text_field

PLAN_TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet"})


def _todo_report(call: Call, view: View) -> Report:
    todos = ", ".join(_todo_texts(call))
    return Report(f"Update TODOs: {todos}" if todos else "Update TODOs", "think")


def _todo_texts(call: Call) -> Iterator[str]:
    todos = call.input.get("todos")
    for todo in todos if isinstance(todos, list) else ():
        text = text_field(todo, "content") if isinstance(todo, dict) else ""
        if text:
            yield text


def _create_report(call: Call, view: View) -> Report:
    subject = text_field(call.input, "subject")
    return Report(f"Create task: {subject}" if subject else "Create task", "think")


def _update_report(call: Call, view: View) -> Report:
    subject = text_field(call.input, "subject") or _numbered(call)
    return Report(f"Update task: {subject}" if subject else "Update task", "think")


def _numbered(call: Call) -> str:
    task = call.input.get("taskId")
    return f"#{task}" if isinstance(task, (str, int)) and str(task) else ""


def _list_report(call: Call, view: View) -> Report:
    return Report("List tasks", "think")


def _get_report(call: Call, view: View) -> Report:
    return Report("Get task", "think")


_REPORTS = {
    "TodoWrite": _todo_report,
    "TaskCreate": _create_report,
    "TaskUpdate": _update_report,
    "TaskList": _list_report,
    "TaskGet": _get_report,
}
REPORTERS = {
    name: Reporter(report, show_nothing, show_nothing) for name, report in _REPORTS.items()
}
