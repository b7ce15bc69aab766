"""MCP servers of a client, as the CLI takes them.

Shapes follow https://agentclientprotocol.com/protocol/session-setup#mcp-servers; errors name the
field and never a value, as environments and headers hold secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_shared.params import Params

Json = Mapping[str, Any]

_SKIPPED = frozenset({"acp"})
REMOTE = frozenset({"http", "sse"})
"""The kinds of servers that are reached over the network, and may ask for a sign-in."""


def claude_servers(servers: tuple[Json, ...]) -> dict[str, dict[str, Any]]:
    """The ``mcpServers`` configuration by name. Raises invalid params for a malformed server.

    A server over ACP itself is not advertised and left out. Of two with one name the later one
    counts.
    """
    converted: dict[str, dict[str, Any]] = {}
    for index, server in enumerate(servers):
        values = Params(server, f"mcpServers[{index}].")
        kind = values.optional_text("type") or "stdio"
        name = values.text("name")
        if kind in _SKIPPED:
            continue
        if kind in REMOTE:
            url = values.text("url")
            if not url.strip():
                raise values.wrong("url", "the address of the server")
            headers = _pairs(values, "headers")
            converted[name] = {"type": kind, "url": url, "headers": headers}
        elif kind == "stdio":
            command = values.text("command")
            if not command.strip():
                raise values.wrong("command", "the program to start")
            arguments = list(values.optional_texts("args") or ())
            env = _pairs(values, "env")
            converted[name] = {"type": "stdio", "command": command, "args": arguments, "env": env}
        else:
            raise values.wrong("type", "stdio, http or sse")
    return converted


def _pairs(values: Params, field: str) -> dict[str, str]:
    """A list of ``{name, value}`` as an object."""
    pairs: dict[str, str] = {}
    for index, item in enumerate(values.objects(field)):
        pair = Params(item, f"{values.path}{field}[{index}].")
        pairs[pair.text("name")] = pair.text("value")
    return pairs
