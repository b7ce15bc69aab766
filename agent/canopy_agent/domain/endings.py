"""The end of everything that a CLI ran, whatever the reason: requests, calls, subagents, tasks.

Who is answered what afterwards is decided by the rules that call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import async_task_rules, autonomous_task, compaction, shell_rules
from canopy_agent.domain.effects import Effect, Withdraw

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState


def everything_ends(state: SessionState, *, cancelled: bool, why: str) -> list[Effect]:
    """End all that ran. ``why`` is that of ``ToolClosed``."""
    effects: list[Effect] = [Withdraw(key) for key in state.requests]
    state.requests.clear()
    effects += state.close_calls(state.ledger.open_calls(), why)
    effects += shell_rules.all_ended(state)
    effects += compaction.leave_off(state)
    effects += async_task_rules.all_ended(state, cancelled=cancelled or why == "stopped")
    effects += autonomous_task.ended(state, cancelled=cancelled or why == "stopped")
    effects += state.children.closed(cancelled=cancelled)
    state.tasks.clear()
    state.ledger.clear()
    state.plan_refusal = None
    return effects
