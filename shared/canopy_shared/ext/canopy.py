"""The private ``_meta.canopy`` extension, which only Canopy's own client declares.

``{"version": 1, "childCancel": true}`` asks for children that survive a root cancel and can be
cancelled one by one, on top of the AIR form; see ARCHITECTURE.md. What the agent offers in
return is in ``canopy_controls``. To such a client each update of a replay says when it happened:
``{"version": 1, "at": 1767225600.5}``, in seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "canopy"
VERSION = 1
_LATEST = 1e11
"""Seconds: a number beyond it is no time."""


def client_meta() -> dict[str, Any]:
    """What our client puts in ``clientCapabilities._meta``."""
    return {NAMESPACE: {"version": VERSION, "childCancel": True}}


def payload_of(meta: object) -> Mapping[str, Any]:
    """The payload under our name and version, empty when there is none."""
    payload = meta.get(NAMESPACE) if isinstance(meta, Mapping) else None
    good = isinstance(payload, Mapping) and payload.get("version") == VERSION
    return payload if good else {}  # type: ignore[return-value]  # narrowed by the line above


def is_own(client_capabilities: Mapping[str, Any]) -> bool:
    """Whether the client is Canopy's own."""
    return bool(payload_of(client_capabilities.get("_meta")))


def wants_child_cancel(client_capabilities: Mapping[str, Any]) -> bool:
    """Whether the client declared ``childCancel`` under version 1."""
    return payload_of(client_capabilities.get("_meta")).get("childCancel") is True


def told_at(at: float) -> dict[str, Any]:
    """``_meta`` of an update that tells what happened at ``at``."""
    return {NAMESPACE: {"version": VERSION, "at": at}}


def at_of(meta: object) -> float | None:
    """When what an update tells of happened; None when it does not say, which means now."""
    at = payload_of(meta).get("at")
    if not isinstance(at, (int, float)) or isinstance(at, bool) or not 0 < at < _LATEST:
        return None
    return float(at)
