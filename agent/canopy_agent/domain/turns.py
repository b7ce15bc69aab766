"""The life of prompts: queued, active, held, answered, each exactly once.

Turns settle at their result, not at the idle that follows; what an idle is worth is counted here.
Rules of the hold and of cancelling live beside this module, and nothing here waits or draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from canopy_agent.domain import hold
from canopy_agent.domain.bounded import Recent
from canopy_agent.domain.effects import (
    Effect,
    Failed,
    Outcome,
    Requeue,
    Settle,
    Stopped,
    TurnBegan,
)
from canopy_agent.domain.outcomes import stopped
from canopy_agent.domain.usage import TurnTally

if TYPE_CHECKING:
    from canopy_agent.domain.steer_lane import SteerLane
    from canopy_agent.domain.tasks import TaskRegistry


@dataclass(frozen=True, slots=True)
class Queued:
    """The CLI has not taken the prompt in yet."""


@dataclass(frozen=True, slots=True)
class Active:
    """The CLI works on the prompt."""


@dataclass(frozen=True, slots=True)
class Held:
    """The result is in; the answer waits for subagents of the turn."""

    outcome: Stopped


Phase = Queued | Active | Held


@dataclass(slots=True)
class Turn:
    """One prompt that is not answered yet. ``received`` numbers it among the client's messages."""

    prompt: str
    received: int
    phase: Phase = field(default_factory=Queued)
    cancelled: bool = False
    spawned: set[str] = field(default_factory=set)
    tally: TurnTally = field(default_factory=TurnTally)
    error_kind: str | None = None
    started: bool = False
    """The CLI has begun it, whether or not it was echoed yet."""
    over: str | None = None
    """How the CLI said that it is done with it, before any result for it."""
    lane: SteerLane | None = None
    """Messages that steer it, while one of them has no answer."""
    detached: bool = False
    """No request of the client waits for it."""

    @property
    def is_queued(self) -> bool:
        """Whether the CLI has not begun it."""
        return isinstance(self.phase, Queued)

    @property
    def is_held(self) -> bool:
        """Whether only subagents keep it open."""
        return isinstance(self.phase, Held)


class Turns:
    """All unanswered prompts of a session, in the order in which they came."""

    def __init__(self, tasks: TaskRegistry, *, ends_turns: bool) -> None:
        self._tasks = tasks
        self._ends_turns = ends_turns
        self._turns: list[Turn] = []
        self.active: Turn | None = None
        """The turn that was activated last, until it is answered; it may be held."""
        self.state = "idle"
        self.autonomous = False
        """A cycle that no prompt asked for is the foreground work."""
        self.debt = 0
        """Idles that earlier results still owe."""
        self._sent: Recent[str, bool] = Recent(1024)
        self._merged: Recent[str, str] = Recent(256)

    # --- reading ----------------------------------------------------------------------------------

    def unsettled(self) -> list[Turn]:
        """Every turn without an answer, oldest first."""
        return list(self._turns)

    def queued(self) -> list[Turn]:
        """Turns that the CLI has not begun."""
        return [turn for turn in self._turns if turn.is_queued]

    def find(self, prompt: str) -> Turn | None:
        """The unanswered turn of ``prompt``."""
        return next((turn for turn in self._turns if turn.prompt == prompt), None)

    def steered(self, prompt: str) -> Turn | None:
        """The unanswered turn that the message ``prompt`` steers."""
        turns = (turn for turn in self._turns if turn.lane is not None)
        return next((turn for turn in turns if turn.lane and prompt in turn.lane.pending), None)

    def is_ours(self, prompt: str) -> bool:
        """Whether the client sent ``prompt``, answered or not."""
        return prompt in self._sent

    def carrier(self, prompt: str) -> Turn | None:
        """The unanswered turn that the result of ``prompt`` answers: its own, or the one that it
        was merged into. A held turn has its result.
        """
        seen: set[str] = set()
        while self.find(prompt) is None:
            if (steered := self.steered(prompt)) is not None:
                return steered
            seen.add(prompt)
            into = self._merged.get(prompt)
            if into is None or into in seen:
                return None
            prompt = into
        turn = self.find(prompt)
        return None if turn is None or turn.is_held else turn

    @property
    def working(self) -> Turn | None:
        """The active turn whose own result is still to come."""
        turn = self.active
        return turn if turn is not None and not turn.is_held else None

    @property
    def expects_result(self) -> bool:
        """Whether an idle that nothing owes means that the active turn lost its result."""
        return self.working is not None and self.working.lane is None

    @property
    def foreground(self) -> bool:
        """Whether the main conversation works, on a prompt or by itself."""
        return self.working is not None or self.autonomous

    def owner_of_request(self) -> Turn | None:
        """The turn that a question of the main conversation belongs to; a question may precede the
        echo of its prompt.
        """
        if self.autonomous:
            return None
        return self.working or next(iter(self.queued()), None)

    def names_pending(self, prompts: tuple[str, ...]) -> bool:
        """Whether a result answers a prompt that still waits for its own result."""
        return any(self.carrier(prompt) is not None for prompt in prompts)

    # --- life -------------------------------------------------------------------------------------

    def submitted(self, prompt: str, received: int, *, detached: bool = False) -> Turn:
        """A prompt went to the CLI."""
        turn = Turn(prompt, received, detached=detached)
        self.note_sent(prompt)
        self._turns.append(turn)
        return turn

    def note_sent(self, prompt: str) -> None:
        """``prompt`` is a message of the client."""
        self._sent[prompt] = True

    def settle(self, turn: Turn, outcome: Outcome) -> list[Effect]:
        """Answer ``turn``. Afterwards it is gone, so nothing can answer it again."""
        self._turns.remove(turn)
        if isinstance(outcome, Failed) and outcome.usage is None:
            outcome = replace(outcome, usage=turn.tally.usage(), meta=turn.tally.meta())
        effects: list[Effect] = [Settle(turn.prompt, outcome, turn.detached)]
        if self.active is turn:
            self.active = None
        if not self._turns:
            effects.append(TurnBegan(None))
        return effects

    def activate(self, turn: Turn) -> list[Effect]:
        """The CLI took the prompt in; the turn before it, if any, is answered first."""
        effects: list[Effect] = []
        if self.active is not None and self.active is not turn:
            effects += self._hand_off(self.active, turn)
        self.active = turn
        self.autonomous = False
        turn.phase = Active()
        effects.append(TurnBegan(turn.prompt))
        return effects

    def _hand_off(self, turn: Turn, successor: Turn) -> list[Effect]:
        if turn.cancelled:
            self.debt += 1
            return self.settle(turn, self.cancelled_outcome(turn))
        if isinstance(turn.phase, Held):
            return self.settle(turn, turn.phase.outcome)
        if turn.lane is not None and turn.lane.outcome is not None:
            self.debt += 1
            return self.settle(turn, turn.lane.outcome)
        # two prompts that the CLI merged: the later one gets the result, this one was part of it
        self._merged[turn.prompt] = successor.prompt
        return self.settle(turn, stopped("end_turn", turn.tally))

    def cancelled_outcome(self, turn: Turn) -> Stopped:
        """``cancelled``, with what the turn has used."""
        if isinstance(turn.phase, Held):
            return Stopped("cancelled", turn.phase.outcome.usage, turn.phase.outcome.meta)
        return stopped("cancelled", turn.tally)

    def finish(self, turn: Turn, outcome: Outcome) -> list[Effect]:
        """The turn's own result is in: answer it, or hold the answer back."""
        if isinstance(outcome, Stopped) and self.is_awaiting(turn):
            turn.phase = Held(outcome)
            return []
        return self.settle(turn, outcome)

    def cancel(self, turn: Turn) -> list[Effect]:
        """Answer a cancelled turn now."""
        return self.settle(turn, self.cancelled_outcome(turn))

    def is_awaiting(self, turn: Turn) -> bool:
        """Whether subagents keep ``turn`` from being answered."""
        return hold.awaits(turn.spawned, self._tasks, ends_turns=self._ends_turns)

    def drain(self) -> list[Effect]:
        """Answer a held turn none of whose subagents works any more."""
        turn = self.active
        if turn is None or not isinstance(turn.phase, Held) or self.is_awaiting(turn):
            return []
        return self.settle(turn, turn.phase.outcome)

    def spawned(self, task: str, parent: str | None) -> None:
        """A subagent began or was woken: it belongs to the active turn, unless the subagent
        ``parent`` that launched it works for an earlier one.
        """
        turn = self.active
        if turn is None:
            return
        if parent is None or parent in turn.spawned or self._tasks.get(parent) is None:
            turn.spawned.add(task)

    def ended(self, task: str) -> None:
        """A subagent ended: no turn waits for it."""
        if self.active is not None:
            self.active.spawned.discard(task)

    # --- idle -------------------------------------------------------------------------------------

    def running(self) -> None:
        """The CLI works: whatever idles were owed will not come apart any more."""
        if self.state != "running":
            self.debt = 0
        self.state = "running"

    def begun(self, turn: Turn) -> None:
        """The CLI began ``turn``: an idle from now on is not owed by what came before it."""
        turn.started = True
        self.debt = 0

    def idle(self) -> list[Effect]:
        """The CLI is idle: work out what that means for the active turn."""
        self.state = "idle"
        return self._answer_dropped() + self._idle()

    def _answer_dropped(self) -> list[Effect]:
        """Prompts that the CLI is done with, although it neither echoed nor answered them."""
        effects: list[Effect] = []
        for turn in self.queued():
            if turn.over is not None:
                reason = "end_turn" if turn.over == "completed" else "cancelled"
                effects += self.settle(turn, Stopped(reason))
        return effects

    def _idle(self) -> list[Effect]:
        turn = self.active
        if self.autonomous and self.debt == 0:
            self.autonomous = False
        if turn is not None and turn.cancelled:
            return self.cancel(turn)
        if turn is not None and turn.is_held:
            self.debt = max(0, self.debt - 1)
            return self.drain()
        if self.debt > 0:
            self.debt -= 1
            return []
        if turn is None or turn.lane is not None:
            return []
        text = "Claude Code became idle without a result for this prompt"
        return self.settle(turn, Failed(text, data={"errorKind": "no_result"}, cause="no_result"))

    # --- the end ----------------------------------------------------------------------------------

    def stream_ended(self, failure: Failed) -> list[Effect]:
        """The CLI is gone: answer everything with what is known; what had not begun is not lost."""
        effects: list[Effect] = []
        for turn in self.unsettled():
            if turn.cancelled:
                effects += self.cancel(turn)
            elif isinstance(turn.phase, Held):
                effects += self.settle(turn, turn.phase.outcome)
            elif turn.is_queued and not turn.started:
                self._turns.remove(turn)
                effects.append(Requeue(turn.prompt))
            else:
                effects += self.settle(turn, failure)
        self._quiet()
        return effects

    def conversation_ended(self, survivor: Turn) -> list[Effect]:
        """The conversation is replaced: ``survivor`` goes on in the next one, and what had not
        begun after it.
        """
        effects: list[Effect] = []
        for turn in self.unsettled():
            if turn is survivor:
                continue
            if turn.is_queued:
                self._turns.remove(turn)
                effects.append(Requeue(turn.prompt, lost=False))
            else:
                effects += self.settle(turn, self.cancelled_outcome(turn))
        survivor.phase = Active()
        survivor.spawned.clear()
        self.active = survivor
        self._quiet()
        return effects

    def _quiet(self) -> None:
        self.autonomous = False
        self.debt = 0
        self.state = "idle"
