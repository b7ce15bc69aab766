"""What the CLI says of its tasks: subagents, commands, workflows, monitors.

Each event carries what the rules need and nothing of how it travelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from canopy_agent.domain.past import PastAgent

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AgentWoken:
    """The result of a SendMessage says that it woke ``agent``; ``calls`` are the calls whose
    results came with it.
    """

    agent: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentsRemembered:
    """Subagents that are stored from before; ``at`` is when they were read, in milliseconds since
    1970.
    """

    agents: tuple[PastAgent, ...]
    at: int


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """``system/task_started``: a subagent, a background command, a workflow, a monitor began."""

    task: str
    run: str | None = None
    tool_use_id: str | None = None
    subagent_type: str | None = None
    task_type: str | None = None
    description: str | None = None
    prompt: str | None = None
    backgrounded: bool | None = None
    parent_task: str | None = None
    workflow_name: str | None = None
    skip_transcript: bool = False
    ambient: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgressed:
    """``system/task_progress``."""

    task: str
    run: str | None = None
    tool_use_id: str | None = None
    description: str | None = None
    summary: str | None = None
    usage: Json | None = None


@dataclass(frozen=True, slots=True)
class TaskPatched:
    """``system/task_updated``: what changed of a task."""

    task: str
    run: str | None = None
    status: str | None = None
    backgrounded: bool | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TaskNotified:
    """``system/task_notification``: a run ended with ``completed``, ``failed`` or ``stopped``."""

    task: str
    status: str
    run: str | None = None
    tool_use_id: str | None = None
    reason: str | None = None
    summary: str | None = None
    output_file: str | None = None


@dataclass(frozen=True, slots=True)
class OutputRead:
    """The end of what the command of ``task`` has printed: ``total`` bytes in all.

    ``exact``: ``output`` is just what came since the last reading. ``last`` when the command is
    over and nothing more will be read.
    """

    task: str
    output: str
    total: int
    last: bool = False
    exact: bool = False


@dataclass(frozen=True, slots=True)
class BackgroundLevel:
    """``system/background_tasks_changed``: ids of all background tasks now, with their raw rows."""

    tasks: tuple[str, ...]
    rows: tuple[Json, ...] = ()
