"""Predictions of the next prompt, in ``_meta`` of a ``session_info_update``.

Source: ``@agentclientprotocol/claude-agent-acp`` 0.101.0; the key stands at the top of ``_meta``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KEY = "promptSuggestions"


def wrap(texts: tuple[str, ...]) -> dict[str, Any]:
    """A ``_meta`` object with the predictions; none takes earlier ones back."""
    return {KEY: {"suggestions": [{"text": text} for text in texts]}}


def read(meta: object) -> tuple[str, ...] | None:
    """The predictions in a ``_meta`` object, None when it says nothing of them."""
    payload = meta.get(KEY) if isinstance(meta, Mapping) else None
    rows = payload.get("suggestions") if isinstance(payload, Mapping) else None
    if not isinstance(rows, (list, tuple)):
        return None
    texts = (row.get("text") for row in rows if isinstance(row, Mapping))
    return tuple(text for text in texts if isinstance(text, str))
