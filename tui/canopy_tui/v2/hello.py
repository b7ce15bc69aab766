"""``initialize`` towards an agent that may speak ACP v2: one greeting for both versions, and its
answer in the words of version 1.

Pure; what the client uses of either is not known here. The draft:
https://agentclientprotocol.com/protocol/v2/draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from canopy_tui.v2 import shapes

VERSION: Final = 2


def hello(params: Mapping[str, Any]) -> dict[str, Any]:
    """The greeting in both versions at once: an agent reads the one that it speaks."""
    capabilities = shapes.mapping(params.get("clientCapabilities"))
    told = {key: capabilities[key] for key in ("elicitation", "_meta") if key in capabilities}
    if shapes.mapping(capabilities.get("auth")).get("terminal") is True:
        told["auth"] = {"terminal": {}}
    return {
        **params,
        "protocolVersion": VERSION,
        "info": params.get("clientInfo"),
        "capabilities": told,
    }


def greeting(told: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's greeting in the words of version 1: every agent of version 2 can list, go on
    with and close a session.
    """
    session = shapes.mapping(shapes.mapping(told.get("capabilities")).get("session"))
    prompt = shapes.mapping(session.get("prompt"))
    offers = [key for key in ("delete", "fork") if isinstance(session.get(key), Mapping)]
    offered: dict[str, Any] = {key: {} for key in ("close", "list", "resume", *offers)}
    return {
        "protocolVersion": 1,
        "agentInfo": told.get("info"),
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {key: isinstance(prompt[key], Mapping) for key in prompt},
            "sessionCapabilities": offered,
        },
        "authMethods": [_login(row) for row in shapes.rows(told.get("authMethods"))],
        "_meta": shapes.mapping(told.get("_meta")),
    }


def _login(row: Mapping[str, Any]) -> dict[str, Any]:
    pairs = {one.get("name"): one.get("value") for one in shapes.rows(row.get("env"))}
    return {**row, "id": row.get("methodId"), "env": pairs}
