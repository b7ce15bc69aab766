"""Facts about the session beside its conversation, which only some clients are told: background
tasks, the goal, failures, changed files.

The core says what happened; how a client reads it is ``render``'s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext.failure import SessionFailure
from canopy_shared.ext.goal import Goal

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskAnnounced:
    """A background task that is no subagent begins.

    ``kind`` is ``shell``, ``workflow``, ``monitor``, ``turn`` or what the CLI calls it; ``call`` is
    the tool call that began it.
    """

    id: str
    name: str
    kind: str
    description: str
    in_transcript: bool
    can_stop: bool
    call: str | None = None
    output_file: str | None = None


@dataclass(frozen=True, slots=True)
class TaskTold:
    """What is new of a background task; None is no news. ``usage`` is in the CLI's words.

    ``state`` is ``running``, ``paused``, ``completed``, ``failed`` or ``stopped``.
    """

    id: str
    state: str | None = None
    summary: str | None = None
    usage: Json | None = None
    call: str | None = None
    output_file: str | None = None


@dataclass(frozen=True, slots=True)
class GoalShown:
    """The goal that Claude Code works towards; None when there is none."""

    goal: Goal | None


@dataclass(frozen=True, slots=True)
class FailureShown:
    """Why something failed, or that something is amiss."""

    failure: SessionFailure


SessionFact = TaskAnnounced | TaskTold | GoalShown | FailureShown
