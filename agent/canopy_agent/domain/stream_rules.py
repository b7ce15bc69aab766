"""Rules for what the conversation says and does: text, tool calls, their results.

They decide where output belongs and whether it still counts; how it looks is the renderer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import events as e
from canopy_agent.domain import plan_rules
from canopy_agent.domain.child_options import MODEL
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import (
    Pictured,
    Said,
    Thought,
    ToolDenied,
    ToolHookResponse,
    ToolInputComplete,
    ToolOpened,
    ToolReturned,
)
from canopy_agent.domain.facts import ToolBeat as Beat
from canopy_agent.domain.facts import ToolInputGrew as Grew
from canopy_agent.domain.lineage import AGENT_TOOLS, SEND_MESSAGE, Launch
from canopy_agent.domain.state import MESSAGE_LIFECYCLE

if TYPE_CHECKING:
    from canopy_agent.domain.facts import UsageShown
    from canopy_agent.domain.state import SessionState


def note_work(state: SessionState, parent: str | None) -> None:
    """Output of the main conversation while no turn runs: Claude Code works by itself."""
    if parent is not None or state.turns.foreground or state.window.open:
        return
    if state.turns.queued() and MESSAGE_LIFECYCLE not in state.capabilities:
        return  # the output may be that prompt's
    state.turns.autonomous = True


def _gauge(state: SessionState, shown: UsageShown | None) -> list[Effect]:
    return [] if shown is None else [Show(state.root, shown)]


def _child_model(state: SessionState, parent: str, model: str | None) -> list[Effect]:
    """A subagent's response names the model that it runs on."""
    agent = state.children.agent_of_call(parent)
    if agent is None:
        return []
    state.options.learned(agent, MODEL, model)
    return state.options.tell(agent, state.children)


def on_message_began(state: SessionState, event: e.MessageBegan) -> list[Effect]:
    """The gauge follows the main conversation only."""
    note_work(state, event.parent)
    if event.parent is not None:
        return _child_model(state, event.parent, event.model)
    if state.drops(None):
        return []
    return _gauge(state, state.usage.began(event.model, event.usage))


def on_message_usage(state: SessionState, event: e.MessageUsage) -> list[Effect]:
    """Newer counts of the message that streams."""
    if event.parent is not None or state.drops(None):
        return []
    return _gauge(state, state.usage.grew(event.usage))


def on_text(state: SessionState, event: e.TextCame) -> list[Effect]:
    """Text or thinking of anybody."""
    note_work(state, event.parent)
    if not event.text or state.drops(event.parent):
        return []
    if event.parent is None and not event.thinking:
        if not event.streamed and state.printed.repeated_by_message(event.text):
            return []
        state.printed.said("" if event.streamed else event.text)
        state.delivered = True
    kind = Thought if event.thinking else Said
    return state.place(kind(event.text, event.message_id), event.parent, streamed=event.streamed)


def on_image(state: SessionState, event: e.ImageCame) -> list[Effect]:
    """An image of the assistant."""
    if state.drops(event.parent):
        return []
    picture = Pictured(event.data, event.mime_type, event.uri, event.message_id)
    return state.place(picture, event.parent, streamed=False)


def on_message_said(state: SessionState, event: e.MessageSaid) -> list[Effect]:
    """A complete message: remember the error that it stands for, and its counts if it never
    streamed.
    """
    if event.parent is not None:
        return _child_model(state, event.parent, event.model)
    if event.error is not None and state.turns.active is not None:
        state.turns.active.error_kind = event.error
    return _gauge(state, state.usage.said(event.model, event.usage))


def on_local_output(state: SessionState, event: e.LocalOutput) -> list[Effect]:
    """Output of a local command belongs to the answer, once however often the CLI repeats it."""
    if not event.text or state.drops(None):
        return []
    if state.printed.repeated_by_command(event.text):
        return []
    state.printed.printed(event.text)
    state.delivered = True
    return [Show(state.root, Said(event.text, event.uuid))]


# --- tool calls -----------------------------------------------------------------------------------


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
            backgrounded=_is_backgrounded(event.structured),
        )
    )
    launch = state.hidden.pop(event.id) if call.hidden else None
    if launch is not None:
        return state.children.returned(result, call.parent, launch)
    return [] if call.hidden else state.place_call(call, result)


def _is_backgrounded(structured: object) -> bool:
    return isinstance(structured, dict) and bool(structured.get("backgroundTaskId"))


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
    call = state.ledger.get(id_)
    name = event.input.get("tool_name")
    if call is None or call.hidden or not isinstance(name, str):
        return []
    input_ = event.input.get("tool_input")
    response = event.input.get("tool_response")
    fact = ToolHookResponse(id_, name, input_ if isinstance(input_, dict) else {}, response)
    return state.place_call(call, fact)
