"""Rules for a plan that stops its cycle: refused, or approved for a fresh conversation.

Claude Code ends such a cycle with a diagnostic of its own; here it is told from a real error, and
a restart is put in order. Options and words of the question are the broker's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain import steering
from canopy_agent.domain.effects import (
    Effect,
    Failed,
    Logged,
    RestartConversation,
    SendPrompt,
    Show,
    StopTimer,
)
from canopy_agent.domain.endings import everything_ends
from canopy_agent.domain.facts import PlanApproved, PlanForgotten
from canopy_agent.domain.outcomes import is_plan_interruption
from canopy_agent.domain.state import PlanRefusal, PlanReset
from canopy_agent.domain.task_rules import DRAIN_TIMER
from canopy_agent.domain.turns import Held

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState
    from canopy_agent.domain.turns import Turn

EXIT_PLAN_MODE = "ExitPlanMode"
USER_REJECTED = "user-rejected"


def on_plan_refused(state: SessionState, event: e.PlanRefused) -> list[Effect]:
    """Remember that the cycle will stop because its plan was refused."""
    state.plan_refusal = PlanRefusal(event.tool_use_id)
    return []


def on_plan_accepted(state: SessionState, event: e.PlanAccepted) -> list[Effect]:
    """Remember that the cycle will stop because its plan goes on in a fresh conversation."""
    reset = PlanReset(event.plan, event.mode)
    state.plan_refusal = PlanRefusal(event.tool_use_id, reset=reset)
    return []


def note_result(state: SessionState, event: e.ToolResulted, tool: str) -> bool:
    """See a tool result pass; whether it is that of a plan which was approved after all."""
    refusal = state.plan_refusal
    if refusal is not None and refusal.tool_use_id == event.id:
        refusal.result_seen = True
        return refusal.reset is not None
    if tool == EXIT_PLAN_MODE and event.non_execution_kind == USER_REJECTED:
        state.plan_refusal = PlanRefusal(event.id, result_seen=True)
    return False


def take_interruption(state: SessionState, event: e.ResultCame) -> PlanRefusal | None:
    """The refusal that ``event`` is the end of, which is forgotten with it; None for any other
    result.
    """
    refusal = state.plan_refusal
    if refusal is None or not refusal.result_seen or not is_plan_interruption(event):
        return None
    state.plan_refusal = None
    return refusal


def on_user_interruption(state: SessionState, turn: Turn, refusal: PlanRefusal) -> list[Effect]:
    """The plan of ``turn`` stopped it."""
    if refusal.reset is not None:
        return restart(state, turn, refusal.tool_use_id, refusal.reset)
    return state.turns.finish(turn, state.turns.cancelled_outcome(turn))


def on_autonomous_interruption(state: SessionState, refusal: PlanRefusal) -> list[Effect]:
    """The plan of a cycle that no prompt asked for stopped it.

    A held turn owns what its subagents led to; without a turn there is nothing to answer or to
    start again.
    """
    turn = state.turns.active
    if refusal.reset is not None:
        if turn is None:
            return [Logged("a plan was approved for a fresh conversation, but no prompt owns it")]
        return restart(state, turn, refusal.tool_use_id, refusal.reset)
    if turn is None or not turn.is_held:
        return []
    outcome = state.turns.cancelled_outcome(turn)
    if state.turns.is_awaiting(turn):
        turn.phase = Held(outcome)
        return []
    state.turns.autonomous = False
    return state.turns.settle(turn, outcome)


def restart(state: SessionState, turn: Turn, tool_use_id: str, reset: PlanReset) -> list[Effect]:
    """Everything of the old conversation ends; ``turn`` and the prompts behind it go on."""
    effects = everything_ends(state, cancelled=False, why="stopped")
    state.restarting = turn.prompt
    state.requested = False
    restarted = RestartConversation(turn.prompt, reset.plan, reset.mode, tool_use_id)
    return [
        *effects,
        StopTimer(DRAIN_TIMER),
        restarted,
        *state.turns.conversation_ended(turn),
    ]


def on_restarted(state: SessionState, event: e.ConversationRestarted) -> list[Effect]:
    """The fresh conversation is there: it gets the plan, unless the prompt was cancelled."""
    state.restarting = None
    usage = state.usage.conversation_replaced()
    effects: list[Effect] = [Show(state.root, usage), Show(state.root, PlanForgotten())]
    turn = state.turns.find(event.prompt)
    if turn is not None:
        effects.append(Show(state.root, PlanApproved(event.tool_use_id, event.plan)))
        effects.append(SendPrompt(event.prompt, event.blocks))
        effects += steering.send_again(turn)
    return effects


def on_restart_failed(state: SessionState, event: e.RestartFailed) -> list[Effect]:
    """There is no fresh conversation."""
    state.restarting = None
    turn = state.turns.find(event.prompt)
    return [] if turn is None else state.turns.settle(turn, Failed(event.message))


def cancel_restart(state: SessionState, turn: Turn) -> list[Effect]:
    """The client cancelled ``turn`` while no CLI runs: nothing else will answer it."""
    effects = state.turns.cancel(turn)
    state.window.work_ended()
    return effects
