"""The subagents that a stored session may wake again, as the core remembers them.

Blocking; call it in a thread.
"""

from __future__ import annotations

from pathlib import Path

from canopy_agent.domain.lineage import Launch
from canopy_agent.domain.past import PastAgent
from canopy_agent.history.agents import lineages


def past_agents(transcript: Path) -> tuple[PastAgent, ...]:
    """The stored subagents whose lineage is known."""
    return tuple(
        PastAgent(
            one.agent.id,
            Launch(one.agent.launch or "", one.tool, one.input, one.parent),
            name=one.agent.name,
            role=one.agent.role,
            cwd=one.agent.cwd,
        )
        for one in lineages(transcript)
    )
