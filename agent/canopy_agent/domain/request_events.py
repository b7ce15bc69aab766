"""Questions of the CLI to its host, and what became of them at the client.

The raw request travels along for those who word and answer it; the rules read the fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """``can_use_tool``. ``request`` is the raw control request."""

    key: str
    tool_use_id: str
    tool: str
    input: Json
    agent: str | None
    request: Json


@dataclass(frozen=True, slots=True)
class HookFired:
    """``hook_callback``. ``input`` is the raw hook input; ``cwd`` its directory with links
    resolved.
    """

    key: str
    event: str
    input: Json
    tool_use_id: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True)
class ElicitationAsked:
    """``elicitation`` of an MCP server. ``request`` is the raw control request."""

    key: str
    request: Json


@dataclass(frozen=True, slots=True)
class DialogAsked:
    """``request_user_dialog``. ``request`` is the raw control request."""

    key: str
    request: Json


@dataclass(frozen=True, slots=True)
class ControlWithdrawn:
    """``control_cancel_request``: the CLI wants no answer to ``key`` any more."""

    key: str


@dataclass(frozen=True, slots=True)
class RequestOpened:
    """A request went out to the client for the CLI's question ``key``."""

    key: str


@dataclass(frozen=True, slots=True)
class RequestClosed:
    """The client's request for ``key`` is over; ``withdrawn`` when the CLI took its question
    back. ``allowed`` says whether a permission was given.
    """

    key: str
    withdrawn: bool = False
    allowed: bool = False


@dataclass(frozen=True, slots=True)
class PlanRefused:
    """The person wants to keep planning: the refusal of this ExitPlanMode call stops the cycle."""

    tool_use_id: str


@dataclass(frozen=True, slots=True)
class PlanAccepted:
    """The person approved the plan of an ExitPlanMode for a fresh conversation in ``mode``."""

    tool_use_id: str
    plan: str
    mode: str
