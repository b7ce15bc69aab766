"""Tells the client once when an MCP server did not start: one that it supplied, or any.

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
    """Watches the servers ``names``, and with ``every`` those of the settings too: our own client
    has a page that mends them. ``signs_in`` says that a sign-in is offered elsewhere.
    """

    def __init__(
        self,
        names: frozenset[str],
        note: Callable[[Fact], None],
        *,
        signs_in: bool,
        every: bool = False,
    ) -> None:
        self._names = names
        self._every = every
        self._told: set[str] = set()
        self._note = note
        self._signs_in = signs_in

    def frame(self, frame: Mapping[str, Any]) -> None:
        """One frame of the CLI."""
        if (frame.get("type"), frame.get("subtype")) != ("system", "init"):
            return
        for server in servers_of(frame):
            notice = None if server.name in self._told else self._notice(server)
            if notice is not None:
                self._told.add(server.name)
                self._note(notice)

    def _notice(self, server: Server) -> Noted | None:
        supplied = server.name in self._names
        if not (supplied or self._every):
            return None
        facts = {"kind": KIND, "server": server.name, "status": server.status}
        name = code_span(server.name)
        if server.status == FAILED:
            words = "Its tools are missing. `/mcp` shows why, `/mcp reconnect` tries again."
            return Noted("warning", f"MCP server {name} did not start", words, facts)
        if server.status == NEEDS_AUTH and supplied and not self._signs_in:
            words = "Its tools are missing until somebody signs in to it with Claude Code."
            return Noted("info", f"MCP server {name} needs a sign-in", words, facts)
        return None
