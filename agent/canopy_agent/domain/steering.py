"""Rules for steering: a message goes into the turn that runs, and that turn ends with its answer.

Source: ``_session/steering`` of ``@agentclientprotocol/claude-agent-acp`` 0.101.0. The rules of
turns ask here wherever a turn has steering messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain import goals
from canopy_agent.domain.effects import DropQueued, Effect, Reply, SendPrompt, Submit
from canopy_agent.domain.steer_lane import Json, SteerLane
from canopy_agent.domain.turns import Active, Held

if TYPE_CHECKING:
    from canopy_agent.domain.effects import Outcome
    from canopy_agent.domain.state import SessionState
    from canopy_agent.domain.turns import Turn

INJECTED = {"outcome": "injected"}
BEGAN = {"outcome": "startedNewTurn"}
NO_TURN = {"outcome": "promptRequired", "reason": "noRunningTurn"}


def on_steer(state: SessionState, event: e.SteerSubmitted) -> list[Effect]:
    """Send the message into the turn that runs; without one begin a turn, unless that is not
    wanted.
    """
    if state.restarting is not None:
        return [Submit(event)]  # the turn goes on in a CLI that is not there yet
    turn = _running(state)
    if turn is None and event.only_running:
        return [Reply(event.key, NO_TURN)]
    if turn is None:
        prompt = e.PromptSubmitted(
            event.prompt, event.blocks, event.received, event.text, detached=True
        )
        return [Submit(prompt), Reply(event.key, BEGAN)]
    lane = turn.lane = turn.lane or SteerLane()
    lane.pending[event.prompt] = event.blocks
    lane.cycle_over = False
    state.turns.note_sent(event.prompt)
    if isinstance(turn.phase, Held):
        lane.outcome = turn.phase.outcome
        turn.phase = Active()
    shown = goals.on_message(state, event)
    return [*shown, _sent(state, event.prompt, event.blocks), Reply(event.key, INJECTED)]


def _running(state: SessionState) -> Turn | None:
    active = state.turns.active
    if active is not None and not active.cancelled:
        return active
    return next((turn for turn in state.turns.queued() if not turn.cancelled), None)


def _sent(state: SessionState, prompt: str, blocks: tuple[Json, ...]) -> SendPrompt:
    """A message that interrupts, unless a question is open: that must not be taken away."""
    return SendPrompt(prompt, blocks, "later" if state.requests else "now")


def send_again(turn: Turn) -> list[Effect]:
    """The conversation of ``turn`` was replaced: what was to steer it goes into the new one."""
    pending = turn.lane.pending if turn.lane is not None else {}
    return [SendPrompt(prompt, blocks, "later") for prompt, blocks in pending.items()]


def on_echo(state: SessionState, prompt: str) -> None:
    """The CLI has taken a message in."""
    turn = state.turns.steered(prompt)
    if turn is not None and turn.lane is not None:
        turn.lane.taken_in = True


def on_moved(state: SessionState, event: e.PromptMoved) -> list[Effect]:
    """The CLI is done with a message without having given it a result of its own."""
    turn = state.turns.steered(event.prompt)
    if turn is None or turn.lane is None:
        return []
    if event.state == "started":
        turn.lane.taken_in = True
    if event.state not in ("completed", "cancelled", "discarded", "refused"):
        return []
    del turn.lane.pending[event.prompt]
    if turn.lane.pending or turn.is_queued or turn.cancelled:
        return []
    outcome, turn.lane = turn.lane.outcome, None
    return [] if outcome is None else state.turns.finish(turn, outcome)


def takes_early(event: e.ResultCame, turn: Turn) -> bool:
    """Whether a result answers only messages to a turn that the CLI has not begun."""
    named = turn.prompt in event.prompts
    return turn.is_queued and turn.lane is not None and bool(event.prompts) and not named


def answered(turn: Turn, event: e.ResultCame) -> None:
    """Messages that ``event`` names have their answer."""
    if turn.lane is None:
        return
    for prompt in event.prompts:
        turn.lane.pending.pop(prompt, None)
    if not turn.lane.pending:
        turn.lane = None


def keeps(turn: Turn, event: e.ResultCame, outcome: Outcome) -> bool:
    """Whether ``turn`` goes on after a result, because a message of its has no answer; the
    outcome is remembered then.
    """
    answered(turn, event)
    if turn.lane is None:
        return False
    turn.lane.outcome = outcome
    turn.lane.cycle_over = turn.lane.taken_in and not event.prompts
    return True


def on_idle(state: SessionState, turn: Turn) -> list[Effect]:
    """The CLI is idle while messages to ``turn`` have no answer: an answer that names none may
    have been theirs, else they are still to come.
    """
    lane = turn.lane
    if lane is None or not lane.cycle_over or lane.outcome is None:
        return []
    turn.lane = None
    return state.turns.finish(turn, lane.outcome)


def on_cancel(state: SessionState, turn: Turn) -> list[Effect]:
    """The client cancelled ``turn``: what the CLI has not begun of its messages is taken back."""
    effects: list[Effect] = []
    for prompt in turn.lane.pending if turn.lane is not None else ():
        state.window.abandoned(prompt)
        effects.append(DropQueued(prompt))
    return effects
