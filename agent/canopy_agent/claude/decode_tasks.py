"""Frames about tasks of the CLI to domain events: subagents, commands, workflows, monitors.

It reads fields and knows no rule about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.claude.lanes import section, text
from canopy_agent.domain import events as e

Json = Mapping[str, Any]
Events = list[e.Event]


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def task_started(frame: Json) -> Events:
    """A task began."""
    task = text(frame.get("task_id"))
    if task is None:
        return []
    return [
        e.TaskStarted(
            task,
            text(frame.get("run_id")),
            text(frame.get("tool_use_id")),
            text(frame.get("subagent_type")),
            text(frame.get("task_type")),
            text(frame.get("description")),
            text(frame.get("prompt")),
            _flag(frame.get("is_backgrounded")),
            text(frame.get("parent_task_id")),
            text(frame.get("workflow_name")),
            frame.get("skip_transcript") is True,
            frame.get("ambient") is True,
        )
    ]


def task_progress(frame: Json) -> Events:
    """A task reported progress."""
    task = text(frame.get("task_id"))
    if task is None:
        return []
    return [
        e.TaskProgressed(
            task,
            text(frame.get("run_id")),
            text(frame.get("tool_use_id")),
            text(frame.get("description")),
            text(frame.get("summary")),
            text(frame.get("last_tool_name")),
            section(frame.get("usage")) or None,
        )
    ]


def task_updated(frame: Json) -> Events:
    """Something about a task changed."""
    task, patch = text(frame.get("task_id")), section(frame.get("patch"))
    if task is None:
        return []
    return [
        e.TaskPatched(
            task,
            text(frame.get("run_id")),
            text(patch.get("status")),
            _flag(patch.get("is_backgrounded")),
            text(patch.get("error")),
        )
    ]


def task_notification(frame: Json) -> Events:
    """A run of a task ended."""
    task, status = text(frame.get("task_id")), text(frame.get("status"))
    if task is None or status is None:
        return []
    return [
        e.TaskNotified(
            task,
            status,
            text(frame.get("run_id")),
            text(frame.get("tool_use_id")),
            text(frame.get("reason")),
            text(frame.get("summary")),
            text(frame.get("output_file")),
        )
    ]


def background_level(frame: Json) -> Events:
    """The whole list of background tasks."""
    tasks = frame.get("tasks")
    rows = (
        tuple(row for row in tasks if isinstance(row, Mapping)) if isinstance(tasks, list) else ()
    )
    ids = tuple(id_ for row in rows if (id_ := text(row.get("task_id")) or text(row.get("id"))))
    return [e.BackgroundLevel(ids, rows)]
