"""Rules for tool calls: where a call is shown, what still counts of it, and what its hooks add.

How a call looks is the renderer's; commands that go on after their result are in ``shell_rules``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from canopy_agent.domain import events as e
from canopy_agent.domain import plan_rules, shell_rules
from canopy_agent.domain.async_tasks import SHELL
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    Recalled,
    TaskHooked,
    ToolDenied,
    ToolHookResponse,
    ToolInputComplete,
    ToolOpened,
    ToolReturned,
)
from canopy_agent.domain.facts import ToolBeat as Beat
from canopy_agent.domain.facts import ToolInputGrew as Grew
from canopy_agent.domain.lineage import AGENT_TOOLS, SEND_MESSAGE, Launch, says_async
from canopy_agent.domain.output_files import output_file
from canopy_agent.domain.stream_rules import note_work
from canopy_agent.domain.work_facts import ToolComing

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState
    from canopy_agent.domain.toolcalls import OpenCall

_ABORTED: Final = frozenset({"interrupted", "cancelled"})


def on_tool_began(state: SessionState, event: e.ToolBegan) -> list[Effect]:
    """A call begins to stream."""
    note_work(state, event.parent)
    parent = state.ledger.parent_of(event.id, event.parent)
    if state.drops(parent):
        return []
    fresh = state.ledger.get(event.id) is None
    call = state.ledger.opened(event.id, event.name, parent)
    call.hidden = call.pinned is None and state.children.hides(event.name)
    if call.hidden or not fresh:
        return []
    return state.place_call(call, ToolOpened(event.id, event.name))


def on_tool_input(state: SessionState, event: e.ToolInputGrew) -> list[Effect]:
    """More of the input has streamed."""
    call = state.ledger.get(event.id)
    if call is None or call.hidden or call.dispatched:
        return []
    return state.place_call(call, Grew(event.id, event.input))


def on_tool_used(state: SessionState, event: e.ToolUsed) -> list[Effect]:
    """A call is complete and dispatched."""
    note_work(state, event.parent)
    parent = state.ledger.parent_of(event.id, event.parent)
    if state.drops(parent):
        return []
    call = state.ledger.opened(event.id, event.name, parent)
    call.dispatched = True
    call.hidden = call.pinned is None and state.children.hides(event.name)
    launch = Launch(event.id, event.name, event.input, parent)
    effects: list[Effect] = []
    if call.hidden:
        state.hidden[event.id] = launch
    else:
        effects += state.place_call(call, ToolInputComplete(event.id, event.name, event.input))
    if event.name in AGENT_TOOLS:
        effects += state.children.launched(launch)
    elif event.name == SEND_MESSAGE:
        state.children.messaged(event.id, event.input, parent)
    return effects


def on_tool_result(state: SessionState, event: e.ToolResulted) -> list[Effect]:
    """A result. The copy of its own launch's result that a fork carries is not one."""
    if event.parent is not None and event.parent == event.id:
        return []
    call = state.ledger.closed(event.id)
    if not says_async(event.structured):
        state.tasks.returned(event.id)
    approved = plan_rules.note_result(state, event, call.name if call is not None else "")
    if call is None:
        return []
    result = (
        ToolReturned(event.id, None)
        if approved
        else ToolReturned(
            event.id,
            event.content,
            event.is_error,
            event.structured,
            event.non_execution_kind,
            event.user_feedback,
            backgrounded=_background_task(event.structured) is not None,
        )
    )
    task = _background_task(event.structured)
    file = output_file(event, task) if task is not None else None
    after = shell_rules.returned(state, call.id, task=task, file=file)
    if not approved and state.work is not None:
        result = replace(
            result, aborted=_is_aborted(state, event, call), lasting=_is_lasting(state, event.id)
        )
    launch = state.hidden.pop(event.id) if call.hidden else None
    if launch is not None:
        return state.children.returned(result, call.parent, launch)
    return after if call.hidden else state.place_call(call, result) + after


def _is_aborted(state: SessionState, event: e.ToolResulted, call: OpenCall) -> bool:
    """Whether a result is that of a call that somebody stopped."""
    if event.non_execution_kind in _ABORTED:
        return True
    if not event.is_error:
        return False
    return state.tasks.is_stopped(call.parent) or (
        state.window.open and not state.in_background(call)
    )


def _is_lasting(state: SessionState, call: str) -> bool:
    """Whether the call began something that goes on under its name; commands have terminals."""
    tasks = state.async_tasks.of_call(call) if state.async_tasks is not None else ()
    return any(task.announced and not task.is_over and task.kind != SHELL for task in tasks)


def _background_task(structured: object) -> str | None:
    task = structured.get("backgroundTaskId") if isinstance(structured, dict) else None
    return task if isinstance(task, str) and task else None


def on_tool_beat(state: SessionState, event: e.ToolBeat) -> list[Effect]:
    """A heartbeat lands on its own call, else on the call that it is about."""
    call = state.ledger.get(event.id)
    if call is None and event.parent is not None:
        call = state.ledger.get(event.parent)
    if call is None or call.hidden:
        return []
    beat = Beat(call.id, event.elapsed_seconds, event.subagent_type, event.retry)
    return state.place_call(call, beat)


def on_tool_refused(state: SessionState, event: e.ToolRefused) -> list[Effect]:
    """A rule refused a call; only one that was shown can fail."""
    call = state.ledger.get(event.id)
    if call is None or call.hidden:
        return []
    denied = ToolDenied(event.id, event.reason_type, event.reason, event.message)
    return state.place_call(call, denied)


def show_hook_response(state: SessionState, event: e.HookFired) -> list[Effect]:
    """What the PostToolUse hook knows of a call."""
    id_ = event.tool_use_id or ""
    call = state.ledger.get(id_) or state.ledger.late(id_)
    name = event.input.get("tool_name")
    if call is None or call.hidden or not isinstance(name, str) or state.drops(call.parent):
        return []
    input_ = event.input.get("tool_input")
    response = event.input.get("tool_response")
    fact = ToolHookResponse(id_, name, input_ if isinstance(input_, dict) else {}, response)
    return state.place_call(call, fact)


def show_coming(state: SessionState, event: e.HookFired) -> list[Effect]:
    """The PreToolUse hook of a call that the client sees: it runs when the hook is answered."""
    call = state.ledger.get(event.tool_use_id or "")
    name, input_ = event.input.get("tool_name"), event.input.get("tool_input")
    if call is None or call.hidden or not isinstance(name, str) or state.work is None:
        return []
    return (
        state.place_call(call, ToolComing(call.id, name, input_))
        if isinstance(input_, dict)
        else []
    )


def on_task_hook(state: SessionState, event: e.HookFired, launch: str | None) -> list[Effect]:
    """A hook told of Claude's task list; ``launch`` is that of the subagent it fired in."""
    task, subject = (event.input.get(key) for key in ("task_id", "task_subject"))
    if not isinstance(task, str) or not isinstance(subject, str) or state.drops(launch):
        return []
    description = event.input.get("task_description")
    words = description if isinstance(description, str) else ""
    return state.place(TaskHooked(event.event, task, subject, words), launch)


def on_memory(state: SessionState, event: e.MemoryRecalled) -> list[Effect]:
    """The harness brought memories into the turn."""
    if state.drops(None):
        return []
    return [Show(state.root, Recalled(event.id, event.mode, event.memories))]
