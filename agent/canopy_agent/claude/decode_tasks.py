"""Frames about tasks of the CLI to domain events: subagents, commands, workflows, monitors.

It reads fields and knows no rule about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.claude.fields import flag, ident, items, section, text
from canopy_agent.domain import events as e

Json = Mapping[str, Any]
Events = list[e.Event]


def task_started(frame: Json) -> Events:
    """A task began."""
    task = ident(frame.get("task_id"))
    if task is None:
        return []
    return [
        e.TaskStarted(
            task,
            ident(frame.get("run_id")),
            ident(frame.get("tool_use_id")),
            text(frame.get("subagent_type")),
            text(frame.get("task_type")),
            text(frame.get("description")),
            text(frame.get("prompt")),
            flag(frame.get("is_backgrounded")),
            ident(frame.get("parent_task_id")),
            text(frame.get("workflow_name")),
            frame.get("skip_transcript") is True,
            frame.get("ambient") is True,
        )
    ]


def task_progress(frame: Json) -> Events:
    """A task reported progress."""
    task = ident(frame.get("task_id"))
    if task is None:
        return []
    return [
        e.TaskProgressed(
            task,
            ident(frame.get("run_id")),
            ident(frame.get("tool_use_id")),
            text(frame.get("description")),
            text(frame.get("summary")),
            section(frame.get("usage")) or None,
        )
    ]


def task_updated(frame: Json) -> Events:
    """Something about a task changed."""
    task, patch = ident(frame.get("task_id")), section(frame.get("patch"))
    if task is None:
        return []
    return [
        e.TaskPatched(
            task,
            ident(frame.get("run_id")),
            text(patch.get("status")),
            flag(patch.get("is_backgrounded")),
            text(patch.get("error")),
        )
    ]


def task_notification(frame: Json) -> Events:
    """A run of a task ended."""
    task, status = ident(frame.get("task_id")), text(frame.get("status"))
    if task is None or status is None:
        return []
    return [
        e.TaskNotified(
            task,
            status,
            ident(frame.get("run_id")),
            ident(frame.get("tool_use_id")),
            text(frame.get("reason")),
            text(frame.get("summary")),
            text(frame.get("output_file")),
        )
    ]


def background_level(frame: Json) -> Events:
    """The whole list of background tasks."""
    tasks = frame.get("tasks")
    if not isinstance(tasks, list):
        return []  # no list is not an empty list
    rows = items(tasks)
    ids = tuple(id_ for row in rows if (id_ := ident(row.get("task_id")) or ident(row.get("id"))))
    return [e.BackgroundLevel(ids, rows)]
