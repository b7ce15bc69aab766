"""The terminal channel in ``_meta``: output of a command for clients that draw terminals.

Source: ``@agentclientprotocol/claude-agent-acp`` 0.101.0; a terminal's id is the id of its tool
call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

INFO = "terminal_info"
OUTPUT = "terminal_output"
OUTPUT_DELTA = "terminal_output_delta"
EXIT = "terminal_exit"


def opened(terminal_id: str) -> dict[str, Any]:
    """``_meta`` that announces a terminal."""
    return {INFO: {"terminal_id": terminal_id}}


def output(terminal_id: str, text: str, *, delta: bool) -> dict[str, Any]:
    """``_meta`` with output: the whole of it, or what is new when ``delta``."""
    return {OUTPUT_DELTA if delta else OUTPUT: {"terminal_id": terminal_id, "data": text}}


def exited(terminal_id: str, code: int | None, signal: str | None = None) -> dict[str, Any]:
    """``_meta`` that ends a terminal; ``code`` is None when unknown."""
    return {EXIT: {"terminal_id": terminal_id, "exit_code": code, "signal": signal}}


def read(meta: object, key: str) -> Mapping[str, Any] | None:
    """The payload under one of this module's keys, None when absent."""
    value = meta.get(key) if isinstance(meta, Mapping) else None
    return value if isinstance(value, Mapping) else None
