"""Tells the client once when an MCP server that it supplied did not start.

It looks at what the CLI says of its servers at each turn; a server's sign-in is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from canopy_agent.domain.facts import Noted
from canopy_agent.session.mcp_status import FAILED, NEEDS_AUTH, Server, code_span, servers_of

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact

KIND = "mcpServerStatus"


class McpNotices:
    """Watches the servers ``names``. ``signs_in`` says that a sign-in is offered elsewhere."""

    def __init__(
        self, names: frozenset[str], note: Callable[[Fact], None], *, signs_in: bool
    ) -> None:
        self._left = set(names)
        self._note = note
        self._signs_in = signs_in

    def frame(self, frame: Mapping[str, Any]) -> None:
        """One frame of the CLI."""
        if (frame.get("type"), frame.get("subtype")) != ("system", "init") or not self._left:
            return
        for server in servers_of(frame):
            notice = self._notice(server) if server.name in self._left else None
            if notice is not None:
                self._left.discard(server.name)
                self._note(notice)

    def _notice(self, server: Server) -> Noted | None:
        facts = {"kind": KIND, "server": server.name, "status": server.status}
        name = code_span(server.name)
        if server.status == FAILED:
            words = "Its tools are missing. `/mcp` shows why, `/mcp reconnect` tries again."
            return Noted("warning", f"MCP server {name} did not start", words, facts)
        if server.status == NEEDS_AUTH and not self._signs_in:
            words = "Its tools are missing until somebody signs in to it with Claude Code."
            return Noted("info", f"MCP server {name} needs a sign-in", words, facts)
        return None
