"""The table of reporters: which of them tells a tool, by its name.

Adding a tool touches one module here and one line of its table.
"""

from __future__ import annotations

from canopy_agent.render.reporters import (
    agent,
    file_edit,
    findings,
    interaction,
    mcp,
    other,
    plan,
    read,
    search,
    shell,
    skill,
    web,
)
from canopy_agent.render.reports import Reporter

_FAMILIES = (
    shell,
    file_edit,
    read,
    search,
    web,
    agent,
    plan,
    interaction,
    skill,
    findings,
    other,
)
REPORTERS: dict[str, Reporter] = {
    name: reporter for family in _FAMILIES for name, reporter in family.REPORTERS.items()
}


def reporter_for(name: str) -> Reporter:
    """The reporter of the tool ``name``; unknown tools have one too."""
    return REPORTERS.get(name) or (mcp.MCP if name.startswith(mcp.PREFIX) else other.OTHER)
