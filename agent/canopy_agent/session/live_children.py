"""The subagents that a session's process knows, as a replay of the session has to find them.

A look at the state of the core; it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
