"""When a prompt's answer waits for subagents although its result is in.

A client that stops reading at the response would lose what its subagents do afterwards, and their
questions would block them for ever; a client that declares ``backgroundSubagents`` reads on, and is
never held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from canopy_agent.domain.tasks import TaskRegistry


def awaits(spawned: Iterable[str], tasks: TaskRegistry, *, ends_turns: bool) -> bool:
    """Whether a turn that launched or woke ``spawned`` has to wait.

    Only its own subagents count: commands, monitors and workflows never hold a turn, nor does an
    agent of an earlier one. ``ends_turns`` is the client's ``backgroundSubagents``.
    """
    return not ends_turns and any(tasks.is_running_subagent(task) for task in spawned)
