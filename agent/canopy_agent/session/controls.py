"""What Canopy's own client asks beside the conversation: what a session uses, its MCP servers.

Both go to the CLI as control requests, which it answers while it works too (2.1.332). How the
answers look is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.history.spent import spent_by_agents
from canopy_agent.session.mcp_command import STATUS_PATIENCE, act
from canopy_agent.session.mcp_status import error_words, servers_of
from canopy_agent.session.usage_report import usage_report
from canopy_shared.errors import internal_error
from canopy_shared.ext import canopy_controls as own
from canopy_shared.params import Params

if TYPE_CHECKING:
    from canopy_agent.session.opener import Session


USAGE_PATIENCE: Final = 10.0


@dataclass(frozen=True, slots=True)
class ServerParams:
    """``_canopy/mcp_servers``: which session, and what to do with which server, if anything."""

    session_id: str
    action: str | None = None
    server: str = ""

    @classmethod
    def parse(cls, params: object) -> ServerParams:
        """Raises invalid params."""
        values = Params(params)
        session, action = values.text("sessionId"), values.optional_text("action")
        if action is None:
            return cls(session)
        if action not in own.ACTIONS:
            raise values.wrong("action", f"one of {', '.join(own.ACTIONS)}")
        return cls(session, action, values.text("server"))


async def usage(session: Session, transcript: Callable[[], Path | None]) -> dict[str, Any]:
    """The result of ``_canopy/usage``. Raises an ACP error when Claude Code does not say."""
    agents = asyncio.to_thread(lambda: _spent(transcript()))
    try:
        async with asyncio.timeout(USAGE_PATIENCE):
            answer = await session.runtime.control_request(
                {"subtype": "get_usage", "skip_behaviors": True}
            )
    except (ClaudeError, TimeoutError) as error:
        agents.close()
        raise _unknown("what the session uses", error, USAGE_PATIENCE) from None
    return own.usage_result(usage_report(answer, await agents))


async def usage_of_agent(transcript: Callable[[], Path | None], agent: str) -> dict[str, Any]:
    """The result of ``_canopy/usage`` for one subagent: only that is told, and it costs no request
    to the CLI.
    """
    rows = await asyncio.to_thread(lambda: _spent(transcript(), agent))
    return own.usage_result(own.UsageReport(agents=rows))


def _spent(transcript: Path | None, agent: str | None = None) -> tuple[own.AgentUse, ...]:
    return spent_by_agents(transcript, agent) if transcript is not None else ()


async def servers(session: Session, params: ServerParams) -> dict[str, Any]:
    """The result of ``_canopy/mcp_servers``, after the action if there is one. Raises an ACP error
    when Claude Code does not say.
    """
    ask, problem = session.runtime.control_request, ""
    if params.action == own.SIGN_IN:
        problem = await session.around.sign_in(params.server)
    elif params.action is not None:
        problem = await act(params.action, params.server, ask) or ""
    try:
        async with asyncio.timeout(STATUS_PATIENCE):
            listed = servers_of(await ask({"subtype": "mcp_status"}))
    except (ClaudeError, TimeoutError) as error:
        raise _unknown("its MCP servers", error, STATUS_PATIENCE) from None
    rows = tuple(
        own.McpServer(
            one.name, one.status, error_words(one.error or ""), one.tool_names, one.place or ""
        )
        for one in listed
    )
    return own.servers_result(rows, problem)


def _unknown(what: str, error: Exception, patience: float) -> Exception:
    words = getattr(error, "error", str(error))
    why = f"no answer within {patience:g} s" if isinstance(error, TimeoutError) else words
    return internal_error(f"Claude Code does not tell {what}: {why}")
