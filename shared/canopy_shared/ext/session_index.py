"""The AIR session index: what a listed session says of itself, and how a list is asked for.

Source: the ``sessionIndex`` capability of ``@agentclientprotocol/claude-agent-acp`` 0.101.0. Where
the facts come from is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext import air

BATCH_GET = "sessionBatchGet"
ARCHIVE = "sessionArchive"
RENAME = "sessionRename"
SUBSCRIBE = "sessionListSubscribe"
WORKTREES = "sessionWorktrees"

IDLE, RUNNING, ASKING, ERROR = "idle", "running", "requires_action", "error"

_LIST = "list"
_ARCHIVED = "archived"


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """``_meta`` of one listed session. Times are ISO 8601; ``cost`` is in USD."""

    archived: bool = False
    last_prompt_at: str | None = None
    model: str | None = None
    forked_from: str | None = None
    agent_worktree: bool = False
    state: str | None = None
    last_turn_ended_at: str | None = None
    cost: float | None = None


def wrap(facts: SessionFacts) -> dict[str, Any]:
    """A ``_meta`` object with ``facts``; what is not known is left out."""
    payload: dict[str, Any] = {
        _ARCHIVED: facts.archived,
        "lastPromptAt": facts.last_prompt_at,
        "model": facts.model,
        "forkedFrom": facts.forked_from,
        "agentWorktree": facts.agent_worktree or None,
        "state": facts.state,
        "lastTurnEndedAt": facts.last_turn_ended_at,
        "cost": None if facts.cost is None else {"amount": facts.cost, "currency": "USD"},
    }
    return air.wrap(**{key: value for key, value in payload.items() if value is not None})


def read(meta: object) -> SessionFacts:
    """The facts in a ``_meta`` object; those that are malformed count as absent."""
    payload = air.payload_of(meta) or {}
    cost = payload.get("cost")
    amount = cost.get("amount") if isinstance(cost, Mapping) else None
    return SessionFacts(
        payload.get(_ARCHIVED) is True,
        _text(payload, "lastPromptAt"),
        _text(payload, "model"),
        _text(payload, "forkedFrom"),
        payload.get("agentWorktree") is True,
        _text(payload, "state"),
        _text(payload, "lastTurnEndedAt"),
        float(amount) if isinstance(amount, (int, float)) else None,
    )


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    return value if isinstance(value, str) else None


def list_request(
    *, limit: int | None = None, archived: str | None = None, worktrees: bool | None = None
) -> dict[str, Any]:
    """``_meta`` of a ``session/list`` with filters. ``archived`` is ``unarchived``, ``archived`` or
    ``all``.
    """
    wanted = {"limit": limit, _ARCHIVED: archived, "includeWorktrees": worktrees}
    given = {key: value for key, value in wanted.items() if value is not None}
    return air.wrap(**{_LIST: given}) if given else {}


def list_wanted(meta: object) -> object:
    """The filters of a ``session/list``, as they came; None for none."""
    return (air.payload_of(meta) or {}).get(_LIST)


def archived(value: bool) -> dict[str, Any]:
    """``_meta`` of the update that a session was archived, or brought back."""
    return air.wrap(**{_ARCHIVED: value})


def read_archived(meta: object) -> bool | None:
    """Whether an update says that its session is archived; None when it says nothing of it."""
    value = (air.payload_of(meta) or {}).get(_ARCHIVED)
    return value if isinstance(value, bool) else None
