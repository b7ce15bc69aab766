"""What the CLI says beside the conversation: requests sent again, checks of the goal.

Each event carries what the rules need and nothing of how it travelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from canopy_shared.ext.goal import Goal


@dataclass(frozen=True, slots=True)
class ApiRetried:
    """``system/api_retry``: a request failed and is sent again, for the ``attempt``-th of ``most``
    times.

    ``status`` is that of HTTP, None without a response; ``error`` the SDK's category. ``waits_ms``
    is set when no response came in time: how long the next one may take, in milliseconds.
    """

    attempt: int
    most: int
    status: int | None = None
    error: str | None = None
    waits_ms: int | None = None


@dataclass(frozen=True, slots=True)
class RefusalExplained:
    """``model_refusal_no_fallback``: why the model declined, where no other one takes over."""

    text: str


@dataclass(frozen=True, slots=True)
class GoalReported:
    """The goal as Claude Code has it: from ``active_goal``, or read from its transcript."""

    goal: Goal | None


@dataclass(frozen=True, slots=True)
class HookFeedback:
    """A Stop hook made Claude Code go on; the words that it was given. The check of a goal is
    such a hook.
    """

    text: str
