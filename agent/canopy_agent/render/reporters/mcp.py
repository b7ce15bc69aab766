"""Tools of MCP servers, ``mcp__<server>__<tool>``, and computer use among them.

Their inputs and results are free: the title is the name, the result is shown as it came.
"""

from __future__ import annotations

from canopy_agent.render.reports import Call, Report, Reporter, View

PREFIX = "mcp__"
COMPUTER_USE = "mcp__computer-use__"


def server_and_tool(name: str) -> tuple[str, str]:
    """The (normalised) server and the tool of an MCP tool's name, split at the first ``__``."""
    server, _, tool = name.removeprefix(PREFIX).partition("__")
    return server, tool


def _report(call: Call, view: View) -> Report:
    server, tool = server_and_tool(call.name)
    return Report(call.name, air={"mcp": {"server": server, "tool": tool}}, mcp=True)


MCP = Reporter(_report)
