"""The private ``_meta.canopy`` extension, which only Canopy's own client declares.

``{"version": 1, "childCancel": true}`` asks for children that survive a root cancel and can be
cancelled one by one, on top of the AIR form; see ARCHITECTURE.md. What the agent offers in
return is in ``canopy_controls``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "canopy"
VERSION = 1


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
