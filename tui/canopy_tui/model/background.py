"""A background task as the client knows it: a shell, a workflow, a monitor.

Facts only: how a task comes to be and ends is in ``tasks``, how one looks is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from canopy_tui.model.state import ClientState

TURN = "turn"
"""The kind of the task that stands for work which no prompt asked for; see ``tasks``."""

BACKGROUND = "background"
"""The origin of work outside a turn until the agent names a better one."""
SCHEDULED = "scheduled"
_WAKEUP = "scheduled wakeup"

RUNNING, PAUSED = "running", "paused"
COMPLETED, FAILED, STOPPED = "completed", "failed", "stopped"
ENDS = frozenset({COMPLETED, FAILED, STOPPED})


@dataclass(slots=True, kw_only=True)
class BackgroundTask:
    """``session`` is the session that began it, ``state`` one of the words above.

    ``key`` is unique in the client's state; ``id`` is what the agent calls the task. Times are
    epoch seconds. ``tail`` is the end of its output, as it came.
    """

    key: str
    id: str
    session: str
    root: str
    name: str
    kind: str = "task"
    description: str = ""
    can_stop: bool = False
    state: str = RUNNING
    summary: str = ""
    output_file: str = ""
    call: str | None = None
    tokens: int = 0
    started_at: float = 0.0
    ended_at: float | None = None
    stopping: bool = False
    """The person asked to stop it, and the agent has not said yet that it did."""
    tail: str = ""
    tail_is_cut: bool = False
    """There is more output before ``tail``."""

    @property
    def is_over(self) -> bool:
        """Whether it ended."""
        return self.state in ENDS

    @property
    def stops(self) -> bool:
        """Whether asking to stop it has a use."""
        return self.can_stop and not self.is_over and not self.stopping


def cause_of(cycle: BackgroundTask | None) -> tuple[str, str]:
    """``(origin, words)`` of what a root does on its own; no words when the origin says it all."""
    if cycle is None:
        return BACKGROUND, ""
    if _WAKEUP in cycle.description.lower():
        return SCHEDULED, ""
    return BACKGROUND, cycle.description


def shown(state: ClientState) -> Iterator[BackgroundTask]:
    """The tasks that a list shows, in the order in which they began."""
    return (task for task in state.tasks.values() if task.kind != TURN)


def running(state: ClientState) -> list[BackgroundTask]:
    """The tasks of a list that did not end."""
    return [task for task in shown(state) if not task.is_over]
