"""Rules for commands that take their time: signs of life, live output, the end in the background.

How output is read is the runtime's; how a terminal shows it is the renderer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain.effects import Effect, FollowOutput, ReadRest, StopFollowing
from canopy_agent.domain.facts import ToolBeat, ToolExited, ToolPrinted
from canopy_agent.domain.shells import Shell

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

COMMAND = "local_bash"


def began(state: SessionState, event: e.TaskStarted) -> list[Effect]:
    """A command became a task: in the background, or because it takes long."""
    call = state.ledger.get(event.tool_use_id or "")
    if event.task_type != COMMAND or call is None or call.hidden:
        return []
    shell = state.shells.running[event.task] = Shell(call)
    if event.backgrounded and not state.policy.keeps_terminals:
        return []
    shell.followed = state.policy.follows_output
    if event.backgrounded:  # its result comes at once, and says where the output is
        return []
    beat = state.place_call(call, ToolBeat(call.id))
    return [*beat, FollowOutput(event.task)] if shell.followed else beat


def returned(
    state: SessionState, call_id: str, *, task: str | None, file: str | None = None
) -> list[Effect]:
    """The call has its result; ``task`` goes on in the background and prints to ``file``."""
    if task is not None:
        shell = state.shells.running.get(task)
        if shell is not None and state.policy.keeps_terminals:
            return _goes_on(state, task, shell, file)
        ended = task not in state.shells.running and state.tasks.launch_of(task) is not None
        if ended and (call := state.ledger.late(call_id)) is not None:
            return state.place_call(call, ToolExited(call_id))
        return _stop(state, call_id)
    return _stop(state, call_id)


def _goes_on(state: SessionState, task: str, shell: Shell, file: str | None) -> list[Effect]:
    """A command in the background; one that is over already is only read to its end."""
    follow: list[Effect] = [FollowOutput(task, file)] if state.policy.follows_output else []
    if not shell.ended:
        return follow
    shell.followed = bool(follow)
    return [*follow, ReadRest(task)] if follow else _exited(state, task, shell)


def _stop(state: SessionState, call_id: str) -> list[Effect]:
    found = state.shells.of_call(call_id)
    if found is None:
        return []
    task, shell = found
    del state.shells.running[task]
    return [StopFollowing(task)] if shell.followed else []


def on_output(state: SessionState, event: e.OutputRead) -> list[Effect]:
    """The end of what a command printed so far was read."""
    shell = state.shells.running.get(event.task)
    if shell is None:
        return []
    news = (
        shell.took(event.output, event.total)
        if event.exact
        else shell.news(event.output, event.total)
    )
    effects = state.place_call(shell.call, ToolPrinted(shell.call.id, news)) if news else []
    return effects + (_exited(state, event.task, shell) if event.last else [])


def ended(state: SessionState, task: str) -> list[Effect]:
    """A task is over: of a command in the background, the rest of its output comes first."""
    shell = state.shells.running.get(task)
    if shell is None or shell.ended:
        return []
    shell.ended = True
    followed = shell.followed
    if state.ledger.get(shell.call.id) is not None:  # its result brings the output
        shell.followed = False
        return [StopFollowing(task)] if followed else []
    return [ReadRest(task)] if followed else _exited(state, task, shell)


def all_ended(state: SessionState) -> list[Effect]:
    """The CLI is gone, or its conversation, and every command with it."""
    effects: list[Effect] = []
    for task, shell in list(state.shells.running.items()):
        if shell.followed:
            effects.append(StopFollowing(task))
        effects += _exited(state, task, shell)
    return effects


def _exited(state: SessionState, task: str, shell: Shell) -> list[Effect]:
    state.shells.running.pop(task, None)
    return state.place_call(shell.call, ToolExited(shell.call.id))
