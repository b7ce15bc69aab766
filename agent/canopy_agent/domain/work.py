"""What a client that follows work was told of it last: the foreground's state, and every list of
background work.

It keeps and compares; which events lead to news is in ``work_rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.domain.bounded import Recent

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Outcome

Json = Mapping[str, Any]
Items = tuple[Json, ...]

IDLE, RUNNING, ASKING = "idle", "running", "requires_action"

TERMINAL: Final = "terminal"
TOOL_CALL: Final = "tool_call"
SUBAGENT: Final = "subagent"
OTHER: Final = "_claude/task"


def terminal_item(call: str) -> Json:
    """The terminal of a command in the background; its id is that of the call."""
    return {"type": TERMINAL, "terminalId": call}


def call_item(call: str) -> Json:
    """A call that goes on after its result."""
    return {"type": TOOL_CALL, "toolCallId": call}


def subagent_item(session: str) -> Json:
    """A child session."""
    return {"type": SUBAGENT, "sessionId": session}


def other_item(task: str, description: str) -> Json:
    """A task of Claude Code that no call is known of."""
    return {"type": OTHER, "taskId": task, "description": description}


@dataclass(slots=True)
class Work:
    """The state of one session's work, as the client knows it."""

    state: str = IDLE
    lists: dict[str, Items] | None = field(default_factory=dict)
    """The list of each session that was told one; None where the client is told of none."""
    taken: Recent[str, bool] = field(default_factory=lambda: Recent(1024))
    """Prompts that the client was told are part of the conversation."""
    cycle: Outcome | None = None
    """How the cycle that just ended by itself ended."""
    offered: Recent[str, bool] = field(default_factory=lambda: Recent(512))
    """Calls that the client was told it can stop."""
    lasting: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Session and call of each background task that a call stands for."""
    stops: dict[str, str] = field(default_factory=dict)
    """The task that each open request of the client wants to stop."""

    def list_of(self, session: str) -> Items | None:
        """What the session was told last."""
        return None if self.lists is None else self.lists.get(session, ())
