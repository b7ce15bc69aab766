"""What this client declares to an agent, and what it reads out of an agent's answers.

Follows ACP v1 (https://agentclientprotocol.com/protocol/schema); lenient, since an agent may say
less or more. When something is sent is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_shared.codec import decode_config_options
from canopy_shared.errors import (
    AUTH_REQUIRED,
    REQUEST_CANCELLED,
    AcpError,
    ConnectionClosedError,
)
from canopy_shared.ext import air, canopy, failure, terminal
from canopy_shared.version import __version__
from canopy_tui.model.events import SessionOpened, SteerEnded, TurnEnded

if TYPE_CHECKING:
    from canopy_shared.frames import Response

PROTOCOL = 1

_TAKEN_IN = frozenset({"injected", "startedNewTurn"})
"""Outcomes of steering after which the agent has the message."""
AIR_CAPABILITIES = (
    air.NATIVE_SUBAGENT_SESSIONS,
    air.BACKGROUND_SUBAGENTS,
    air.ASYNC_TASKS,
    air.SESSION_FAILURE,
    air.AGENT_FILE_CHANGE_REPORT,
)
"""What this client declares of AIR: what it uses, and no more."""


class UnusableAgentError(Exception):
    """The agent answered, but this client cannot work with it; the text says why."""


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """What the agent said of itself. ``login_hints`` are its ways to log in, one line each."""

    name: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    login_hints: tuple[str, ...] = ()

    @property
    def loads_sessions(self) -> bool:
        """Whether ``session/load`` works."""
        return self.capabilities.get("loadSession") is True

    @property
    def air(self) -> frozenset[str]:
        """The AIR capabilities that the agent has."""
        return air.declaration({"_meta": self.meta}).capabilities

    @property
    def closes_sessions(self) -> bool:
        """Whether ``session/close`` works."""
        sessions = self.capabilities.get("sessionCapabilities")
        return isinstance(sessions, Mapping) and isinstance(sessions.get("close"), Mapping)


def initialize_params() -> dict[str, Any]:
    """Parameters of ``initialize``; see ARCHITECTURE.md for the why of each capability.

    File and terminal methods are not served: an agent does its own. Command output is wanted in
    ``_meta`` in both spellings, so that it streams and ends with an exit code.
    """
    return {
        "protocolVersion": PROTOCOL,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
            "session": {"notices": {}, "compaction": {}},
            "elicitation": {"form": {}, "url": {}},
            "_meta": {
                **air.client_meta(*AIR_CAPABILITIES),
                **canopy.client_meta(),
                terminal.OUTPUT: True,
                terminal.OUTPUT_DELTA: True,
            },
        },
        "clientInfo": {"name": "acp-canopy", "title": "Canopy", "version": __version__},
    }


def read_initialize(result: object) -> AgentFacts:
    """What the agent is. Raises :class:`UnusableAgentError` when it speaks another version."""
    answer = mapping(result)
    version = answer.get("protocolVersion")
    if version != PROTOCOL:
        raise UnusableAgentError(
            f"The agent speaks version {version!r} of ACP; this client speaks {PROTOCOL}."
        )
    about = mapping(answer.get("agentInfo"))
    name = about.get("title") or about.get("name")
    return AgentFacts(
        name if isinstance(name, str) else "",
        mapping(answer.get("agentCapabilities")),
        mapping(answer.get("_meta")),
        tuple(_login_hints(answer.get("authMethods"))),
    )


def read_session(result: object, session: str | None, cwd: str, at: float) -> SessionOpened:
    """The session that a ``session/new`` opened, or ``session`` when it was loaded.

    Raises :class:`UnusableAgentError` when there is no id.
    """
    told = mapping(result)
    opened = session or told.get("sessionId")
    if not isinstance(opened, str) or not opened:
        raise UnusableAgentError("The agent opened a session without an id.")
    modes = mapping(told.get("modes"))
    current = modes.get("currentModeId")
    return SessionOpened(
        session=opened,
        at=at,
        cwd=cwd,
        mode=current if isinstance(current, str) else "",
        modes=tuple(_modes(modes.get("availableModes"))),
        options=decode_config_options(told.get("configOptions")),
    )


def read_turn(response: Response, session: str, at: float) -> TurnEnded:
    """How a turn ended: by its stop reason, an error, or because the agent is gone."""
    error = response.error
    if error is None:
        result = mapping(response.result)
        stop = result.get("stopReason")
        record = failure.read(result.get("_meta"))
        failed = record is not None and record.severity == "error"
        reason = "error" if failed else stop if isinstance(stop, str) else "end_turn"
        return TurnEnded(session=session, stop_reason=reason, at=at, failure=record)
    if isinstance(error, ConnectionClosedError):
        return TurnEnded(session=session, stop_reason="disconnected", at=at)
    if error.code == REQUEST_CANCELLED:
        return TurnEnded(session=session, stop_reason="cancelled", at=at)
    return TurnEnded(
        session=session,
        stop_reason="error",
        error=error.message,
        detail=details_of(error),
        at=at,
        can_repeat=error.code != AUTH_REQUIRED,
    )


def read_steer(response: Response, session: str, prompt: int, at: float) -> SteerEnded:
    """Whether a message went into the turn (``outcome`` of ``_session/steering``)."""
    error = response.error
    if isinstance(error, ConnectionClosedError):
        outcome = "disconnected"
    elif error is not None:
        outcome = "refused"
    else:
        taken = mapping(response.result).get("outcome") in _TAKEN_IN
        outcome = "taken" if taken else "no_turn"
    why = error.message if error is not None and outcome == "refused" else ""
    return SteerEnded(session=session, prompt=prompt, outcome=outcome, at=at, error=why)


def details_of(error: AcpError) -> str:
    """What an error says besides its message, when that is text."""
    data = mapping(error.data)
    texts = [data.get(key) for key in ("details", "detail", "message", "reason", "stderr")]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def mapping(value: object) -> Mapping[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _rows(value: object) -> list[Mapping[str, Any]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _modes(value: object) -> list[tuple[str, str]]:
    return [
        (row["id"], row["name"] if isinstance(row.get("name"), str) else row["id"])
        for row in _rows(value)
        if isinstance(row.get("id"), str)
    ]


def _login_hints(value: object) -> list[str]:
    hints = []
    for row in _rows(value):
        name, description = row.get("name"), row.get("description")
        if isinstance(name, str) and name:
            hints.append(f"{name}: {description}" if isinstance(description, str) else name)
    return hints
