"""Work that no prompt asked for, shown to a client with ``asyncTasks`` as a task of its own.

It is open from the first sign of such a cycle to its end, and never while a prompt is unanswered;
see ``turns.autonomous`` for what a cycle means to prompts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from canopy_agent.domain import events as e
from canopy_agent.domain.async_tasks import COMPLETED, FAILED, STOPPED
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.outcomes import is_interruption
from canopy_agent.domain.session_facts import TaskAnnounced, TaskTold

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

KIND: Final = "turn"
PREFIX: Final = "autonomous-turn-"
NAME: Final = "Claude is working"
WAKEUP: Final = "A scheduled wakeup"
UNKNOWN_CAUSE: Final = "Claude Code began this by itself"
_LONGEST_CAUSE = 200


@dataclass(slots=True)
class AutonomousTask:
    """The task that stands for such work. ``epoch`` makes its ids differ from other sessions'."""

    epoch: str
    id: str | None = None
    count: int = 0
    claimed: bool = False
    """The client stops it; that holds until its result, which may come after its end was told."""
    cause: str | None = None
    """What the CLI reported last: what ended is what wakes it."""

    def begin(self, root: str, cause: str | None) -> list[Effect]:
        """Announce it, unless it is open."""
        if self.id is not None:
            return []
        self.count += 1
        self.claimed = False
        self.id = f"{PREFIX}{self.epoch[:24]}{self.count:012x}"
        description, self.cause = cause or self.cause or UNKNOWN_CAUSE, None
        told = TaskAnnounced(self.id, NAME, KIND, description, in_transcript=False, can_stop=True)
        return [Show(root, told)]

    def end(self, root: str, state: str = COMPLETED) -> list[Effect]:
        """Close it, if it is open."""
        if self.id is None:
            return []
        id_, self.id = self.id, None
        return [Show(root, TaskTold(id_, state))]

    def was_stopped(self, result: e.ResultCame) -> bool:
        """Whether ``result`` is what the client's stop made of it."""
        return self.claimed and is_interruption(result)


def before(state: SessionState, event: e.Event) -> list[Effect]:
    """What ``event`` means to the task; asked before the rules have seen the event."""
    task = state.autonomous_task
    if task is None:
        return []
    match event:
        case e.TaskNotified(summary=str(summary)) if summary.strip():
            line = summary.strip().splitlines()[0]
            task.cause = line if len(line) <= _LONGEST_CAUSE else line[: _LONGEST_CAUSE - 1] + "…"
        case e.StateChanged("running") if state.turns.state == "idle":
            return _begin(state, None)
        case e.PromptMoved(state="started", wakeup_source=str()):
            return _begin(state, WAKEUP)
        case e.MessageBegan(parent=None) | e.TextCame(parent=None) | e.ToolBegan(parent=None):
            return _begin(state, None)
        case e.ToolUsed(parent=None):
            return _begin(state, None)
        case e.PromptEchoed(prompt=prompt) if state.turns.find(prompt) is not None:
            return task.end(state.root)
        case e.StateChanged("idle"):
            stopped = state.window.open or task.claimed
            return task.end(state.root, STOPPED if stopped else COMPLETED)
        case e.ResultCame(num_turns=turns, is_error=failed) if turns > 0 or failed:
            stopped = state.window.open or task.was_stopped(event)
            task.claimed = False
            end = FAILED if failed else COMPLETED
            return task.end(state.root, STOPPED if stopped else end)
    return []


def _begin(state: SessionState, cause: str | None) -> list[Effect]:
    task = state.autonomous_task
    if task is None or state.turns.unsettled() or state.window.open:
        return []
    return task.begin(state.root, cause)


def ended(state: SessionState, *, cancelled: bool) -> list[Effect]:
    """The CLI or its conversation is gone."""
    if state.autonomous_task is None:
        return []
    return state.autonomous_task.end(state.root, STOPPED if cancelled else FAILED)
