"""The goal of a session as an AIR client sees it: set and cleared by commands, checked by Claude
Code.

A command shows at once; what Claude Code reports counts once no command is on its way. Source:
``_session/goal`` of ``@agentclientprotocol/claude-agent-acp`` 0.101.0. How reports are read is not
known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from canopy_agent.domain import events as e
from canopy_agent.domain.effects import Effect, Failed, ReadGoal, Settle, Show, Stopped
from canopy_agent.domain.session_facts import GoalShown
from canopy_shared.ext.goal import Goal

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

COMMAND: Final = "/goal"
CLEAR_WORDS: Final = frozenset({"clear", "stop", "off", "reset", "none", "cancel"})
"""What Claude Code 2.1.332 takes for a wish to have no goal."""
_COMMAND: Final = re.compile(r"/goal(?:\s+(?P<words>.*))?", re.DOTALL)
_FEEDBACK: Final = "Stop hook feedback:\n[{}]: "
_GONE: Final = frozenset({"completed", "cancelled", "discarded", "refused"})


@dataclass(frozen=True, slots=True)
class Command:
    """A goal command on its way: what it asks for, and what was there before."""

    objective: str | None
    before: Goal | None


@dataclass(slots=True)
class Goals:
    """``pending`` are the commands that Claude Code may not have seen, by message."""

    root: str
    now: Goal | None = None
    pending: dict[str, Command] = field(default_factory=dict)

    def show(self, goal: Goal | None, *, again: bool = False) -> list[Effect]:
        """The goal is ``goal`` now; told only when that is new, or ``again``."""
        if goal == self.now and not again:
            return []
        self.now = goal
        return [Show(self.root, GoalShown(goal))]


def command_words(text: str) -> str | None:
    """What follows ``/goal`` in a prompt that is this command, else None."""
    found = _COMMAND.fullmatch(text.strip())
    return None if found is None else (found["words"] or "").strip()


def on_message(state: SessionState, event: e.PromptSubmitted | e.SteerSubmitted) -> list[Effect]:
    """The client sends a message: a goal command shows at once, a bare one says nothing."""
    words = command_words(event.text)
    if state.goals is None or not words or event.prompt in state.goals.pending:
        return []
    objective = None if words.lower() in CLEAR_WORDS else words
    state.goals.pending[event.prompt] = Command(objective, state.goals.now)
    goal = None if objective is None else Goal(objective)
    return state.goals.show(goal, again=True)


def on_reported(state: SessionState, event: e.GoalReported) -> list[Effect]:
    """Claude Code's own word; one that is older than a command on its way is not shown."""
    if state.goals is None:
        return []
    objective = event.goal.objective if event.goal is not None else None
    awaited = [command.objective for command in state.goals.pending.values()]
    if awaited and objective not in awaited:
        return []
    return state.goals.show(event.goal)


def on_feedback(state: SessionState, event: e.HookFeedback) -> list[Effect]:
    """A check found that the goal is not reached yet."""
    now = state.goals.now if state.goals is not None else None
    if state.goals is None or now is None:
        return []
    head = _FEEDBACK.format(now.objective)
    if not event.text.startswith(head):
        return []
    reason = event.text.removeprefix(head).strip()
    checked = replace(now, iterations=(now.iterations or 0) + 1, last_reason=reason or None)
    return state.goals.show(checked)


def on_moved(state: SessionState, event: e.PromptMoved) -> list[Effect]:
    """The CLI is done with a message that had no turn of its own."""
    if state.goals is None or event.state not in _GONE or state.turns.find(event.prompt):
        return []
    return _over(state.goals, event.prompt, failed=event.state in ("discarded", "refused"))


def on_result(state: SessionState, event: e.ResultCame) -> list[Effect]:
    """A cycle ended: Claude Code may have reached its goal, and says so in its transcript only."""
    goals = state.goals
    return [] if goals is None or not (goals.now or goals.pending) else [ReadGoal()]


def on_end(state: SessionState) -> None:
    """The CLI is gone, and with it the messages that had no turn of their own."""
    if state.goals is not None:
        for prompt in [one for one in state.goals.pending if state.turns.find(one) is None]:
            del state.goals.pending[prompt]


def on_reset(state: SessionState, event: e.ConversationReset) -> list[Effect]:
    """``/clear``: the goal goes with the conversation."""
    return [] if state.goals is None else state.goals.show(None)


def after(state: SessionState, effects: list[Effect]) -> list[Effect]:
    """What the answers in ``effects`` mean to goal commands; one that failed changed nothing."""
    if state.goals is None or not state.goals.pending:
        return []
    told: list[Effect] = []
    for effect in effects:
        if isinstance(effect, Settle):
            unused = isinstance(effect.outcome, Stopped) and effect.outcome.usage is None
            failed = isinstance(effect.outcome, Failed) or unused
            told += _over(state.goals, effect.prompt, failed=failed)
    return told


def _over(goals: Goals, prompt: str, *, failed: bool) -> list[Effect]:
    command = goals.pending.pop(prompt, None)
    if command is None or not failed or goals.pending:
        return []
    return goals.show(command.before)
