"""What the CLI asks its host (``can_use_tool``), typed, and the two ways of answering a control
request.

Field names follow the stream-json control protocol of Claude Code 2.1; nothing here decides
anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

Json = Mapping[str, Any]

TOOL_USE_ABORTED: Final = "Tool use aborted"


@dataclass(frozen=True, slots=True)
class ControlResult:
    """Answer a control request with ``success`` and this ``response``."""

    response: Json


@dataclass(frozen=True, slots=True)
class ControlError:
    """Answer a control request with ``error`` and this text."""

    error: str


ControlAnswer = ControlResult | ControlError

ABORTED: Final = ControlError(TOOL_USE_ABORTED)


@dataclass(frozen=True, slots=True)
class McpSource:
    """Where the server of an MCP tool comes from."""

    name: str
    source: str

    def to_meta(self) -> dict[str, str]:
        """The value of ``_meta.claudeCode.mcpServer``."""
        return {"name": self.name, "source": self.source}


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """One ``can_use_tool`` request.

    ``suggestions`` is as raw as it came. ``agent_id`` is None for the main conversation. The
    texts are the CLI's own and may hold control characters.
    """

    tool_name: str
    tool_use_id: str
    input: Json
    agent_id: str | None = None
    suggestions: Any = None
    blocked_path: str | None = None
    decision_reason: str | None = None
    decision_reason_type: str | None = None
    title: str | None = None
    display_name: str | None = None
    description: str | None = None
    matched_ask_rule: Json | None = None
    default_to_no: bool = False
    suppress_always_allow_rule: bool = False
    requires_user_interaction: bool = False
    classifier_approvable: bool | None = None
    mcp_server: McpSource | None = None

    @property
    def forced_by_rule(self) -> bool:
        """Whether an ask rule of the user made the CLI ask; an allow rule would never outrank
        it.
        """
        return self.matched_ask_rule is not None or self.decision_reason_type == "rule"

    def input_text(self, key: str) -> str | None:
        """A string of the input, None when it is absent, blank or something else."""
        value = self.input.get(key)
        return value if isinstance(value, str) and value.strip() else None


def _text(request: Json, key: str) -> str | None:
    value = request.get(key)
    return value if isinstance(value, str) else None


def _mcp_source(value: object) -> McpSource | None:
    if not isinstance(value, Mapping):
        return None
    name, source = _text(value, "name"), _text(value, "source")
    return McpSource(name, source) if name is not None and source is not None else None


def parse_permission_asked(request: Json) -> PermissionAsked | None:
    """Read the ``request`` of a control request; None when it names no tool or no tool use."""
    tool_name, tool_use_id = _text(request, "tool_name"), _text(request, "tool_use_id")
    if not tool_name or not tool_use_id:
        return None
    given, rule = request.get("input"), request.get("matched_ask_rule")
    approvable = request.get("classifier_approvable")
    return PermissionAsked(
        tool_name=tool_name,
        tool_use_id=tool_use_id,
        input=given if isinstance(given, Mapping) else {},
        agent_id=_text(request, "agent_id"),
        suggestions=request.get("permission_suggestions"),
        blocked_path=_text(request, "blocked_path"),
        decision_reason=_text(request, "decision_reason"),
        decision_reason_type=_text(request, "decision_reason_type"),
        title=_text(request, "title"),
        display_name=_text(request, "display_name"),
        description=_text(request, "description"),
        matched_ask_rule=rule if isinstance(rule, Mapping) else None,
        default_to_no=request.get("default_to_no") is True,
        suppress_always_allow_rule=request.get("suppress_always_allow_rule") is True,
        requires_user_interaction=request.get("requires_user_interaction") is True,
        classifier_approvable=approvable if isinstance(approvable, bool) else None,
        mcp_server=_mcp_source(request.get("mcp_server")),
    )
