"""One step of a session: an event in, effects out, by a table from event to rule.

Fan-out only: it holds no rule and keeps no state of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_agent.domain import (
    async_task_rules,
    autonomous_task,
    cancel_rules,
    compaction,
    failures,
    goals,
    past,
    plan_rules,
    request_rules,
    shell_rules,
    steering,
    stop_rules,
    stream_rules,
    task_rules,
    tool_rules,
    turn_rules,
    work_rules,
)
from canopy_agent.domain import events as e
from canopy_agent.domain.effects import Effect, Show
from canopy_agent.domain.facts import Noted

if TYPE_CHECKING:
    from canopy_agent.domain.state import SessionState

Rule = Callable[["SessionState", Any], list[Effect]]


def _nothing(state: SessionState, event: e.Event) -> list[Effect]:
    return []


def _informed(state: SessionState, event: e.Informed) -> list[Effect]:
    if event.tool_use_id is not None:
        if event.tool_use_id in state.informed:
            return []  # said again while the same call goes on
        state.informed[event.tool_use_id] = True
    return [Show(state.root, Noted(event.level, event.text, kind={"kind": "informational"}))]


def _result_first(state: SessionState, event: e.ResultCame) -> list[Effect]:
    released = async_task_rules.on_result(state, event)
    return [*released, *failures.before_result(state, event), *goals.on_result(state, event)]


def _end_first(state: SessionState, event: e.StreamEnded) -> list[Effect]:
    goals.on_end(state)
    return failures.before_end(state, event)


RULES: dict[type, Rule] = {
    e.CliInit: turn_rules.on_init,
    e.StateChanged: turn_rules.on_state,
    e.ModelRequested: turn_rules.on_model_requested,
    e.PromptMoved: turn_rules.on_prompt_moved,
    e.PromptEchoed: turn_rules.on_echo,
    e.MessageBegan: stream_rules.on_message_began,
    e.MessageUsage: stream_rules.on_message_usage,
    e.TextCame: stream_rules.on_text,
    e.ImageCame: stream_rules.on_image,
    e.ToolBegan: tool_rules.on_tool_began,
    e.ToolInputGrew: tool_rules.on_tool_input,
    e.ToolUsed: tool_rules.on_tool_used,
    e.MessageSaid: stream_rules.on_message_said,
    e.ToolResulted: tool_rules.on_tool_result,
    e.AgentWoken: task_rules.on_agent_woken,
    e.AgentsRemembered: past.on_remembered,
    e.TaskStarted: task_rules.on_task_started,
    e.TaskProgressed: _nothing,
    e.TaskPatched: task_rules.on_task_patched,
    e.TaskNotified: task_rules.on_task_notified,
    e.BackgroundLevel: task_rules.on_background_level,
    e.MemoryRecalled: tool_rules.on_memory,
    e.OutputRead: shell_rules.on_output,
    e.ToolBeat: tool_rules.on_tool_beat,
    e.ToolRefused: tool_rules.on_tool_refused,
    e.ResultCame: turn_rules.on_result,
    e.RateLimited: turn_rules.on_rate_limit,
    e.CompactionBegan: compaction.on_began,
    e.CompactionGrew: compaction.on_grew,
    e.CompactionEnded: compaction.on_ended,
    e.Compacted: compaction.on_compacted,
    e.ConversationReset: cancel_rules.on_reset,
    e.LocalOutput: stream_rules.on_local_output,
    e.Informed: _informed,
    e.RefusalExplained: turn_rules.on_refusal_explained,
    e.SuggestionMade: _nothing,
    e.StreamEnded: cancel_rules.on_stream_ended,
    e.PermissionAsked: request_rules.on_permission,
    e.HookFired: request_rules.on_hook,
    e.ElicitationAsked: request_rules.on_elicitation,
    e.DialogAsked: request_rules.on_dialog,
    e.ControlWithdrawn: request_rules.on_withdrawn,
    e.PromptSubmitted: turn_rules.on_prompt,
    e.PromptLost: turn_rules.on_prompt_lost,
    e.CancelRequested: cancel_rules.on_cancel,
    e.ChildCancelRequested: cancel_rules.on_child_cancel,
    e.RequestOpened: _nothing,
    e.RequestClosed: request_rules.on_request_closed,
    e.PlanRefused: plan_rules.on_plan_refused,
    e.PlanAccepted: plan_rules.on_plan_accepted,
    e.ConversationRestarted: plan_rules.on_restarted,
    e.RestartFailed: plan_rules.on_restart_failed,
    e.InterruptReceipt: cancel_rules.on_receipt,
    e.WindowKnown: stream_rules.on_window,
    e.TimerFired: cancel_rules.on_timer,
    e.SessionClosing: cancel_rules.on_closing,
    e.TaskStopAsked: stop_rules.on_stop_asked,
    e.WorkStopAsked: work_rules.on_stop_asked,
    e.TaskStopDone: stop_rules.on_stop_done,
    e.SteerSubmitted: steering.on_steer,
    e.ApiRetried: failures.on_retried,
    e.NoteMade: failures.on_note,
    e.GoalReported: goals.on_reported,
    e.HookFeedback: goals.on_feedback,
}

FIRST: dict[type, Rule] = {
    e.PromptSubmitted: goals.on_message,
    e.PromptMoved: goals.on_moved,
    e.MessageSaid: failures.on_said,
    e.StreamEnded: _end_first,
    e.ConversationReset: goals.on_reset,
    e.TaskStarted: async_task_rules.on_task_started,
    e.TaskProgressed: async_task_rules.on_task_progressed,
    e.TaskPatched: async_task_rules.on_task_patched,
    e.TaskNotified: async_task_rules.on_task_notified,
    e.BackgroundLevel: async_task_rules.on_level,
    e.ToolResulted: async_task_rules.on_tool_result,
    e.ResultCame: _result_first,
}
"""What is told of an event beside the conversation, before its rule has seen it."""


def step(state: SessionState, event: e.Event) -> list[Effect]:
    """Apply ``event`` to ``state`` and give what has to be done, in order."""
    first = FIRST.get(type(event), _nothing)(state, event)
    effects = [*autonomous_task.before(state, event), *first, *RULES[type(event)](state, event)]
    effects += goals.after(state, effects)
    return work_rules.after(state, event, failures.carry(state, event, effects))
