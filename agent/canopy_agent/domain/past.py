"""Subagents from before this process: known from disk, shown only when one of them is woken.

What is known is told once, when a session goes on; how a woken agent is announced is its form's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from canopy_agent.domain.lineage import Launch

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Effect
    from canopy_agent.domain.events import AgentsRemembered
    from canopy_agent.domain.state import SessionState


@dataclass(frozen=True, slots=True)
class PastAgent:
    """One stored subagent whose lineage is known up to the main conversation.

    ``cwd`` is its directory with links resolved, when it was placed elsewhere than its parent.
    """

    id: str
    launch: Launch
    name: str | None = None
    role: str | None = None
    cwd: str | None = None


class Past:
    """The stored subagents of a session, by agent and by launch."""

    def __init__(self) -> None:
        self._agents: dict[str, PastAgent] = {}
        self._by_launch: dict[str, PastAgent] = {}
        self.at = 0
        """When they were read, in milliseconds since 1970."""

    def take(self, agents: tuple[PastAgent, ...], at: int) -> None:
        """These are all there are."""
        self._agents = {agent.id: agent for agent in agents}
        self._by_launch = {agent.launch.id: agent for agent in agents}
        self.at = at

    def get(self, agent: str | None) -> PastAgent | None:
        """The stored agent with this id."""
        return self._agents.get(agent or "")

    def launched_by(self, call: str | None) -> PastAgent | None:
        """The stored agent that a call launched."""
        return self._by_launch.get(call or "")

    def line(self, agent: str) -> list[PastAgent]:
        """``agent`` and the stored agents above it, the topmost first."""
        found: list[PastAgent] = []
        here = self.get(agent)
        while here is not None and here not in found:
            found.append(here)
            here = self.launched_by(here.launch.parent)
        return found[::-1]

    def clear(self) -> None:
        """The conversation was cleared: none of them can be woken."""
        self._agents.clear()
        self._by_launch.clear()


def on_remembered(state: SessionState, event: AgentsRemembered) -> list[Effect]:
    """A session goes on: a SendMessage may wake what worked in it before."""
    for agent in event.agents:
        state.tasks.remember(agent.id, agent.launch.id)
    state.children.remembered(event.agents, event.at)
    return []
