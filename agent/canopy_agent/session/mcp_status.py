"""The state of a session's MCP servers as Markdown, from the CLI's ``mcp_status``.

Names and errors come from servers: they are shown as text, and addresses in them without logins
and queries. Nothing is asked for here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Mapping[str, Any]

FAILED: Final = "failed"
NEEDS_AUTH: Final = "needs-auth"
PENDING: Final = "pending"
CONNECTED: Final = "connected"
DISABLED: Final = "disabled"

_GROUPS: Final = {
    FAILED: "Failed",
    NEEDS_AUTH: "Needs authentication",
    PENDING: "Connecting",
    CONNECTED: "Connected",
}
_TO_RECONNECT: Final = frozenset({FAILED, NEEDS_AUTH, PENDING})
_WRAPPER: Final = re.compile(
    r"\A\s*(?:(?:\w*error|exception|mcp error -?\d+|failed to connect(?: to [^:]{0,60})?|"
    r"connection failed|(?:sse|streamable ?http|stdio)(?: \w+)?)\s*:\s*)",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"(?P<scheme>https?://)(?:[^\s/@]*@)?(?P<place>[^\s?#\"'>)]*)\S*")
_LONGEST: Final = 160

NO_SERVERS: Final = "No MCP servers are configured for this session."
RECONNECT_HINT: Final = "Try `/mcp reconnect <server>`, or `/mcp reconnect` for all of them."


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server as the CLI sees it. ``tools`` is None while they are not known."""

    name: str
    status: str
    error: str | None = None
    tools: int | None = None
    place: str | None = None
    tool_names: tuple[str, ...] | None = None


def servers_of(answer: Json) -> tuple[Server, ...]:
    """The servers of an ``mcp_status`` answer, or of ``system/init``."""
    rows = answer.get("mcpServers", answer.get("mcp_servers"))
    found = (_server(row) for row in (rows if isinstance(rows, list) else ()))
    return tuple(server for server in found if server is not None)


def _server(row: object) -> Server | None:
    if not isinstance(row, Mapping) or not isinstance(row.get("name"), str):
        return None
    status, error, tools = row.get("status"), row.get("error"), row.get("tools")
    place = row.get("scope") or row.get("source")
    return Server(
        row["name"],
        status if isinstance(status, str) and status else "unknown",
        error if isinstance(error, str) and error.strip() else None,
        len(tools) if isinstance(tools, list) else None,
        place if isinstance(place, str) else None,
        tuple(_tool_names(tools)) if isinstance(tools, list) else None,
    )


def _tool_names(tools: Iterable[object]) -> list[str]:
    named = (tool.get("name") if isinstance(tool, Mapping) else tool for tool in tools)
    return [name for name in named if isinstance(name, str)]


def code_span(text: str) -> str:
    """``text`` in one line of code that its own backticks cannot end."""
    line = " ".join(text.split()) or " "
    longest = max((len(run) for run in re.findall(r"`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def plain_words(text: str) -> str:
    """Foreign words inside a line of Markdown: nothing in them is markup."""
    return re.sub(r"([\\`*_\[\]<>|~#!])", r"\\\1", text)


def error_words(error: str) -> str:
    """What an error is about: without its wrappers, at most two sentences and 160 characters."""
    text = " ".join(error.split())
    text = _ADDRESS.sub(r"\g<scheme>\g<place>", text)
    while (shorter := _WRAPPER.sub("", text, count=1)) != text and shorter:
        text = shorter
    sentences = re.split(r"(?<=[.!?])\s+", text)
    text = " ".join(sentences[:2])
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


# --- the list -----------------------------------------------------------------------------------


def status_markdown(servers: Iterable[Server]) -> str:
    """All servers, those that need somebody first."""
    listed = tuple(servers)
    if not listed:
        return NO_SERVERS
    repeated = {name for name, count in Counter(s.name for s in listed).items() if count > 1}
    parts = [_summary(listed)]
    for status in (*_GROUPS, *_further(listed)):
        lines = [_line(one, repeated) for one in listed if one.status == status]
        if lines:
            title = _GROUPS.get(status) or plain_words(status.capitalize())
            parts.append("\n".join((f"**{title}**", *lines)))
    disabled = [_name(one, repeated) for one in listed if one.status == DISABLED]
    if disabled:
        parts.append(f"**Disabled:** {', '.join(disabled)}")
    if any(one.status in _TO_RECONNECT for one in listed):
        parts.append(RECONNECT_HINT)
    return "\n\n".join(parts)


def _further(servers: tuple[Server, ...]) -> tuple[str, ...]:
    """States that this version does not know, in the order in which they come."""
    known = {*_GROUPS, DISABLED}
    return tuple(dict.fromkeys(one.status for one in servers if one.status not in known))


def _summary(servers: tuple[Server, ...]) -> str:
    counts = Counter(server.status for server in servers)
    order = (CONNECTED, PENDING, NEEDS_AUTH, FAILED, DISABLED, *_further(servers))
    said = [
        f"{counts[status]} {plain_words(_SAID.get(status, status))}"
        for status in order
        if counts[status]
    ]
    noun = "MCP server" if len(servers) == 1 else "MCP servers"
    return f"**{len(servers)} {noun}**: {', '.join(said)}"


_SAID: Final = {NEEDS_AUTH: "not authenticated", PENDING: "connecting"}


def _name(server: Server, repeated: set[str]) -> str:
    name = code_span(server.name)
    if server.name in repeated and server.place is not None:
        name = f"{name} ({plain_words(server.place)})"
    return name


def _line(server: Server, repeated: set[str]) -> str:
    line = f"- {_name(server, repeated)}"
    if server.status != CONNECTED and server.error is not None:
        return f"{line}: {plain_words(error_words(server.error))}"
    if server.status == CONNECTED and server.tools is not None:
        return f"{line}: {server.tools} {'tool' if server.tools == 1 else 'tools'}"
    return line
