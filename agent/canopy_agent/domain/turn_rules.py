"""Rules for prompts and results: who is answered when, and what belongs to nobody's prompt.

The bookkeeping of turns is in ``turns``; here the CLI's events are matched with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import compaction, plan_rules, steering
from canopy_agent.domain import events as e
from canopy_agent.domain.effects import (
    Effect,
    Failed,
    SendPrompt,
    Settle,
    Show,
    Stopped,
    StopTimer,
)
from canopy_agent.domain.facts import Said, UserSaid
from canopy_agent.domain.failures import PROCESS_ENDED
from canopy_agent.domain.outcomes import (
    is_interrupted_handoff,
    outcome_of,
    stopped,
)
from canopy_agent.domain.state import REQUEST_MARKERS
from canopy_agent.domain.usage import TurnTally, api_tokens
from canopy_shared.ext.claude import AUTONOMOUS_ORIGINS

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState
    from canopy_agent.domain.toolcalls import OpenCall
    from canopy_agent.domain.turns import Turn

FORCE_TIMER = "force-cancel"


def on_prompt(state: SessionState, event: e.PromptSubmitted) -> list[Effect]:
    """A prompt goes to the CLI at once, whatever runs: the CLI queues."""
    state.turns.submitted(event.prompt, event.received, detached=event.detached)
    if event.idle:
        state.compactions.idle_prompt = event.prompt
    return [SendPrompt(event.prompt, event.blocks)]


def on_prompt_lost(state: SessionState, event: e.PromptLost) -> list[Effect]:
    """A prompt that never became a turn."""
    return [Settle(event.prompt, Failed(event.message, cause=PROCESS_ENDED), event.detached)]


def on_init(state: SessionState, event: e.CliInit) -> list[Effect]:
    """Capabilities of the CLI are latched, never cleared."""
    state.capabilities |= event.capabilities
    return []


def on_echo(state: SessionState, event: e.PromptEchoed) -> list[Effect]:
    """The CLI took a user message in. One that we did not send was typed elsewhere."""
    turn = state.turns.find(event.prompt)
    if turn is not None:
        if turn is state.turns.active:
            return []
        return activate(state, turn)
    if state.turns.is_ours(event.prompt):
        state.window.begun(event.prompt)
        steering.on_echo(state, event.prompt)
        return []
    if event.origin == "human" and not event.synthetic and event.blocks:
        return [Show(state.root, UserSaid(event.blocks, event.prompt))]
    return []


def activate(state: SessionState, turn: Turn) -> list[Effect]:
    """Begin ``turn``; whatever was cancelled or abandoned before cannot come back."""
    state.window.end()
    state.window.forget_orphans()
    effects = state.turns.activate(turn)
    for lost in state.tasks.turn_began():
        # nobody said how it ended: the CLI's list of tasks has not had it for two turns
        effects += state.close_calls(state.calls_of(lost.id), "stopped")
        effects += state.children.ended(lost.id, "")
    return [StopTimer(FORCE_TIMER), *effects]


def on_model_requested(state: SessionState, event: e.ModelRequested) -> list[Effect]:
    """A model request begins: after a cancel, one that is not of the cancelled work is new work."""
    state.requested = True
    unsettled = any(turn.cancelled for turn in state.turns.unsettled())
    marks = REQUEST_MARKERS in state.capabilities
    if marks and state.window.ends_with(event.prompts or (), unsettled=unsettled):
        state.window.end()
    return []


def on_prompt_moved(state: SessionState, event: e.PromptMoved) -> list[Effect]:
    """The CLI's word on one user message; one that it refuses is answered here."""
    steered = steering.on_moved(state, event)
    turn = state.turns.find(event.prompt)
    if event.state == "started":
        state.window.begun(event.prompt)
        if turn is not None:
            state.turns.begun(turn)
    if event.state not in ("completed", "cancelled", "discarded", "refused"):
        return []
    state.window.gone(event.prompt)
    if turn is None or not turn.is_queued:
        return steered
    if event.state in ("discarded", "refused"):
        return state.turns.settle(turn, Failed(f"Claude Code {event.state} the prompt"))
    turn.over = event.state  # its result may still come; if none does, the next idle answers it
    return []


def on_state(state: SessionState, event: e.StateChanged) -> list[Effect]:
    """The CLI's own state; idle is where cancelled and lost turns end."""
    if event.state == "running":
        state.turns.running()
        return []
    if event.state != "idle":
        state.turns.state = event.state
        return []
    turn = state.turns.active
    effects = compaction.leave_off(state)
    effects += state.close_calls(state.lost_calls(), "stopped")
    if turn is not None and turn.cancelled:
        effects += state.close_calls(state.stoppable_calls(), "cancelled")
        effects.append(StopTimer(FORCE_TIMER))
    elif turn is not None and state.turns.expects_result and state.turns.debt == 0:
        effects += state.close_calls(state.ledger.main_calls(), "turn_ended")
    if turn is not None and not turn.cancelled:
        effects += steering.on_idle(state, turn)
    effects += state.turns.idle()
    _note_work_ended(state)
    return effects


def _note_work_ended(state: SessionState) -> None:
    if not any(turn.cancelled for turn in state.turns.unsettled()) and not state.turns.autonomous:
        state.window.work_ended()


# --- results --------------------------------------------------------------------------------------


def on_result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    """A cycle ended: answer its prompt, or, if it had none, close the cycle."""
    state.requested = False
    for prompt in event.prompts:
        state.window.gone(prompt)
    effects = compaction.leave_off(state)
    effects += _result(state, event)
    state.window.end_due = False
    # a local command prints before its prompt is echoed: what was shown counts from here
    state.delivered = False
    state.printed.said("")
    state.compactions.said = ()
    state.refusal = None
    return effects


def _result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    autonomous = event.origin_kind in AUTONOMOUS_ORIGINS
    if autonomous and not state.turns.names_pending(event.prompts):
        return _autonomous_result(state, event)
    target = _target(state, event)
    if target is None:
        state.turns.debt += 1
        return _gauge(state, event, None)
    return _user_result(state, event, target)


def _gauge(state: SessionState, event: e.ResultCame, tally: TurnTally | None) -> list[Effect]:
    shown = state.usage.result(
        tally, event.usage, event.model_usage, event.cost, event.origin, event.model_usage_news
    )
    return [] if shown is None else [Show(state.root, shown)]


def _target(state: SessionState, event: e.ResultCame) -> Turn | None:
    """The turn that a result answers; None for the ghost of a prompt that was answered before."""
    named = [turn for p in event.prompts if (turn := state.turns.carrier(p)) is not None]
    if named:
        return named[-1]
    if event.prompts:
        return None
    working = state.turns.working
    uncancelled = working is None or not working.cancelled
    if state.window.end_due and uncancelled and is_interrupted_handoff(event):
        return None
    if working is not None:
        return working
    if state.window.expects_orphans:
        state.window.forget_orphans()
        return None
    return next(iter(state.turns.queued()), None)


def _user_result(state: SessionState, event: e.ResultCame, turn: Turn) -> list[Effect]:
    if steering.takes_early(event, turn):
        steering.answered(turn, event)
        return _gauge(state, event, turn.tally)
    effects: list[Effect] = []
    for prompt in event.prompts:
        merged = state.turns.find(prompt)
        if merged is not None and merged is not turn and merged.is_queued:
            # several prompts became one turn: the last one carries its result
            effects += state.turns.settle(merged, Stopped("end_turn"))
    if turn is not state.turns.active:
        effects += activate(state, turn)
    if turn.lane is None or turn.cancelled:
        state.turns.debt += 1
    effects += _gauge(state, event, turn.tally)
    refusal = plan_rules.take_interruption(state, event)
    state.plan_refusal = None
    if turn.cancelled:
        effects += state.close_calls(state.stoppable_calls(), "cancelled")
        effects += [StopTimer(FORCE_TIMER), *state.turns.cancel(turn)]
        _note_work_ended(state)
        return effects
    if refusal is not None:
        effects += state.close_calls(_forgotten(state) + state.lost_calls(), "cancelled")
        return effects + plan_rules.on_user_interruption(state, turn, refusal)
    return effects + _settle_with_result(state, event, turn)


def _settle_with_result(state: SessionState, event: e.ResultCame, turn: Turn) -> list[Effect]:
    outcome = outcome_of(event, turn.tally, turn.error_kind)
    if steering.keeps(turn, event, outcome):
        return state.close_calls(_forgotten(state), "stopped")
    effects: list[Effect] = []
    if isinstance(outcome, Stopped):
        if outcome.stop_reason == "refusal":
            effects += _explain_refusal(state, event)
        elif state.failures is not None and state.failures.limit:
            pass  # the record of the limit says it
        elif not state.delivered and event.text and not api_tokens(event.usage).output:
            # a local command whose only output is its result
            effects.append(Show(state.root, Said(event.text)))
    effects += state.close_calls(state.lost_calls(), "stopped")
    if isinstance(outcome, Stopped) and outcome.stop_reason == "end_turn":
        closing, lost = _incomplete(state)
        effects += closing
        if lost:
            names = ", ".join(lost)
            text = f"the turn ended while tool calls had no result: {names}"
            kind = "incomplete_tool_call"
            failed = Failed(text, data={"errorKind": kind, "toolCalls": lost}, cause=kind)
            return effects + state.turns.settle(turn, failed)
    else:
        effects += state.close_calls(_forgotten(state), "turn_ended")
    return effects + state.turns.finish(turn, outcome)


def on_refusal_explained(state: SessionState, event: e.RefusalExplained) -> list[Effect]:
    """Keep the words for the result that will only say that the model declined."""
    state.refusal = event.text
    return []


def _explain_refusal(state: SessionState, event: e.ResultCame) -> list[Effect]:
    why = event.stop_details.get("explanation") if event.stop_details else None
    why = why or state.refusal
    if not isinstance(why, str) or not why.strip() or state.delivered:
        return []
    return [Show(state.root, Said(why))]


def _forgotten(state: SessionState) -> list[OpenCall]:
    return [call for call in state.ledger.main_calls() if not _has_task(state, call.id)]


def _has_task(state: SessionState, id_: str) -> bool:
    call = state.ledger.get(id_)
    return id_ in state.tasks.launches() or (call is not None and call.has_task)


def _incomplete(state: SessionState) -> tuple[list[Effect], list[str]]:
    """Close calls of the main conversation that got no result; those that ran fail the prompt.

    The call of a running subagent, command or workflow is not one of them.
    """
    calls = _forgotten(state)
    lost = [call.id for call in calls if call.dispatched and not call.hidden]
    effects: list[Effect] = []
    for call in calls:
        effects += state.close_calls([call], "turn_ended" if call.dispatched else "never_ran")
    return effects, lost


def _autonomous_result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    """The end of a cycle of Claude Code's own: it feeds no prompt, but may release a held one."""
    state.turns.debt += 1
    tally = TurnTally()
    effects = _gauge(state, event, tally)
    if state.work is not None:
        cancelled = state.window.open
        outcome = outcome_of(event, tally, None)
        state.work.cycle = stopped("cancelled", tally) if cancelled else outcome
    if any(turn.cancelled for turn in state.turns.unsettled()):
        state.plan_refusal = None
    refusal = plan_rules.take_interruption(state, event)
    if refusal is not None:
        effects += plan_rules.on_autonomous_interruption(state, refusal)
        if state.restarting is not None:
            return effects
    never_ran = [c for c in state.ledger.main_calls() if not c.dispatched]
    if state.turns.working is None:
        effects += state.close_calls(never_ran, "never_ran")
        effects += state.close_calls(state.lost_calls(), "stopped")
    if event.num_turns > 0 or event.is_error:
        state.turns.autonomous = False
        effects += _cycle_ended(state)
    _note_work_ended(state)
    return effects


def _cycle_ended(state: SessionState) -> list[Effect]:
    """A cycle that reported on subagents is over: the turn that was held for it gets its answer."""
    turn = state.turns.active
    if turn is None or not turn.is_held or not turn.cancelled:
        return state.turns.drain()
    effects = state.close_calls(state.stoppable_calls(), "cancelled")
    return [*effects, StopTimer(FORCE_TIMER), *state.turns.cancel(turn)]


def on_rate_limit(state: SessionState, event: e.RateLimited) -> list[Effect]:
    """The account's limits moved."""
    shown = state.usage.rate_limit(event.facts)
    return [] if shown is None else [Show(state.root, shown)]
