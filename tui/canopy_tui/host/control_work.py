"""Carries out what the person wants to know beside the conversation: what a session uses, its MCP
servers.

Only our own agent answers that; an agent that does not announce it is asked nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from canopy_shared.errors import AcpError
from canopy_tui.model import events as e
from canopy_tui.model import intents as i

if TYPE_CHECKING:
    from canopy_tui.model.state import ClientState, SessionView
    from canopy_tui.wire.client import AcpClient

Spawn = Callable[[Coroutine[Any, Any, None]], None]


class ControlWork:
    """``client`` gives the endpoint while the agent is there, ``apply`` reduces an event."""

    def __init__(
        self,
        state: Callable[[], ClientState],
        client: Callable[[], AcpClient | None],
        apply: Callable[[e.Event], None],
        spawn: Spawn,
    ) -> None:
        self._state = state
        self._client = client
        self._apply = apply
        self._spawn = spawn

    def act(self, intent: i.AskUsage | i.AskServers | i.AskAgentUse) -> None:
        """Ask; what is on its way already is not asked again."""
        client, state = self._client(), self._state()
        if isinstance(intent, i.AskAgentUse):
            view = state.sessions.get(intent.session)
            if client is not None and view is not None and state.link.tells_controls:
                self._spawn(self._agent_use(client, state.root_of(view), view))
            return
        root = state.sessions.get(intent.session)
        if client is None or root is None or not state.link.tells_controls:
            return
        if isinstance(intent, i.AskUsage):
            if not root.controls.asks_report:
                self._apply(e.UsageAsked(root.id))
                self._spawn(self._usage(client, root))
        elif intent.server not in root.controls.at_work and (
            intent.action or not root.controls.asks_servers
        ):
            self._apply(e.ServersAsked(root.id, intent.action, intent.server))
            self._spawn(self._servers(client, root, intent))

    async def _usage(self, client: AcpClient, root: SessionView) -> None:
        try:
            told = e.UsageTold(root.id, await client.usage(root.wire_id))
        except AcpError as error:
            told = e.UsageTold(root.id, error=error.message)
        self._apply(told)

    async def _agent_use(self, client: AcpClient, root: SessionView, view: SessionView) -> None:
        from canopy_tui.model.children import agent_of  # not for the first frame

        agent = agent_of(view.id)
        with contextlib.suppress(AcpError):  # it is no more than a figure
            report = await client.usage(root.wire_id, agent)
            for use in report.agents:
                if use.agent == agent:
                    self._apply(e.AgentUseTold(view.id, use))

    async def _servers(self, client: AcpClient, root: SessionView, intent: i.AskServers) -> None:
        server = intent.server
        try:
            servers, problem = await client.mcp_servers(root.wire_id, intent.action, server)
            told = e.ServersTold(root.id, servers, server=server, problem=problem)
        except AcpError as error:
            told = e.ServersTold(root.id, error=error.message, server=server)
        self._apply(told)
