"""The ``_meta.jetbrains.air`` extension: its names, how a client declares it, how a payload is
wrapped.

Source: the AIR extension notes of ``@agentclientprotocol/claude-agent-acp`` 0.101.0; what an
extension does is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

NAMESPACE = "jetbrains"
VERSION = 1

NATIVE_SUBAGENT_SESSIONS = "nativeSubagentSessions"
BACKGROUND_SUBAGENTS = "backgroundSubagents"
SESSION_FAILURE = "sessionFailure"
AGENT_FILE_CHANGE_REPORT = "agentFileChangeReport"
ASYNC_TASKS = "asyncTasks"
CUSTOM_INSTRUCTIONS = "customInstructions"
RECOMMENDED_VALUE = "recommendedValue"
DIFF_PATCH = "diffPatch"
PLAN_FILE = "planFile"
RAW_INPUT_RENDERING = "rawInputRendering"
LOAD_REPLAY_END = "loadReplayEnd"
SESSION_INDEX = "sessionIndex"


@dataclass(frozen=True, slots=True)
class AirDeclaration:
    """What a client said of AIR. ``present`` means that the object was there, whatever it held."""

    present: bool
    capabilities: frozenset[str]

    def has(self, name: str) -> bool:
        """Whether the capability ``name`` is declared under a usable version."""
        return name in self.capabilities


def declaration(client_capabilities: Mapping[str, Any]) -> AirDeclaration:
    """Read the declaration from ``clientCapabilities``; a malformed one declares no capability."""
    payload = payload_of(client_capabilities.get("_meta"))
    if payload is None:
        return AirDeclaration(False, frozenset())
    version, names = payload.get("version"), payload.get("capabilities")
    usable = (
        isinstance(version, (int, float))
        and not isinstance(version, bool)
        and version == version // 1
        and version >= 1
    )
    if not usable or not isinstance(names, list):
        return AirDeclaration(True, frozenset())
    return AirDeclaration(True, frozenset(name for name in names if isinstance(name, str)))


def payload_of(meta: object) -> Mapping[str, Any] | None:
    """The AIR payload of a ``_meta`` object, None when there is none."""
    if not isinstance(meta, Mapping):
        return None
    jetbrains = meta.get(NAMESPACE)
    air = jetbrains.get("air") if isinstance(jetbrains, Mapping) else None
    return air if isinstance(air, Mapping) else None


def wrap(**payload: Any) -> dict[str, Any]:
    """A ``_meta`` object that carries ``payload`` under the AIR envelope."""
    return {NAMESPACE: {"air": {"version": VERSION, **payload}}}


def client_meta(*capabilities: str) -> dict[str, Any]:
    """What a client puts in ``clientCapabilities._meta`` to declare ``capabilities``."""
    return wrap(capabilities=list(capabilities))
