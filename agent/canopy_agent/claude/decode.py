"""Raw frames of the CLI's stream-json to domain events, by a table of type and subtype.

A frame that nobody knows is counted and skipped, never an error; what an event leads to is not
known here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from canopy_agent.claude import decode_records, decode_reports, decode_tasks
from canopy_agent.claude.fields import count, ident, items, number, section, text, texts
from canopy_agent.claude.lanes import Lane
from canopy_agent.domain import events as e
from canopy_agent.domain.bounded import Recent

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Events = list[e.Event]

_LANES = 256
_RECORDS = 4096
_KINDS = 256
_LONGEST_KIND = 120

SILENT = frozenset(
    {
        "system/hook_started",
        "system/hook_progress",
        "system/hook_response",
        "system/files_persisted",
        "system/notification",
        "system/thinking_tokens",
        "system/plugin_install",
        "system/control_request_progress",
        "system/post_turn_summary",
        "system/session_title_changed",
        "system/commands_changed",
        "system/model_refusal_fallback",
        "system/model_fallback",
        "system/elicitation_complete",
        "system/mirror_error",
        "system/session_writes_lost",
        "tool_use_summary",
        "auth_status",
        "keep_alive",
        "control_response",
    }
)
"""Frames that say nothing to the rules: some are the runtime's, some are nobody's."""


class Decoder:
    """Turns the frames of one CLI process into events, in order."""

    def __init__(self) -> None:
        self._lanes: Recent[str, Lane] = Recent(_LANES)
        self._main = Lane(None, self.skip)
        self._records: Recent[str, bool] = Recent(_RECORDS)
        self.unknown: dict[str, int] = {}
        """Kinds of frames, and of their parts, that were skipped, with how often; logged once
        each."""

    def decode(self, frame: Json) -> Events:
        """The events of one frame; ``[]`` for one that says nothing."""
        kind = text(frame.get("type")) or "?"
        subtype = text(frame.get("subtype"))
        rule = _RULES.get((kind, subtype)) or _RULES.get((kind, None))
        if rule is not None:
            return rule(self, frame)
        name = f"{kind}/{subtype}" if subtype else kind
        if name not in SILENT:
            self.skip(name)
        return []

    def skip(self, name: str) -> None:
        """Something of a kind that nobody knows came by."""
        name = name[:_LONGEST_KIND]
        if name in self.unknown:
            self.unknown[name] += 1
        elif len(self.unknown) < _KINDS:
            log.warning("skipped a frame of an unknown kind: %s", name)
            self.unknown[name] = 1

    def lane(self, parent: str | None) -> Lane:
        """The lane of a conversation."""
        if parent is None:
            return self._main
        lane = self._lanes.use(parent)
        if lane is None:
            lane = self._lanes[parent] = Lane(parent, self.skip)
        return lane

    def is_repeated(self, frame: Json) -> bool:
        """Whether a record came before: after a compaction the CLI repeats those that it kept."""
        uuid = ident(frame.get("uuid"))
        if uuid is None:
            return False
        if uuid in self._records:
            return True
        self._records[uuid] = True
        return False


# --- rules ----------------------------------------------------------------------------------------


def _stream_event(decoder: Decoder, frame: Json) -> Events:
    parent = ident(frame.get("parent_tool_use_id"))
    return decoder.lane(parent).stream(section(frame.get("event")))


def _assistant(decoder: Decoder, frame: Json) -> Events:
    if decoder.is_repeated(frame):
        return []
    return decoder.lane(ident(frame.get("parent_tool_use_id"))).complete(frame)


def _user(decoder: Decoder, frame: Json) -> Events:
    return [] if decoder.is_repeated(frame) else decode_records.user_record(frame)


def _init(decoder: Decoder, frame: Json) -> Events:
    return [
        e.CliInit(
            frozenset(texts(frame.get("capabilities"))),
            text(frame.get("model")),
            text(frame.get("permissionMode")),
        )
    ]


def _state(decoder: Decoder, frame: Json) -> Events:
    state = text(frame.get("state"))
    return [e.StateChanged(state)] if state else []


def _status(decoder: Decoder, frame: Json) -> Events:
    if frame.get("status") == "requesting":
        named = frame.get("user_message_uuids")
        return [e.ModelRequested(texts(named) if isinstance(named, list) else None)]
    uuid = ident(frame.get("uuid")) or "compaction"
    if frame.get("status") == "compacting":
        return [e.CompactionBegan(uuid)]
    result = frame.get("compact_result")
    if result not in ("success", "failed"):
        return []
    return [e.CompactionEnded(uuid, result == "success", text(frame.get("compact_error")))]


def _lifecycle(decoder: Decoder, frame: Json) -> Events:
    prompt, state = ident(frame.get("command_uuid")), text(frame.get("state"))
    if prompt is None or state is None:
        return []
    return [e.PromptMoved(prompt, state, text(frame.get("wakeup_source")))]


def _tool_progress(decoder: Decoder, frame: Json) -> Events:
    id_ = ident(frame.get("tool_use_id"))
    if id_ is None:
        return []
    return [
        e.ToolBeat(
            id_,
            ident(frame.get("parent_tool_use_id")),
            number(frame.get("elapsed_time_seconds")),
            text(frame.get("subagent_type")),
            frame.get("subagent_retry"),
        )
    ]


def _denied(decoder: Decoder, frame: Json) -> Events:
    id_ = ident(frame.get("tool_use_id"))
    if id_ is None:
        return []
    return [
        e.ToolRefused(
            id_,
            ident(frame.get("agent_id")),
            text(frame.get("decision_reason_type")),
            text(frame.get("decision_reason")),
            text(frame.get("message")),
        )
    ]


def _prompts(frame: Json) -> tuple[str, ...]:
    many = texts(frame.get("user_message_uuids"))
    one = ident(frame.get("user_message_uuid"))
    return many if many or one is None else (one,)


def _result(decoder: Decoder, frame: Json) -> Events:
    news = frame.get("model_usage_since_last_result")
    return [
        e.ResultCame(
            text(frame.get("subtype")) or "success",
            frame.get("is_error") is True,
            text(frame.get("result")) or "",
            texts(frame.get("errors")),
            text(frame.get("stop_reason")),
            text(frame.get("terminal_reason")),
            count(frame.get("num_turns")) or 0,
            section(frame.get("origin")) or None,
            _prompts(frame),
            section(frame.get("usage")),
            section(frame.get("modelUsage")),
            number(frame.get("total_cost_usd")),
            section(frame.get("stop_details")) or None,
            text(frame.get("startup_failure_reason")),
            news if isinstance(news, Mapping) else None,
        )
    ]


def _compact(decoder: Decoder, frame: Json) -> Events:
    facts = section(frame.get("compact_metadata"))
    return [
        e.Compacted(
            count(facts.get("post_tokens")),
            count(facts.get("pre_tokens")),
            text(facts.get("trigger")),
            count(facts.get("duration_ms")),
            ident(frame.get("uuid")),
        )
    ]


def _memory(decoder: Decoder, frame: Json) -> Events:
    id_, rows = ident(frame.get("uuid")), frame.get("memories")
    if id_ is None or not isinstance(rows, list):
        return []
    return [e.MemoryRecalled(id_, text(frame.get("mode")) or "select", items(rows))]


def _reset(decoder: Decoder, frame: Json) -> Events:
    return [e.ConversationReset()]


def _rate_limit(decoder: Decoder, frame: Json) -> Events:
    return [e.RateLimited(section(frame.get("rate_limit_info")))]


def _local_command(decoder: Decoder, frame: Json) -> Events:
    words = text(frame.get("content")) or ""
    return [e.LocalOutput(words, ident(frame.get("uuid")))] if words.strip() else []


def _informational(decoder: Decoder, frame: Json) -> Events:
    words, level = text(frame.get("content")), text(frame.get("level")) or "info"
    if not words or not words.strip():
        return []
    return [e.Informed(words, level, ident(frame.get("tool_use_id")))]


def _suggestion(decoder: Decoder, frame: Json) -> Events:
    words = text(frame.get("suggestion"))
    return [e.SuggestionMade(words)] if words and words.strip() else []


def _control(decoder: Decoder, frame: Json) -> Events:
    key, request = ident(frame.get("request_id")), section(frame.get("request"))
    if key is None:
        return []
    match request.get("subtype"):
        case "can_use_tool":
            return [
                e.PermissionAsked(
                    key,
                    ident(request.get("tool_use_id")) or key,
                    text(request.get("tool_name")) or "Unknown Tool",
                    section(request.get("input")),
                    ident(request.get("agent_id")),
                    request,
                )
            ]
        case "hook_callback":
            input_ = section(request.get("input"))
            event = text(input_.get("hook_event_name")) or ""
            used = ident(request.get("tool_use_id")) or ident(input_.get("tool_use_id"))
            return [e.HookFired(key, event, input_, used)]
        case "elicitation":
            return [e.ElicitationAsked(key, request)]
        case "request_user_dialog":
            return [e.DialogAsked(key, request)]
    decoder.skip(f"control_request/{text(request.get('subtype')) or '?'}")
    return []


def _withdrawn(decoder: Decoder, frame: Json) -> Events:
    key = ident(frame.get("request_id"))
    return [e.ControlWithdrawn(key)] if key else []


Rule = Callable[[Decoder, Json], Events]

_RULES: dict[tuple[str, str | None], Rule] = {
    ("stream_event", None): _stream_event,
    ("assistant", None): _assistant,
    ("user", None): _user,
    ("system", "init"): _init,
    ("system", "session_state_changed"): _state,
    ("system", "status"): _status,
    ("system", "task_started"): lambda _, frame: decode_tasks.task_started(frame),
    ("system", "task_progress"): lambda _, frame: decode_tasks.task_progress(frame),
    ("system", "task_updated"): lambda _, frame: decode_tasks.task_updated(frame),
    ("system", "task_notification"): lambda _, frame: decode_tasks.task_notification(frame),
    ("system", "background_tasks_changed"): lambda _, frame: decode_tasks.background_level(frame),
    ("system", "permission_denied"): _denied,
    ("system", "memory_recall"): _memory,
    ("system", "compact_boundary"): _compact,
    ("system", "conversation_reset"): _reset,
    ("system", "local_command_output"): _local_command,
    ("system", "api_retry"): lambda _, frame: decode_reports.api_retry(frame),
    ("system", "model_refusal_no_fallback"): lambda _, frame: decode_reports.refusal(frame),
    ("active_goal", None): lambda _, frame: decode_reports.active_goal(frame),
    ("system", "informational"): _informational,
    ("command_lifecycle", None): _lifecycle,
    ("conversation_reset", None): _reset,
    ("tool_progress", None): _tool_progress,
    ("rate_limit_event", None): _rate_limit,
    ("prompt_suggestion", None): _suggestion,
    ("result", None): _result,
    ("control_request", None): _control,
    ("control_cancel_request", None): _withdrawn,
}
