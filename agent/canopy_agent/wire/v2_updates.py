"""Session updates in the words of ACP v2, for one connection.

Most kinds are the same in both versions and pass as they are; what differs is worded anew here.
When something is told was decided before.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from canopy_agent.domain.bounded import Recent
from canopy_agent.wire import v2_shapes as shapes
from canopy_agent.wire.v2_calls import Calls
from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.codec import encode
from canopy_shared.replayed import ReplayedUpdate
from canopy_shared.unset import UNSET

Params = u.SessionUpdate | Mapping[str, Any]
Chunk = u.UserMessageChunk | u.AgentMessageChunk | u.AgentThoughtChunk

_WHOLE: Final[dict[type, Callable[..., u.Update]]] = {
    u.UserMessageChunk: w.UserMessage,
    u.AgentMessageChunk: w.AgentMessage,
    u.AgentThoughtChunk: w.AgentThought,
}
_UNSPOKEN: Final = (
    u.CurrentModeUpdate,  # the mode is an option
    u.SubagentSpawned,
    u.SubagentStateUpdate,
    u.AsyncTaskSpawned,
    u.AsyncTaskProgress,
    u.AsyncTaskStateUpdate,
)
"""What version 2 has no word for, or says otherwise."""


class Updates:
    """The encoder of one connection; it remembers what the client has been told."""

    def __init__(self) -> None:
        self._calls = Calls()
        self._options: Recent[str, list[dict[str, Any]]] = Recent(1024)
        self._replayed: set[tuple[str, type, str]] = set()
        self._held: dict[str, u.SessionUpdate] = {}
        """States of subagents that a replay told of; the last one of each counts."""

    def told(self, params: u.SessionUpdate) -> list[Params]:
        """What goes out for one update."""
        replayed = isinstance(params, ReplayedUpdate)
        flushed = [] if replayed else self._after_replay()
        session, update = params.session_id, params.update
        match update:
            case u.AgentMessageChunk() | u.AgentThoughtChunk() | u.UserMessageChunk():
                return [*flushed, *self._chunk(session, update, replayed=replayed)]
            case u.ToolCallStart() | u.ToolCallUpdate():
                news = self._calls.told(session, update, replayed=replayed)
                return [*flushed, *(u.SessionUpdate(session, one) for one in news)]
            case u.SubagentUpdate():
                return [*flushed, *self._subagent(session, update, replayed=replayed)]
            case u.Plan():
                return [*flushed, u.SessionUpdate(session, shapes.plan(update))]
            case u.ConfigOptionUpdate():
                return [*flushed, self.options(session, update.config_options)]
            case u.AvailableCommandsUpdate():
                told = {"availableCommands": shapes.commands(update.available_commands)}
                return [*flushed, _params(session, "available_commands_update", told)]
        if isinstance(update, _UNSPOKEN):
            return flushed
        return [*flushed, u.SessionUpdate(session, update)]

    def _chunk(self, session: str, chunk: Chunk, *, replayed: bool) -> list[Params]:
        if not isinstance(chunk.message_id, str):
            chunk = replace(chunk, message_id=str(uuid.uuid4()))
        out: list[Params] = [u.SessionUpdate(session, chunk)]
        if not replayed:
            return out
        key = (session, type(chunk), str(chunk.message_id))
        if key in self._replayed:
            return out
        # the client may have the message already: history takes its place
        self._replayed.add(key)
        clear = _WHOLE[type(chunk)](chunk.message_id, ())
        return [u.SessionUpdate(session, clear), *out]

    def _subagent(self, session: str, update: u.SubagentUpdate, *, replayed: bool) -> list[Params]:
        out: list[Params] = [u.SessionUpdate(session, update)]
        if not isinstance(update.state, Mapping):
            return out
        mirror = u.SessionUpdate(update.session_id, _state(update.state))
        if replayed:
            self._held[update.session_id] = mirror
            return out
        return [*out, mirror]

    def _after_replay(self) -> list[Params]:
        held, self._held = list(self._held.values()), {}
        self._replayed.clear()
        return [*held]

    def options(self, session: str, options: tuple[u.ConfigOption, ...]) -> Params:
        """All options of a session."""
        told = shapes.config_options(options)
        self._options[session] = told
        return _params(session, "config_option_update", {"configOptions": told})

    def has_options(self, session: str, told: list[dict[str, Any]]) -> bool:
        """Whether the client has exactly these options, in version 2's words."""
        return self._options.get(session) == told


def _state(told: Mapping[str, Any]) -> w.StateUpdate:
    """A subagent's state as its own session says it."""
    return w.StateUpdate(
        str(told.get("state")),
        stop_reason=told.get("stopReason", UNSET),
        error=told.get("error", UNSET),
        background=tuple(told["background"]) if "background" in told else UNSET,
    )


def _params(session: str, kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"sessionId": session, "update": {w.KIND: kind, **encode(fields)}}
