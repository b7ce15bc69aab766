"""The AIR failure record: why a turn or the session failed, in place of an error or a text.

Carried in ``_meta`` of the response of the turn that failed, else of a ``session_info_update``;
shape as in ``@agentclientprotocol/claude-agent-acp`` 0.101.0. What fails is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext import air

KEY = "sessionFailure"

RETRY, NEW_SESSION = "retry", "new_session"


@dataclass(frozen=True, slots=True)
class SessionFailure:
    """One record; a later ``revision`` of the same ``id`` takes its place.

    ``category`` is ``access``, ``connection``, ``limit``, ``request``, ``service`` or ``unknown``;
    ``severity`` ``error`` or ``warning``; ``actions`` hold ``retry`` and ``new_session``.
    """

    id: str
    category: str
    title: str
    revision: int = 1
    severity: str = "error"
    actions: tuple[str, ...] = ()
    details: str | None = None
    reason: str | None = None


def wrap(failure: SessionFailure) -> dict[str, Any]:
    """A ``_meta`` object that carries the record."""
    payload: dict[str, Any] = {
        "id": failure.id,
        "revision": failure.revision,
        "category": failure.category,
        "severity": failure.severity,
        "title": failure.title,
        "details": failure.details,
        "reason": failure.reason,
        "actions": list(failure.actions),
    }
    return air.wrap(**{KEY: {key: value for key, value in payload.items() if value is not None}})


def read(meta: object) -> SessionFailure | None:
    """The record in a ``_meta`` object, None when there is none that can be used."""
    payload = (air.payload_of(meta) or {}).get(KEY)
    if not isinstance(payload, Mapping):
        return None
    id_, title = _text(payload, "id"), _text(payload, "title")
    if id_ is None or title is None:
        return None
    revision, actions = payload.get("revision"), payload.get("actions")
    return SessionFailure(
        id_,
        _text(payload, "category") or "unknown",
        title,
        revision if isinstance(revision, int) and not isinstance(revision, bool) else 1,
        _text(payload, "severity") or "error",
        _texts(actions),
        _text(payload, "details"),
        _text(payload, "reason"),
    )


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    listed = value if isinstance(value, (list, tuple)) else ()
    return tuple(one for one in listed if isinstance(one, str))
