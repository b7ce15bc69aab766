"""The slash commands that a client is offered, from the CLI's own list.

A command is only named here; what typing it does is not known. Names that a terminal is needed
for are left out, as ``@agentclientprotocol/claude-agent-acp`` 0.101.0 does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from canopy_agent.capabilities import ClientProfile
from canopy_shared.ext import air
from canopy_shared.unset import UNSET
from canopy_shared.updates import AvailableCommandsUpdate, Command

Json = Mapping[str, Any]

_HIDDEN: Final = frozenset(
    {
        "clear",
        "cost",
        "keybindings-help",
        "login",
        "logout",
        "output-style:new",
        "release-notes",
        "todos",
        "mcp",
    }
)
_INTERNAL_MARK: Final = "__"
_MCP_PROMPT: Final = re.compile(r"(?P<server>[^:]+):(?P<command>.+) \(MCP\)")

MCP_COMMAND: Final = Command(
    "mcp", "Show MCP servers and manage them", {"hint": "[reconnect|enable|disable [<server>|all]]"}
)
REMOTE_CONTROL: Final = Command(
    "remote-control", "Continue this session from elsewhere", {"hint": "[session name | off]"}
)


@dataclass(frozen=True, slots=True)
class Skills:
    """The skills among the commands, and where those that lie in files do."""

    names: frozenset[str] = frozenset()
    paths: Mapping[str, str] = field(default_factory=dict)


def available_commands(
    init: Json,
    profile: ClientProfile,
    *,
    terminal_only: frozenset[str] = frozenset(),
    skills: Skills | None = None,
    remote_control: bool = False,
) -> AvailableCommandsUpdate:
    """All commands of the CLI's ``initialize`` (or ``commands_changed``) payload that can be typed.

    ``terminal_only`` comes with ``system/init``; ``remote_control`` says that the adapter serves
    it.
    """
    rows = init.get("commands")
    found: dict[str, Command] = {}
    for row in rows if isinstance(rows, list) else ():
        name = row.get("name") if isinstance(row, Mapping) else None
        if not isinstance(name, str) or not _is_offered(name, terminal_only):
            continue
        command = _command(_typed_name(name), row, profile, skills or Skills())
        known = command.name in found and row.get("builtin") is not True
        if not known and not re.search(r"\s", command.name):
            found[command.name] = command
    found[MCP_COMMAND.name] = MCP_COMMAND
    if remote_control:
        found.setdefault(REMOTE_CONTROL.name, REMOTE_CONTROL)
    return AvailableCommandsUpdate(tuple(found.values()))


def _is_offered(name: str, terminal_only: frozenset[str]) -> bool:
    if not name or name in _HIDDEN or name in terminal_only:
        return False
    return not name.startswith(_INTERNAL_MARK)


def _typed_name(name: str) -> str:
    """The name as the user types it: a prompt of an MCP server has a spelling without a space."""
    found = _MCP_PROMPT.fullmatch(name)
    return f"mcp:{found['server']}:{found['command']}" if found else name


def _command(name: str, row: Json, profile: ClientProfile, skills: Skills) -> Command:
    description, hint = row.get("description"), row.get("argumentHint")
    if isinstance(hint, list):
        hint = " ".join(part for part in hint if isinstance(part, str))
    meta: Any = UNSET
    if profile.air and name in skills.names:
        path = skills.paths.get(name)
        meta = air.wrap(kind="skill", **({} if path is None else {"skillPath": path}))
    return Command(
        name,
        description if isinstance(description, str) else "",
        {"hint": hint} if isinstance(hint, str) and hint else None,
        meta,
    )
