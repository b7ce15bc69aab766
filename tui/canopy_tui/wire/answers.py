"""What this client declares to an agent, and what it reads out of an agent's answers.

Follows ACP v1 (https://agentclientprotocol.com/protocol/schema); lenient, since an agent may say
less or more. When something is sent is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from canopy_shared import methods
from canopy_shared.codec import decode_config_options
from canopy_shared.errors import (
    AUTH_REQUIRED,
    REQUEST_CANCELLED,
    AcpError,
    ConnectionClosedError,
)
from canopy_shared.ext import air, canopy, failure, terminal
from canopy_shared.version import __version__
from canopy_tui.model.catalogue import is_indexed
from canopy_tui.model.controls import turn_use
from canopy_tui.model.events import SessionOpened, SteerEnded, TurnEnded
from canopy_tui.model.login import AGENT, TERMINAL, LoginMethod
from canopy_tui.wire.faults import NOT_SAID, lacking

if TYPE_CHECKING:
    from canopy_shared.frames import Response

PROTOCOL = 1
DRAFT = 2
NO_AGENT = (
    "The program does not know initialize, so it is no ACP agent as it was started. "
    "Some need an option for that, such as --acp."
)
TERMINAL_AUTH = "terminal-auth"
"""``_meta`` key of a login method that says which command to run in a terminal."""

_TAKEN_IN = frozenset({"injected", "startedNewTurn"})
"""Outcomes of steering after which the agent has the message."""
AIR_CAPABILITIES = (
    air.NATIVE_SUBAGENT_SESSIONS,
    air.BACKGROUND_SUBAGENTS,
    air.ASYNC_TASKS,
    air.SESSION_FAILURE,
    air.AGENT_FILE_CHANGE_REPORT,
    air.RECOMMENDED_VALUE,
    air.SESSION_INDEX,
)
"""What this client declares of AIR: what it uses, and no more."""


class UnusableAgentError(Exception):
    """The agent answered, but this client cannot work with it; the text says why."""


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """What the agent said of itself."""

    name: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)
    logins: tuple[LoginMethod, ...] = ()

    @property
    def has_session_index(self) -> bool:
        """Whether stored sessions can be renamed, archived and asked for by id (AIR)."""
        return is_indexed(self.meta)

    @property
    def loads_sessions(self) -> bool:
        """Whether ``session/load`` works."""
        return self.capabilities.get("loadSession") is True

    @property
    def takes_up_sessions(self) -> bool:
        """Whether an old session can be gone on with, be it without its history."""
        return self.loads_sessions or can(self.capabilities, "resume")

    @property
    def air(self) -> frozenset[str]:
        """The AIR capabilities that the agent has."""
        return air.declaration({"_meta": self.meta}).capabilities

    @property
    def lists_sessions(self) -> bool:
        """Whether ``session/list`` works."""
        return can(self.capabilities, "list")

    @property
    def closes_sessions(self) -> bool:
        """Whether ``session/close`` works."""
        return can(self.capabilities, "close")


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
            "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
            "auth": {"terminal": True},
            "elicitation": {"form": {}, "url": {}},
            "_meta": {
                **air.client_meta(*AIR_CAPABILITIES),
                **canopy.client_meta(),
                TERMINAL_AUTH: True,
                terminal.OUTPUT: True,
                terminal.OUTPUT_DELTA: True,
            },
        },
        "clientInfo": {"name": "acp-canopy", "title": "Canopy", "version": __version__},
    }


def read_initialize(result: object) -> AgentFacts:
    """What the agent is. Raises :class:`UnusableAgentError` when it does not speak our version."""
    answer = mapping(result)
    version = answer.get("protocolVersion")
    if isinstance(version, bool) or version != PROTOCOL:
        raise UnusableAgentError(_other_version(result, version))
    about = mapping(answer.get("agentInfo"))
    name = about.get("title") or about.get("name")
    return AgentFacts(
        name if isinstance(name, str) else "",
        mapping(answer.get("agentCapabilities")),
        mapping(answer.get("_meta")),
        tuple(_logins(answer.get("authMethods"))),
    )


def _other_version(result: object, version: object) -> str:
    if isinstance(version, int) and not isinstance(version, bool):
        newer = " canopy --protocol v2 speaks the draft of 2 too." if version == DRAFT else ""
        return f"The agent speaks version {version} of ACP; this client speaks {PROTOCOL}.{newer}"
    wrong = lacking(methods.INITIALIZE, "protocolVersion", result)
    if "serverInfo" in mapping(result):  # https://modelcontextprotocol.io/specification
        return f"{wrong} It seems to be an MCP server, which is no agent."
    return f"{wrong} Is it an ACP agent? Some need an option for that, such as --acp."


def read_session(
    result: object,
    session: str | None,
    cwd: str,
    at: float,
    method: str = methods.SESSION_NEW,
) -> SessionOpened:
    """The session that ``method`` opened, or ``session`` when it was loaded.

    Raises :class:`UnusableAgentError` when there is no id.
    """
    told = mapping(result)
    opened = session or told.get("sessionId")
    if not isinstance(opened, str) or not opened:
        raise UnusableAgentError(lacking(method, "sessionId", result))
    modes = mapping(told.get("modes"))
    current = modes.get("currentModeId")
    models = mapping(told.get("models"))
    return SessionOpened(
        session=opened,
        at=at,
        cwd=cwd,
        mode=current if isinstance(current, str) else "",
        modes=tuple((id_, name) for id_, name, _ in _named(modes.get("availableModes"), "id")),
        mode_words={id_: words for id_, _, words in _named(modes.get("availableModes"), "id")},
        model=_text(models, "currentModelId"),
        models=tuple(_named(models.get("availableModels"), "modelId")),
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
        reason = "error" if failed else stop if isinstance(stop, str) and stop else NOT_SAID
        use = turn_use(result.get("usage"), mapping(result.get("_meta")).get("quota"))
        return TurnEnded(session=session, stop_reason=reason, at=at, failure=record, use=use)
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
        needs_login=error.code == AUTH_REQUIRED,
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


def can(capabilities: Mapping[str, Any], what: str) -> bool:
    """Whether the agent declares ``sessionCapabilities.<what>`` (list, delete, fork, close …)."""
    return isinstance(mapping(capabilities.get("sessionCapabilities")).get(what), Mapping)


def mapping(value: object) -> Mapping[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _rows(value: object) -> list[Mapping[str, Any]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def _named(value: object, key: str) -> list[tuple[str, str, str]]:
    """Id (under ``key``), name and description of each row."""
    return [
        (row[key], _text(row, "name") or row[key], _text(row, "description"))
        for row in _rows(value)
        if isinstance(row.get(key), str) and row[key]
    ]


def _logins(value: object) -> list[LoginMethod]:
    logins = []
    for row in _rows(value):
        method = row.get("id")
        if not isinstance(method, str) or not method:
            continue
        told = mapping(mapping(row.get("_meta")).get(TERMINAL_AUTH))
        command, kind = told.get("command"), row.get("type")
        whole = (command, *_texts(told.get("args"))) if isinstance(command, str) else ()
        logins.append(
            LoginMethod(
                id=method,
                name=_text(row, "name") or method,
                description=_text(row, "description"),
                kind=TERMINAL if whole else kind if isinstance(kind, str) else AGENT,
                command=whole,
                arguments=_texts(row.get("args")),
                environment=_pairs(told.get("env")) + _pairs(row.get("env")),
            )
        )
    return logins


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, (list, tuple)) else ()
    return tuple(item for item in items if isinstance(item, str))


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    pairs = mapping(value).items()
    return tuple((name, text) for name, text in pairs if isinstance(text, str))
