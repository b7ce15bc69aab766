"""The private ``_meta.canopy`` extension, which only Canopy's own client declares.

``{"version": 1, "childCancel": true}`` asks for children that survive a root cancel and can be
cancelled one by one, on top of the AIR form; see ARCHITECTURE.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "canopy"
VERSION = 1


def client_meta() -> dict[str, Any]:
    """What our client puts in ``clientCapabilities._meta``."""
    return {NAMESPACE: {"version": VERSION, "childCancel": True}}


def wants_child_cancel(client_capabilities: Mapping[str, Any]) -> bool:
    """Whether the client declared ``childCancel`` under version 1."""
    meta = client_capabilities.get("_meta")
    payload = meta.get(NAMESPACE) if isinstance(meta, Mapping) else None
    return (
        isinstance(payload, Mapping)
        and payload.get("version") == VERSION
        and payload.get("childCancel") is True
    )
