"""Work as a client that follows it reads it: the state of a session, and what it can stop.

When a state changed was decided before. Shapes follow the ACP v2 draft.
"""

from __future__ import annotations

from typing import Any

from canopy_agent.domain import effects as fx
from canopy_agent.domain.work_facts import StopOffered, WorkShown
from canopy_shared.errors import AcpError, auth_required, internal_error, request_cancelled
from canopy_shared.unset import UNSET
from canopy_shared.updates import ToolCallUpdate, Update
from canopy_shared.work_updates import StateUpdate, TerminalUpdate

_CANCEL: Any = {"cancel": {}}


def error_of(failed: fx.Failed) -> AcpError:
    """The JSON-RPC error of a failed prompt."""
    if failed.kind == "auth":
        return auth_required(failed.message, failed.data)
    if failed.kind == "cancelled":
        return request_cancelled(failed.message)
    return internal_error(failed.message, failed.data)


def state_shown(fact: WorkShown, parent: str | None) -> list[Update]:
    """The state of the main conversation, and how what it did ended."""
    outcome = fact.outcome
    if outcome is None:
        return [StateUpdate(fact.state, background=_listed(fact))]
    error: Any = UNSET
    reason = "error"
    if isinstance(outcome, fx.Failed):
        error = error_of(outcome).to_wire()
    else:
        reason = outcome.stop_reason
    return [
        StateUpdate(
            fact.state,
            stop_reason=reason,
            error=error,
            usage=UNSET if outcome.usage is None else outcome.usage,
            background=_listed(fact),
            meta=outcome.meta or UNSET,
        )
    ]


def _listed(fact: WorkShown) -> Any:
    return UNSET if fact.background is None else fact.background


def stop_offered(fact: StopOffered, parent: str | None) -> list[Update]:
    """The client may stop it from here on."""
    if fact.in_terminal:
        return [TerminalUpdate(fact.id, capabilities=_CANCEL)]
    return [ToolCallUpdate(fact.id, capabilities=_CANCEL)]
