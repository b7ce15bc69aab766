"""Rules for stopping: a cancel of the root or of one child, the forced end, the end of the CLI.

They order what is withdrawn, closed and answered; how an interrupt travels is the runtime's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import async_task_rules, compaction, shell_rules, steering
from canopy_agent.domain import events as e
from canopy_agent.domain.cancellation import FORCE_SECONDS
from canopy_agent.domain.effects import (
    DropQueued,
    Effect,
    Failed,
    Interrupt,
    ReplaceProcess,
    Show,
    StartTimer,
    Stopped,
    StopTask,
    StopTimer,
)
from canopy_agent.domain.endings import everything_ends
from canopy_agent.domain.facts import PlanForgotten
from canopy_agent.domain.failures import PROCESS_ENDED
from canopy_agent.domain.plan_rules import cancel_restart
from canopy_agent.domain.task_rules import DRAIN_TIMER, is_quiet, watch_hold
from canopy_agent.domain.turn_rules import FORCE_TIMER

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState
    from canopy_agent.domain.turns import Turn

WORKFLOW = "local_workflow"


def on_cancel(state: SessionState, event: e.CancelRequested) -> list[Effect]:
    """``session/cancel``: prompts that came before it are cancelled, later ones are not."""
    affected = [turn for turn in state.turns.unsettled() if turn.received < event.received]
    active = state.turns.active if state.turns.active in affected else None
    interrupt = _needs_interrupt(state, affected)
    state.plan_refusal = None
    for request in state.requests.values():
        request.cancel_seen = True
    works = active is not None or state.turns.autonomous
    if works or affected:
        state.window.begin(working=works)
    effects = _end_children(state) if interrupt else []
    if affected:
        effects += compaction.leave_off(state)
    dropped = [turn for turn in affected if turn.is_queued]
    if dropped and not works:
        # a prompt that ran without an echo: nothing that is answered later will end its calls
        effects += state.close_calls(state.stoppable_calls(), "cancelled")
    for turn in dropped:
        state.window.abandoned(turn.prompt)
        effects += state.turns.settle(turn, Stopped("cancelled"))
    if active is not None:
        effects += _cancel_active(state, active)
    effects += [DropQueued(turn.prompt) for turn in dropped]
    for turn in affected:
        effects += steering.on_cancel(state, turn)
    if interrupt:
        effects.append(Interrupt())
        effects += _stop_workflows(state)
    return effects


def _needs_interrupt(state: SessionState, affected: list[Turn]) -> bool:
    """Nothing is interrupted that does not run; background agents that survive one need none."""
    if affected or state.turns.foreground:
        return True
    if any(state.tasks.blocks_foreground(request.agent) for request in state.requests.values()):
        return True
    agents = any(task.is_subagent for task in state.tasks.live())
    return agents and not state.policy.spares_background


def _end_children(state: SessionState) -> list[Effect]:
    """The form in which a cancel ends all children at once: their calls first, as nothing can be
    shown of them afterwards.
    """
    if not state.children.ends_at_cancel:
        return []
    calls = [c for c in state.ledger.open_calls() if c.parent is not None or c.agent is not None]
    return state.close_calls(calls, "cancelled") + state.children.cancelled()


def _cancel_active(state: SessionState, turn: Turn) -> list[Effect]:
    state.window.cancelled(turn.prompt)
    again, turn.cancelled = turn.cancelled, True
    if state.restarting == turn.prompt:
        return cancel_restart(state, turn)
    if turn.is_held and not (state.requested or state.turns.autonomous):
        # its work is over but for the subagents: nothing will come that could answer it
        effects = state.close_calls(state.stoppable_calls(), "cancelled")
        effects += state.turns.cancel(turn)
        state.window.work_ended()
        return effects
    # whoever cancels again and again waits no longer than who does it once
    return [] if again else [StartTimer(FORCE_TIMER, FORCE_SECONDS)]


def _stop_workflows(state: SessionState) -> list[Effect]:
    """An interrupt that spares background agents spares workflows too; a client without a way to
    stop one gets it stopped here.
    """
    if not (state.policy.spares_background and state.policy.stops_workflows):
        return []
    return [StopTask(task.id) for task in state.tasks.live() if task.task_type == WORKFLOW]


def on_child_cancel(state: SessionState, event: e.ChildCancelRequested) -> list[Effect]:
    """``session/cancel`` of a child: its end is reported by the CLI, the turn goes on."""
    agent = state.children.agent_of_session(event.child)
    if agent is None or state.tasks.get(agent) is None:
        return []
    for request in state.requests.values():
        if state.tasks.descends(request.agent, agent):
            request.cancel_seen = True
    return [StopTask(agent)]


def on_receipt(state: SessionState, event: e.InterruptReceipt) -> list[Effect]:
    """The CLI told which prompts it still holds."""
    state.window.receipt(event.still_queued)
    return []


def on_timer(state: SessionState, event: e.TimerFired) -> list[Effect]:
    """A bound was reached."""
    turn = state.turns.active
    if event.name == DRAIN_TIMER and is_quiet(state):
        return state.close_calls(state.lost_calls(), "stopped") + state.turns.drain()
    if event.name != FORCE_TIMER or turn is None or not turn.cancelled:
        return []
    effects = state.close_calls(state.stoppable_calls(), "cancelled")
    effects += state.turns.cancel(turn)
    effects += everything_ends(state, cancelled=True, why="process_ended")
    text = "Claude Code did not stop and was restarted; send the prompt again"
    lost = Failed(text, cause=PROCESS_ENDED)
    # prompts that go to the next process must not reach this one
    return [*effects, ReplaceProcess(), *state.turns.stream_ended(lost), *_process_gone(state)]


def _process_gone(state: SessionState) -> list[Effect]:
    """What was known of a process counts no more for the next one."""
    state.window.end()
    state.window.forget_orphans()
    state.requested = False
    state.usage.process_replaced()
    return [StopTimer(FORCE_TIMER), StopTimer(DRAIN_TIMER)]


def on_stream_ended(state: SessionState, event: e.StreamEnded) -> list[Effect]:
    """The CLI is gone: end what it ran, answer what waits for it. The next prompt starts
    another.
    """
    effects = everything_ends(state, cancelled=state.window.open, why="process_ended")
    words = event.status or "without saying why"
    text = f"Claude Code ended ({words}); send the next prompt to resume the session"
    if event.hint:
        text = f"{text}. {event.hint}"
    failure = Failed(text, cause=PROCESS_ENDED)
    return [*effects, *state.turns.stream_ended(failure), *_process_gone(state)]


def on_closing(state: SessionState, event: e.SessionClosing) -> list[Effect]:
    """``session/close``: every prompt is answered ``cancelled`` before the CLI goes."""
    effects = everything_ends(state, cancelled=True, why="cancelled")
    for turn in state.turns.unsettled():
        effects += state.turns.cancel(turn)
    return [*effects, StopTimer(FORCE_TIMER), StopTimer(DRAIN_TIMER)]


def on_reset(state: SessionState, event: e.ConversationReset) -> list[Effect]:
    """``/clear``: children and tasks of the old conversation end; the turn goes on."""
    effects = state.close_calls(
        [c for c in state.ledger.open_calls() if c.parent is not None or c.agent is not None],
        "stopped",
    )
    effects += shell_rules.all_ended(state)
    effects += async_task_rules.all_ended(state, cancelled=True)
    effects += state.children.reset()
    state.tasks.forget()
    state.options.clear()
    effects += watch_hold(state)
    if (gauge := state.usage.cleared()) is not None:
        effects.append(Show(state.root, gauge))
    return [*effects, Show(state.root, PlanForgotten())]
