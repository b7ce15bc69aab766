"""The subagents that a session's process knows, as a replay of the session has to find them.

A look at the state of the core; it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_agent.domain import work_rules
from canopy_agent.domain.subagents import Subagents

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Effect
    from canopy_agent.domain.state import SessionState


@dataclass(frozen=True, slots=True)
class LiveChild:
    """A subagent that this process knows. ``state`` is its RFD state while it works, else None."""

    session: str
    state: str | None = None


def live_child(state: SessionState, agent: str) -> LiveChild | None:
    """The child session of an agent, None when the client was never shown one."""
    session = state.children.session_of(agent)
    if session == state.root:
        return None
    if not state.tasks.is_running_subagent(agent):
        return LiveChild(session)
    asks = any(request.agent == agent for request in state.requests.values())
    return LiveChild(session, "requires_action" if asks else "running")


def standing(state: SessionState) -> list[Effect]:
    """What a client that follows work is told when it opens a session: the subagents that work,
    what can be stopped, and the state of each.
    """
    if state.work is None:
        return []
    effects = state.children.standing() if isinstance(state.children, Subagents) else []
    return work_rules.standing(state, effects)


def was_cancelled(state: SessionState, key: str) -> bool:
    """Whether the client has cancelled the work that an open question belongs to."""
    request = state.requests.get(key)
    return request is not None and request.cancel_seen
