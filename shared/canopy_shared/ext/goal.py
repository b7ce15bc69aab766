"""The AIR goal: what Claude Code works towards on its own, and how a client sets and clears it.

Carried in ``_meta`` of ``session_info_update``; shape as in
``@agentclientprotocol/claude-agent-acp`` 0.101.0. What a goal makes Claude Code do is not known
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from canopy_shared.ext import air
from canopy_shared.unset import UNSET, Unset

KEY = "goal"
METHOD = "_session/goal"
SET, CLEAR = "set", "clear"


@dataclass(frozen=True, slots=True)
class Goal:
    """An active goal. ``iterations`` counts its checks, ``last_reason`` says why the last one was
    not met; ``created_at`` is in milliseconds since 1970.

    The three are None while Claude Code has not reported on the goal.
    """

    objective: str
    iterations: int | None = None
    last_reason: str | None = None
    created_at: int | None = None


def advertisement() -> dict[str, Any]:
    """What the agent says in ``initialize`` of goals."""
    return {KEY: {"version": 1, "controlMethod": METHOD, "actions": [SET, CLEAR]}}


def wrap(goal: Goal | None) -> dict[str, Any]:
    """A ``_meta`` object with the goal; None says that there is none."""
    if goal is None:
        return air.wrap(**{KEY: None})
    payload: dict[str, Any] = {"objective": goal.objective, "status": "active"}
    if goal.iterations is not None:
        payload["iterations"] = goal.iterations
        payload["lastReason"] = goal.last_reason
    if goal.created_at is not None:
        payload["createdAt"] = goal.created_at
    return air.wrap(**{KEY: {**payload, "controlMethod": METHOD}})


def read(meta: object) -> Goal | Unset | None:
    """The goal in a ``_meta`` object: None when it was cleared, UNSET when nothing is said."""
    payload = air.payload_of(meta)
    if payload is None or KEY not in payload:
        return UNSET
    goal = payload[KEY]
    objective = goal.get("objective") if isinstance(goal, Mapping) else None
    if not isinstance(goal, Mapping) or not isinstance(objective, str):
        return None
    reason = goal.get("lastReason")
    return Goal(
        objective,
        _count(goal.get("iterations")),
        reason if isinstance(reason, str) else None,
        _count(goal.get("createdAt")),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
