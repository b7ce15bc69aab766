"""Parameters of the requests that a client sends, parsed strictly into frozen classes.

Shapes follow https://agentclientprotocol.com/protocol/schema (v1.19); who serves a request, and
whether what it asks for is possible, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from canopy_shared.params import Json, Params, as_objects

_NEWEST_VERSION = 65_535


@dataclass(frozen=True, slots=True)
class InitializeParams:
    """``initialize``. ``client_info`` is ``{name, title?, version}`` when the client says it."""

    protocol_version: int
    client_capabilities: Json = field(default_factory=dict)
    client_info: Json | None = None
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> InitializeParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(
            values.whole_number("protocolVersion", _NEWEST_VERSION),
            as_objects(values.optional_object("clientCapabilities")) or {},
            values.optional_object("clientInfo"),
            values.meta(),
        )


@dataclass(frozen=True, slots=True)
class AuthenticateParams:
    """``authenticate`` with one of the advertised methods."""

    method_id: str
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> AuthenticateParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(values.text("methodId"), values.meta())


@dataclass(frozen=True, slots=True)
class SessionSetup:
    """What every request that opens a session says of it.

    Paths are as the client wrote them, MCP servers and the system prompt as raw objects: whether
    they can be used is checked where they are used. ``additional_directories`` is None when the
    field is absent.
    """

    cwd: str
    mcp_servers: tuple[Json, ...] = ()
    additional_directories: tuple[str, ...] | None = None
    system_prompt: Json | None = None
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> SessionSetup:
        """Raises invalid params."""
        values = Params(params)
        return cls(
            values.text("cwd"),
            values.objects("mcpServers"),
            values.optional_texts("additionalDirectories"),
            values.optional_object("systemPrompt"),
            values.meta(),
        )


@dataclass(frozen=True, slots=True)
class NewSessionParams:
    """``session/new``."""

    setup: SessionSetup

    @classmethod
    def parse(cls, params: object) -> NewSessionParams:
        """Raises invalid params."""
        return cls(SessionSetup.parse(params))


@dataclass(frozen=True, slots=True)
class LoadSessionParams:
    """``session/load``: open a stored session and replay it."""

    session_id: str
    setup: SessionSetup

    @classmethod
    def parse(cls, params: object) -> LoadSessionParams:
        """Raises invalid params."""
        return cls(Params(params).text("sessionId"), SessionSetup.parse(params))


@dataclass(frozen=True, slots=True)
class ResumeSessionParams:
    """``session/resume``: open a stored session without a replay."""

    session_id: str
    setup: SessionSetup

    @classmethod
    def parse(cls, params: object) -> ResumeSessionParams:
        """Raises invalid params."""
        return cls(Params(params).text("sessionId"), SessionSetup.parse(params))


@dataclass(frozen=True, slots=True)
class ForkSessionParams:
    """``session/fork``: open a copy of a stored session."""

    session_id: str
    setup: SessionSetup

    @classmethod
    def parse(cls, params: object) -> ForkSessionParams:
        """Raises invalid params."""
        return cls(Params(params).text("sessionId"), SessionSetup.parse(params))


@dataclass(frozen=True, slots=True)
class ListSessionsParams:
    """``session/list``: of one directory or of all, from a ``cursor`` of an earlier answer on."""

    cwd: str | None = None
    cursor: str | None = None
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> ListSessionsParams:
        """Raises invalid params."""
        values = Params({} if params is None else params)
        return cls(values.optional_text("cwd"), values.optional_text("cursor"), values.meta())


@dataclass(frozen=True, slots=True)
class DeleteSessionParams:
    """``session/delete``."""

    session_id: str
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> DeleteSessionParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(values.text("sessionId"), values.meta())


@dataclass(frozen=True, slots=True)
class PromptParams:
    """``session/prompt``: content blocks as raw objects, each with a string ``type``."""

    session_id: str
    prompt: tuple[Json, ...]
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> PromptParams:
        """Raises invalid params."""
        values = Params(params)
        blocks = values.objects("prompt", required=True)
        for index, block in enumerate(blocks):
            if not isinstance(block.get("type"), str):
                raise values.wrong(f"prompt[{index}].type", "a string")
        return cls(values.text("sessionId"), blocks, values.meta())


@dataclass(frozen=True, slots=True)
class CancelParams:
    """``session/cancel`` (a notification)."""

    session_id: str
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> CancelParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(values.text("sessionId"), values.meta())


@dataclass(frozen=True, slots=True)
class CloseSessionParams:
    """``session/close``."""

    session_id: str
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> CloseSessionParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(values.text("sessionId"), values.meta())


@dataclass(frozen=True, slots=True)
class SetModeParams:
    """``session/set_mode``."""

    session_id: str
    mode_id: str
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> SetModeParams:
        """Raises invalid params."""
        values = Params(params)
        return cls(values.text("sessionId"), values.text("modeId"), values.meta())


@dataclass(frozen=True, slots=True)
class SetConfigOptionParams:
    """``session/set_config_option``. ``value`` is a string, or a boolean for a boolean option."""

    session_id: str
    config_id: str
    value: str | bool
    meta: Json = field(default_factory=dict)

    @classmethod
    def parse(cls, params: object) -> SetConfigOptionParams:
        """Raises invalid params; a ``type`` of ``boolean`` wants a boolean, any other a string."""
        values = Params(params)
        value: Any = values.raw("value")
        if values.optional_text("type") == "boolean" and not isinstance(value, bool):
            raise values.wrong("value", "true or false when type is boolean")
        if not isinstance(value, (str, bool)):
            raise values.wrong("value", "a string or a boolean")
        return cls(values.text("sessionId"), values.text("configId"), value, values.meta())
