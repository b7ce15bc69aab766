"""Rules for questions of the CLI: which session they are put on, and when they are put at all.

Options, forms and answers are the brokers'; here a question finds its place and its owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from canopy_agent.domain import compaction
from canopy_agent.domain import events as e
from canopy_agent.domain.child_options import text_or_none
from canopy_agent.domain.effects import (
    AnswerHook,
    AskDialog,
    AskElicitation,
    AskPermission,
    AskQuestion,
    Effect,
    Refuse,
    Show,
    Withdraw,
)
from canopy_agent.domain.facts import ModeShown, ToolClosed, ToolInputComplete, ToolReturned
from canopy_agent.domain.state import OpenRequest
from canopy_agent.domain.tool_rules import on_task_hook, show_coming, show_hook_response

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

QUESTION_TOOL = "AskUserQuestion"
SANDBOX_NETWORK = "SandboxNetworkAccess"
ENTER_PLAN_MODE = "EnterPlanMode"
COMPACTED = "PostCompact"
COMING = "PreToolUse"
_RESULT_HOOKS = frozenset({"PostToolUse"})
_TASK_HOOKS = frozenset({"TaskCreated", "TaskCompleted"})


def on_permission(state: SessionState, event: e.PermissionAsked) -> list[Effect]:
    """A tool wants permission, or a question wants an answer."""
    agent = event.agent
    launch = state.tasks.launch_of(agent) if agent is not None else None
    if event.key in state.requests:
        return []
    if state.window.drops_output and state.tasks.get(agent) is None:
        return [Refuse(event.key, "The user cancelled this work.")]
    session = state.children.session_of(agent)
    effects = _make_visible(state, event, session, launch)
    state.requests[event.key] = OpenRequest(event.key, agent, event.tool_use_id, event.tool)
    background = agent is not None and not state.tasks.blocks_foreground(agent)
    if event.tool == QUESTION_TOOL and state.policy.questions:
        effects.append(AskQuestion(event.key, session, launch, background))
    else:
        owned = not state.policy.ends_turns or state.turns.owner_of_request() is not None
        effects.append(AskPermission(event.key, session, launch, background, owned))
    return effects + (state.children.request_opened(agent) if agent is not None else [])


def _make_visible(
    state: SessionState, event: e.PermissionAsked, session: str, launch: str | None
) -> list[Effect]:
    """The client must know the call that it is asked about; a question may outrun the stream."""
    whole = ToolInputComplete(event.tool_use_id, event.tool, event.input, surfaced=True)
    call = state.ledger.get(event.tool_use_id)
    if call is not None and call.dispatched and not call.hidden:
        # the CLI fills defaults in before it asks: the client is asked about what will run
        return state.place_call(call, whole)
    call = state.ledger.opened(event.tool_use_id, event.tool, launch, event.agent)
    call.hidden = False
    call.dispatched = True
    call.pinned = session
    return [Show(session, whole, call.parent)]


def on_elicitation(state: SessionState, event: e.ElicitationAsked) -> list[Effect]:
    """An MCP server asks; nobody knows for which agent, so the root it is."""
    state.requests[event.key] = OpenRequest(event.key, None)
    return [AskElicitation(event.key)]


def on_dialog(state: SessionState, event: e.DialogAsked) -> list[Effect]:
    """The CLI itself asks."""
    state.requests[event.key] = OpenRequest(event.key, None)
    return [AskDialog(event.key)]


def on_withdrawn(state: SessionState, event: e.ControlWithdrawn) -> list[Effect]:
    """The CLI takes a question back."""
    request = state.requests.pop(event.key, None)
    if request is None:
        return []
    closed = _closed(state, request, withdrawn=True)
    return [Withdraw(event.key), *_answered(state, request, allowed=None), *closed]


def on_request_closed(state: SessionState, event: e.RequestClosed) -> list[Effect]:
    """The client answered, or will not."""
    request = state.requests.pop(event.key, None)
    if request is None:
        return []
    answered = _answered(state, request, allowed=event.allowed)
    return answered + _closed(state, request, withdrawn=event.withdrawn)


def _answered(state: SessionState, request: OpenRequest, *, allowed: bool | None) -> list[Effect]:
    """A question of the sandbox is a call without a result: its answer is the end of it."""
    if request.tool != SANDBOX_NETWORK:
        return []
    call = state.ledger.closed(request.tool_use_id or "")
    if call is None:
        return []
    if allowed is None:
        return state.place_call(call, ToolClosed(call.id, "stopped"))
    return state.place_call(call, ToolReturned(call.id, None, is_error=not allowed))


def _closed(state: SessionState, request: OpenRequest, *, withdrawn: bool) -> list[Effect]:
    if request.agent is None:
        return []
    # a client answers what it has cancelled itself: of foreground work the end comes all the same
    ends = withdrawn or state.tasks.blocks_foreground(request.agent)
    stopped = request.cancel_seen and ends
    return state.children.request_closed(request.agent, stopped=stopped)


def on_hook(state: SessionState, event: e.HookFired) -> list[Effect]:
    """A hook of ours fired: take what it knows, and let the CLI go on."""
    effects: list[Effect] = []
    agent = text_or_none(event.input.get("agent_id"))
    if agent is not None:
        if event.cwd is not None:
            effects += state.children.placed(agent, event.cwd)
        state.options.hook(agent, event.event, event.input)
        effects += state.options.tell(agent, state.children)
    if event.event == COMING:
        effects += show_coming(state, event)
    if event.event in _RESULT_HOOKS:
        effects += show_hook_response(state, event)
        if agent is None and event.input.get("tool_name") == ENTER_PLAN_MODE:
            effects.append(Show(state.root, ModeShown("plan")))
    if event.event == COMPACTED and agent is None:
        compaction.on_summary(state, event.input.get("compact_summary"))
    if event.event in _TASK_HOOKS:
        launch = state.tasks.launch_of(agent) if agent is not None else None
        effects += on_task_hook(state, event, launch)
    return [*effects, AnswerHook(event.key)]
