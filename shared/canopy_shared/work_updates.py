"""Kinds of ``session/update`` that only ACP v2 has: foreground state, whole messages, terminals.

Shapes follow the ACP v2 draft (``@agentclientprotocol/sdk`` 2.4, ``schema/v2``); they belong to the
one vocabulary of ``updates`` and know neither who sends them nor who draws them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from canopy_shared.unset import UNSET, Unset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_shared.content import Meta

KIND = "sessionUpdate"


@dataclass(frozen=True, slots=True)
class StateUpdate:
    """What a session does: ``state`` is ``running``, ``requires_action``, ``idle`` or ``unknown``.

    ``stop_reason``, ``error`` (an object of JSON-RPC) and ``usage`` say how foreground work ended.
    ``background`` is all work that goes on beside it, as ``{type, terminalId | toolCallId |
    sessionId}``; absent when the agent keeps no list.
    """

    TAG: ClassVar[tuple[str, str]] = (KIND, "state_update")
    state: str
    stop_reason: str | Unset | None = UNSET
    error: Mapping[str, Any] | Unset | None = UNSET
    usage: Mapping[str, Any] | Unset | None = UNSET
    background: tuple[Mapping[str, Any], ...] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user as a whole; its content replaces what was known of it."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "user_message")
    message_id: str
    content: tuple[Any, ...] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A message of the agent as a whole; its content replaces what was known of it."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "agent_message")
    message_id: str
    content: tuple[Any, ...] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class AgentThought:
    """A thought of the agent as a whole; its content replaces what was known of it."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "agent_thought")
    message_id: str
    content: tuple[Any, ...] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class TerminalUpdate:
    """What changed of a terminal; absent fields stay, null clears.

    ``output`` is ``{data}`` in base64 and replaces what was shown; ``exit_status`` is ``{exitCode?,
    signal?}``; ``capabilities`` is ``{"cancel": {}}`` when it can be stopped.
    """

    TAG: ClassVar[tuple[str, str]] = (KIND, "terminal_update")
    terminal_id: str
    command: str | Unset | None = UNSET
    cwd: str | Unset | None = UNSET
    output: Mapping[str, Any] | Unset | None = UNSET
    exit_status: Mapping[str, Any] | Unset | None = UNSET
    capabilities: Mapping[str, Any] | Unset | None = UNSET
    meta: Meta | Unset = UNSET


@dataclass(frozen=True, slots=True)
class TerminalOutputChunk:
    """Bytes that a terminal printed after those before; ``data`` is base64 of its own."""

    TAG: ClassVar[tuple[str, str]] = (KIND, "terminal_output_chunk")
    terminal_id: str
    data: str
    meta: Meta | Unset = UNSET
