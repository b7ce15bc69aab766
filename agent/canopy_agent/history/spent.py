"""What each subagent of a stored session took so far, read from the transcripts.

Blocking; call it in a thread. Fields are those of Claude Code 2.1.
"""

from __future__ import annotations

from pathlib import Path

from canopy_agent.history.agents import stored_agents
from canopy_agent.history.effort import Effort
from canopy_agent.history.transcript import lines, parse
from canopy_shared.ext.canopy_controls import AgentUse
from canopy_shared.ordinary import open_ordinary

_SPOKEN = b'"assistant"'
_MOST_BYTES = 256 << 20


def spent_by_agents(transcript: Path, only: str | None = None) -> tuple[AgentUse, ...]:
    """One row for each subagent that has spoken, or for the ``only`` one that is wanted; of very
    much only the first part is counted.
    """
    found: list[AgentUse] = []
    left = _MOST_BYTES
    for agent in stored_agents(transcript):
        if only not in (None, agent.id):
            continue
        effort = Effort()
        try:
            with open_ordinary(agent.path) as file:
                for _, size, raw in lines(file):
                    left -= size
                    record = parse(raw) if raw is not None and _SPOKEN in raw else None
                    if record is not None and record.get("type") == "assistant":
                        effort.take(record)
        except OSError:
            continue
        if effort.read or effort.cached or effort.written:
            row = (effort.calls, effort.read, effort.cached, effort.written)
            found.append(AgentUse(agent.id, effort.model, *row))
        if left <= 0:
            break
    return tuple(found)
