"""The public ACP schema as a judge of what the agent sends: every frame that it knows must fit.

The schema is that of the package ``agent-client-protocol``; what it does not know yet is passed
over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp import schema

_UPDATES = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
}
_REQUESTS: Mapping[str, Any] = {
    "session/request_permission": schema.RequestPermissionRequest,
}


def complaints(frames: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the schema says against ``frames``; empty when all fit."""
    found = []
    for frame in frames:
        model = _model(frame)
        if model is None:
            continue
        try:
            model.model_validate(frame["params"])
        except ValueError as error:
            found.append(f"{frame}: {error}")
    return found


def _model(frame: Mapping[str, Any]) -> Any:
    method = frame.get("method")
    if method == "session/update":
        kind = frame["params"]["update"]["sessionUpdate"]
        return schema.SessionNotification if kind in _UPDATES else None
    return _REQUESTS.get(str(method))
