"""What of a session's setup would need another CLI: two setups with one fingerprint may share it.

Pure. Order of keys, of MCP servers and of skills does not matter; nor does what a session starts
with but may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from canopy_agent.session.validation import SessionPlace
from canopy_shared import jsonio
from canopy_shared.ext import air, claude
from canopy_shared.requests import SessionSetup

_NO_PART: Final = frozenset(
    {
        "agent",
        "cwd",
        "executable",
        "includePartialMessages",
        "permissionMode",
        "continue",
        "forkSession",
        "resume",
        "resumeDropsTurn",
        "resumeSessionAt",
        "sessionId",
        "loadTimeoutMs",
        "title",
    }
)
"""Options of the Claude Agent SDK that do not tie a session to its process."""

_META: Final = ("systemPrompt", "disableBuiltInTools", "additionalRoots")


def fingerprint(setup: SessionSetup, place: SessionPlace) -> bytes:
    """The same bytes for setups that can go on with the same process."""
    meta, adapter = setup.meta, claude.payload_of(setup.meta)
    options = adapter.get("options")
    told = {
        "cwd": place.cwd,
        "directories": list(place.additional_directories),
        "servers": sorted((_plain(server) for server in setup.mcp_servers), key=_name_of),
        "prompt": setup.system_prompt,
        "meta": {name: meta[name] for name in _META if name in meta},
        "instructions": (air.payload_of(meta) or {}).get("customInstructions"),
        "mirror": adapter.get("emitRawSDKMessages"),
        "options": _process_options(options if isinstance(options, Mapping) else {}),
    }
    return jsonio.dumps(_plain(told))


def _process_options(options: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in options.items() if name not in _NO_PART}
    skills = kept.get("skills")
    if isinstance(skills, (list, tuple)):
        kept["skills"] = sorted({jsonio.dumps(skill).decode() for skill in skills})
    return kept


def _name_of(server: Any) -> str:
    return str(server.get("name"))


def _plain(value: Any) -> Any:
    """``value`` with the keys of every object in order."""
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
