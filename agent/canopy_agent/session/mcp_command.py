"""``/mcp``: the list of MCP servers, and reconnecting, enabling or disabling them.

Claude Code runs the command without a terminal and says little; here it is carried out through
control requests (CLI 2.1.332) and put in words. When the words are shown is not known here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session.mcp_status import (
    DISABLED,
    FAILED,
    NEEDS_AUTH,
    PENDING,
    Server,
    code_span,
    error_words,
    plain_words,
    servers_of,
    status_markdown,
)

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""Sends a control request; raises ClaudeError."""

STATUS_PATIENCE: Final = 5.0
ACTION_PATIENCE: Final = 30.0

RECONNECT: Final = "reconnect"
ENABLE: Final = "enable"
DISABLE: Final = "disable"
ALL: Final = "all"

_COMMAND: Final = re.compile(
    r"/mcp(?:\s+(reconnect|enable|disable)(?:\s+(\S.*?))?)?\s*", re.IGNORECASE
)
_REFUSES: Final = re.compile(
    r"aren't available|isn't available|not available|not supported|terminal|in this session",
    re.IGNORECASE,
)
_DONE: Final = {RECONNECT: "Reconnected", ENABLE: "Enabled", DISABLE: "Disabled"}
_FAILED: Final = {
    RECONNECT: "could not be reconnected",
    ENABLE: "could not be enabled",
    DISABLE: "could not be disabled",
}


@dataclass(frozen=True, slots=True)
class McpCommand:
    """``verb`` is None for the list; ``name`` None or ``all`` means every server it applies to."""

    verb: str | None = None
    name: str | None = None

    @property
    def every(self) -> bool:
        """Whether no single server is meant."""
        return self.name is None or self.name.lower() == ALL

    def applies_to(self, server: Server) -> bool:
        """Whether there is something to do for ``server`` when every one is meant."""
        match self.verb:
            case "reconnect":
                return server.status in (FAILED, PENDING, NEEDS_AUTH)
            case "enable":
                return server.status == DISABLED
            case _:
                return server.status != DISABLED


@dataclass(frozen=True, slots=True)
class McpReport:
    """The words for the user, and the servers that were to be reconnected: one that needs a
    sign-in fails that.
    """

    text: str
    reconnected: tuple[str, ...] = ()


def mcp_command(text: str) -> McpCommand | None:
    """The command that a whole prompt is; None for any other prompt."""
    found = _COMMAND.fullmatch(text.strip())
    if found is None:
        return None
    verb, name = found.groups()
    return McpCommand(verb.lower() if verb else None, name)


async def carry_out(command: McpCommand, printed: str, ask: Ask) -> McpReport:
    """Do what ``command`` says; ``printed`` is what Claude Code itself said of it.

    Raises ClaudeError or TimeoutError when the servers cannot be read.
    """
    if command.verb is None:
        return McpReport(status_markdown(await _servers(ask)))
    if command.verb != RECONNECT and command.name is None:
        usage = f"Say which server: `/mcp {command.verb} <server>`, or `/mcp {command.verb} all`."
        return McpReport(_joined(usage, status_markdown(await _servers(ask))))
    before = await _servers(ask)
    targets = [one for one in before if _is_meant(command, one)]
    if not targets:
        return McpReport(_joined(_nothing(command), status_markdown(before)))
    names = tuple(dict.fromkeys(server.name for server in targets))
    lines = [await _act(command.verb, name, ask) for name in names]
    after = await _servers(ask)
    text = _joined(kept_words(printed), "\n".join(lines), status_markdown(after))
    return McpReport(text, names if command.verb == RECONNECT else ())


def _is_meant(command: McpCommand, server: Server) -> bool:
    return command.applies_to(server) if command.every else server.name == command.name


def _nothing(command: McpCommand) -> str:
    if not command.every:
        return f"There is no MCP server {code_span(command.name or '')}."
    return f"There is no MCP server to {command.verb}."


async def _servers(ask: Ask) -> tuple[Server, ...]:
    async with asyncio.timeout(STATUS_PATIENCE):
        return servers_of(await ask({"subtype": "mcp_status"}))


async def act(verb: str, name: str, ask: Ask) -> str | None:
    """Reconnect, enable or disable one server; why that did not work, None when it did."""
    request: dict[str, Any] = {"subtype": "mcp_reconnect", "serverName": name}
    if verb != RECONNECT:
        request = {"subtype": "mcp_toggle", "serverName": name, "enabled": verb == ENABLE}
    try:
        async with asyncio.timeout(ACTION_PATIENCE):
            await ask(request)
    except TimeoutError:
        return f"no answer within {ACTION_PATIENCE:g} s"
    except ClaudeError as error:
        return error_words(getattr(error, "error", str(error)))
    return None


async def _act(verb: str, name: str, ask: Ask) -> str:
    """One server: a line about it."""
    why = await act(verb, name, ask)
    if why is None:
        return f"- {_DONE[verb]} {code_span(name)}"
    return f"- {code_span(name)} {_FAILED[verb]}: {plain_words(why)}"


def kept_words(printed: str) -> str:
    """What Claude Code printed, without the sentences that refuse or point to a terminal."""
    sentences = re.split(r"(?<=[.!?])\s+", printed.strip())
    return " ".join(one for one in sentences if one and not _REFUSES.search(one))


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
