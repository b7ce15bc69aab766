"""What AIR clients are told beside the conversation: background tasks, the goal, failures.

Whether a client is told at all was decided before; here it is only spelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from canopy_agent.domain import session_facts as s
from canopy_shared.ext import failure, goal
from canopy_shared.unset import UNSET
from canopy_shared.updates import (
    AsyncTaskProgress,
    AsyncTaskSpawned,
    AsyncTaskStateUpdate,
    SessionInfoUpdate,
    Update,
)

_USAGE: Final = {
    "total_tokens": "totalTokens",
    "tool_uses": "toolUses",
    "duration_ms": "durationMs",
}


def _given(value: Any) -> Any:
    return UNSET if value is None else value


def task_announced(fact: s.TaskAnnounced, parent: str | None) -> list[Update]:
    """A background task begins."""
    return [
        AsyncTaskSpawned(
            fact.id,
            fact.name,
            fact.kind,
            description=fact.description,
            show_in_transcript=fact.in_transcript,
            can_stop=fact.can_stop,
            output_file_path=_given(fact.output_file),
            tool_call_id=_given(fact.call),
        )
    ]


def task_told(fact: s.TaskTold, parent: str | None) -> list[Update]:
    """What is new of a background task: progress, or another state."""
    rest = {
        "summary": _given(fact.summary),
        "output_file_path": _given(fact.output_file),
        "tool_call_id": _given(fact.call),
    }
    if fact.state is not None:
        return [AsyncTaskStateUpdate(fact.id, fact.state, **rest)]
    return [AsyncTaskProgress(fact.id, usage=_usage(fact.usage), **rest)]


def _usage(usage: Mapping[str, Any] | None) -> Any:
    if usage is None:
        return UNSET
    return {shown: usage[name] for name, shown in _USAGE.items() if name in usage}


def goal_shown(fact: s.GoalShown, parent: str | None) -> list[Update]:
    """The goal as it is now."""
    return [SessionInfoUpdate(meta=goal.wrap(fact.goal))]


def failure_shown(fact: s.FailureShown, parent: str | None) -> list[Update]:
    """A failure of the session, or a warning."""
    return [SessionInfoUpdate(meta=failure.wrap(fact.failure))]


TELLERS: Final[dict[type, Callable[[Any, str | None], list[Update]]]] = {
    s.TaskAnnounced: task_announced,
    s.TaskTold: task_told,
    s.GoalShown: goal_shown,
    s.FailureShown: failure_shown,
}

SPARE: Final = {
    **TELLERS,
    s.TaskAnnounced: lambda fact, parent: [],
    s.TaskTold: lambda fact, parent: [],
}
"""For a client that reads of background tasks in lists of work."""
