"""Two requests that only Canopy's own client sends: what a session uses, and its MCP servers.

The agent announces them in ``_meta.canopy`` of its answer to ``initialize``; how it knows the
answers is not known here. Names of limits and servers come from outside and are foreign text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from canopy_shared.ext.canopy import payload_of

CONTROLS: Final = "controls"

RECONNECT, ENABLE, DISABLE, SIGN_IN = "reconnect", "enable", "disable", "signIn"
ACTIONS: Final = (RECONNECT, ENABLE, DISABLE, SIGN_IN)

CONNECTED, PENDING, NEEDS_AUTH = "connected", "pending", "needs-auth"
FAILED, DISABLED = "failed", "disabled"


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of the account. ``used`` is in percent, ``resets_at`` ISO 8601 or ""."""

    name: str
    used: float
    resets_at: str = ""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What one model took in the session, its subagents included. ``cost`` is in USD."""

    model: str
    input: int = 0
    output: int = 0
    cached_read: int = 0
    cached_write: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class AgentUse:
    """What one subagent took: tokens ``read`` anew, ``cached``, ``written``."""

    agent: str
    model: str = ""
    calls: int = 0
    read: int = 0
    cached: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class UsageReport:
    """What a session uses. Times are in seconds, costs in USD; None and "" are not known.

    ``has_limits``: the account has some, known or not.
    """

    plan: str = ""
    has_limits: bool = False
    limits: tuple[Limit, ...] = ()
    cost: float | None = None
    api_seconds: float | None = None
    seconds: float | None = None
    models: tuple[ModelUse, ...] = ()
    agents: tuple[AgentUse, ...] = ()


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server of the session. ``tools`` is None while they are not known; ``place`` says
    where it is set up.
    """

    name: str
    status: str
    error: str = ""
    tools: tuple[str, ...] | None = None
    place: str = ""


def are_offered(meta: object) -> bool:
    """Whether an agent with this ``_meta`` in its answer to ``initialize`` answers the requests."""
    return payload_of(meta).get(CONTROLS) is True


# --- written ----------------------------------------------------------------------------------


def usage_result(report: UsageReport) -> dict[str, Any]:
    """The result of ``_canopy/usage``."""
    return {
        "plan": report.plan,
        "hasLimits": report.has_limits,
        "limits": [
            {"name": one.name, "used": one.used, "resetsAt": one.resets_at} for one in report.limits
        ],
        "cost": report.cost,
        "apiSeconds": report.api_seconds,
        "seconds": report.seconds,
        "models": [
            {
                "model": one.model,
                "input": one.input,
                "output": one.output,
                "cachedRead": one.cached_read,
                "cachedWrite": one.cached_write,
                "cost": one.cost,
            }
            for one in report.models
        ],
        "agents": [
            {
                "agent": one.agent,
                "model": one.model,
                "calls": one.calls,
                "read": one.read,
                "cached": one.cached,
                "written": one.written,
            }
            for one in report.agents
        ],
    }


def servers_result(servers: tuple[McpServer, ...], problem: str = "") -> dict[str, Any]:
    """The result of ``_canopy/mcp_servers``; ``problem`` says why an action was not carried out."""
    rows = [
        {
            "name": one.name,
            "status": one.status,
            "error": one.error,
            "tools": None if one.tools is None else list(one.tools),
            "place": one.place,
        }
        for one in servers
    ]
    return {"servers": rows, "problem": problem}


# --- read -------------------------------------------------------------------------------------


def read_usage(result: object) -> UsageReport:
    """Lenient: what is not understood is not known."""
    told = result if isinstance(result, Mapping) else {}
    return UsageReport(
        _text(told, "plan"),
        told.get("hasLimits") is True,
        tuple(
            Limit(_text(row, "name"), used, _text(row, "resetsAt"))
            for row in _rows(told, "limits")
            if (used := _number(row, "used")) is not None
        ),
        _number(told, "cost"),
        _number(told, "apiSeconds"),
        _number(told, "seconds"),
        tuple(
            ModelUse(
                _text(row, "model"),
                _count(row, "input"),
                _count(row, "output"),
                _count(row, "cachedRead"),
                _count(row, "cachedWrite"),
                _number(row, "cost"),
            )
            for row in _rows(told, "models")
        ),
        tuple(
            AgentUse(
                _text(row, "agent"),
                _text(row, "model"),
                _count(row, "calls"),
                _count(row, "read"),
                _count(row, "cached"),
                _count(row, "written"),
            )
            for row in _rows(told, "agents")
        ),
    )


def read_servers(result: object) -> tuple[tuple[McpServer, ...], str]:
    """The servers, and why an action was not carried out ("": it was)."""
    told = result if isinstance(result, Mapping) else {}
    servers = tuple(
        McpServer(
            _text(row, "name"),
            _text(row, "status"),
            _text(row, "error"),
            _texts(row.get("tools")),
            _text(row, "place"),
        )
        for row in _rows(told, "servers")
    )
    return servers, _text(told, "problem")


def _rows(source: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = source.get(key)
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _text(source: Mapping[str, Any], key: str) -> str:
    value = source.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, (list, tuple)):
        return None
    return tuple(item for item in value if isinstance(item, str))


def _number(source: Mapping[str, Any], key: str) -> float | None:
    value = source.get(key)
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good else None  # type: ignore[arg-type]  # narrowed by the line above


def _count(source: Mapping[str, Any], key: str) -> int:
    return max(0, int(_number(source, key) or 0))
