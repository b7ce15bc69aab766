"""Raw frames of the CLI's stream-json to domain events, by a table of type and subtype.

A frame that nobody knows is counted and skipped, never an error; what an event leads to is not
known here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from canopy_agent.claude import decode_tasks
from canopy_agent.claude.lanes import Lane, section, text
from canopy_agent.domain import events as e
from canopy_agent.domain.bounded import Recent

log = logging.getLogger(__name__)

Json = Mapping[str, Any]
Events = list[e.Event]

_STDOUT = re.compile(r"<local-command-stdout>(.*?)</local-command-stdout>", re.DOTALL)
_SWITCHED = re.compile(r"(?:Set|Kept) model (?:to|as) ")
_LANES = 256

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
        "system/api_retry",
        "system/post_turn_summary",
        "system/session_title_changed",
        "system/commands_changed",
        "system/task_progress",
        "tool_use_summary",
        "auth_status",
        "keep_alive",
        "control_response",
    }
)
"""Frames that say nothing to the rules: some are the runtime's, some are nobody's."""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _number(value: object) -> float | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if good else None  # type: ignore[return-value]  # narrowed by the line above


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Decoder:
    """Turns the frames of one CLI process into events, in order."""

    def __init__(self) -> None:
        self._lanes: Recent[str, Lane] = Recent(_LANES)
        self._main = Lane(None)
        self.unknown: dict[str, int] = {}
        """Kinds of frames that were skipped, with how often; logged once each."""

    def decode(self, frame: Json) -> Events:
        """The events of one frame; ``[]`` for one that says nothing."""
        kind = text(frame.get("type")) or "?"
        subtype = text(frame.get("subtype"))
        rule = _RULES.get((kind, subtype)) or _RULES.get((kind, None))
        if rule is not None:
            return rule(self, frame)
        name = f"{kind}/{subtype}" if subtype else kind
        if name not in SILENT:
            self._skip(name)
        return []

    def _skip(self, name: str) -> None:
        seen = self.unknown.get(name, 0)
        if not seen and len(self.unknown) < _LANES:
            log.warning("skipped a frame of an unknown kind: %s", name[:120])
        self.unknown[name] = seen + 1

    def lane(self, parent: str | None) -> Lane:
        """The lane of a conversation."""
        if parent is None:
            return self._main
        lane = self._lanes.get(parent)
        if lane is None:
            lane = self._lanes[parent] = Lane(parent)
        return lane


# --- rules ----------------------------------------------------------------------------------------


def _stream_event(decoder: Decoder, frame: Json) -> Events:
    return decoder.lane(text(frame.get("parent_tool_use_id"))).stream(section(frame.get("event")))


def _assistant(decoder: Decoder, frame: Json) -> Events:
    return decoder.lane(text(frame.get("parent_tool_use_id"))).complete(frame)


def _blocks(content: object) -> tuple[Json, ...]:
    if isinstance(content, str):
        return ({"type": "text", "text": content},) if content else ()
    if not isinstance(content, list):
        return ()
    return tuple(block for block in content if isinstance(block, Mapping))


def _user(decoder: Decoder, frame: Json) -> Events:
    blocks = _blocks(section(frame.get("message")).get("content"))
    parent, uuid = text(frame.get("parent_tool_use_id")), text(frame.get("uuid"))
    if frame.get("isReplay") is True and parent is None and uuid is not None:
        origin = text(section(frame.get("origin")).get("kind"))
        synthetic = frame.get("isSynthetic") is True
        echo: Events = [e.PromptEchoed(uuid, blocks, origin, synthetic)]
        return echo + _local_output(blocks, uuid)
    return _results(frame, blocks, parent) + (_local_output(blocks, uuid) if not parent else [])


def _results(frame: Json, blocks: tuple[Json, ...], parent: str | None) -> Events:
    results = [block for block in blocks if block.get("type") == "tool_result"]
    structured = frame.get("tool_use_result") if len(results) == 1 else None
    events: Events = []
    ids = tuple(id_ for block in results if (id_ := text(block.get("tool_use_id"))))
    whole = section(frame.get("tool_use_result"))
    if whole.get("success") is True and (agent := text(whole.get("resumedAgentId"))):
        events.append(e.AgentWoken(agent, ids))
    notes = _result_notes(frame.get("tool_result_meta"))
    for block in results:
        id_ = text(block.get("tool_use_id"))
        if id_ is None:
            continue
        note = notes.get(id_, {})
        events.append(
            e.ToolResulted(
                parent,
                id_,
                block.get("content"),
                block.get("is_error") is True,
                structured,
                text(note.get("non_execution_kind")),
                text(note.get("user_feedback")),
            )
        )
    return events


def _result_notes(value: object) -> dict[str, Json]:
    rows = value if isinstance(value, list) else []
    notes = (row for row in rows if isinstance(row, Mapping))
    return {id_: row for row in notes if (id_ := text(row.get("id")))}


def _local_output(blocks: tuple[Json, ...], uuid: str | None) -> Events:
    """Output of a local command that travels inside a user message."""
    words = "".join(text(block.get("text")) or "" for block in blocks)
    outputs = (out.strip() for out in _STDOUT.findall(words))
    # the CLI notes a switch that its host asked for in this form, one that is typed in another
    return [e.LocalOutput(out, uuid) for out in outputs if out and not _SWITCHED.match(out)]


def _init(decoder: Decoder, frame: Json) -> Events:
    return [
        e.CliInit(
            frozenset(_texts(frame.get("capabilities"))),
            _texts(frame.get("terminal_slash_commands")),
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
        return [e.ModelRequested(_texts(named) if isinstance(named, list) else None)]
    uuid = text(frame.get("uuid")) or "compaction"
    if frame.get("status") == "compacting":
        return [e.CompactionBegan(uuid)]
    result = frame.get("compact_result")
    if result not in ("success", "failed"):
        return []
    return [e.CompactionEnded(uuid, result == "success", text(frame.get("compact_error")))]


def _lifecycle(decoder: Decoder, frame: Json) -> Events:
    prompt, state = text(frame.get("command_uuid")), text(frame.get("state"))
    if prompt is None or state is None:
        return []
    return [e.PromptMoved(prompt, state, text(frame.get("wakeup_source")))]


def _tool_progress(decoder: Decoder, frame: Json) -> Events:
    id_ = text(frame.get("tool_use_id"))
    if id_ is None:
        return []
    return [
        e.ToolBeat(
            id_,
            text(frame.get("parent_tool_use_id")),
            _number(frame.get("elapsed_time_seconds")),
            text(frame.get("subagent_type")),
            frame.get("subagent_retry"),
        )
    ]


def _denied(decoder: Decoder, frame: Json) -> Events:
    id_ = text(frame.get("tool_use_id"))
    if id_ is None:
        return []
    return [
        e.ToolRefused(
            id_,
            text(frame.get("agent_id")),
            text(frame.get("decision_reason_type")),
            text(frame.get("decision_reason")),
            text(frame.get("message")),
        )
    ]


def _prompts(frame: Json) -> tuple[str, ...]:
    many = _texts(frame.get("user_message_uuids"))
    one = text(frame.get("user_message_uuid"))
    return many if many or one is None else (one,)


def _result(decoder: Decoder, frame: Json) -> Events:
    turns = frame.get("num_turns")
    return [
        e.ResultCame(
            text(frame.get("subtype")) or "success",
            frame.get("is_error") is True,
            text(frame.get("result")) or "",
            _texts(frame.get("errors")),
            text(frame.get("stop_reason")),
            text(frame.get("terminal_reason")),
            turns if isinstance(turns, int) else 0,
            section(frame.get("origin")) or None,
            _prompts(frame),
            section(frame.get("usage")),
            section(frame.get("modelUsage")),
            _number(frame.get("total_cost_usd")),
            section(frame.get("stop_details")) or None,
            text(frame.get("startup_failure_reason")),
        )
    ]


def _compact(decoder: Decoder, frame: Json) -> Events:
    facts = section(frame.get("compact_metadata"))
    return [
        e.Compacted(
            _count(facts.get("post_tokens")),
            _count(facts.get("pre_tokens")),
            text(facts.get("trigger")),
            _count(facts.get("duration_ms")),
            text(frame.get("uuid")),
        )
    ]


def _memory(decoder: Decoder, frame: Json) -> Events:
    id_, rows = text(frame.get("uuid")), frame.get("memories")
    if id_ is None or not isinstance(rows, list):
        return []
    memories = tuple(row for row in rows if isinstance(row, Mapping))
    return [e.MemoryRecalled(id_, text(frame.get("mode")) or "select", memories)]


def _reset(decoder: Decoder, frame: Json) -> Events:
    return [e.ConversationReset()]


def _rate_limit(decoder: Decoder, frame: Json) -> Events:
    return [e.RateLimited(section(frame.get("rate_limit_info")))]


def _local_command(decoder: Decoder, frame: Json) -> Events:
    words = text(frame.get("content")) or ""
    return [e.LocalOutput(words, text(frame.get("uuid")))] if words.strip() else []


def _informational(decoder: Decoder, frame: Json) -> Events:
    words, level = text(frame.get("content")), text(frame.get("level")) or "info"
    if not words or not words.strip():
        return []
    return [e.Informed(words, level, text(frame.get("tool_use_id")))]


def _suggestion(decoder: Decoder, frame: Json) -> Events:
    words = text(frame.get("suggestion"))
    return [e.SuggestionMade(words)] if words and words.strip() else []


def _control(decoder: Decoder, frame: Json) -> Events:
    key, request = text(frame.get("request_id")), section(frame.get("request"))
    if key is None:
        return []
    match request.get("subtype"):
        case "can_use_tool":
            return [
                e.PermissionAsked(
                    key,
                    text(request.get("tool_use_id")) or key,
                    text(request.get("tool_name")) or "Unknown Tool",
                    section(request.get("input")),
                    text(request.get("agent_id")),
                    request,
                )
            ]
        case "hook_callback":
            input_ = section(request.get("input"))
            event = text(input_.get("hook_event_name")) or ""
            used = text(request.get("tool_use_id")) or text(input_.get("tool_use_id"))
            return [e.HookFired(key, event, input_, used)]
        case "elicitation":
            return [e.ElicitationAsked(key, request)]
        case "request_user_dialog":
            return [e.DialogAsked(key, request)]
    return []


def _withdrawn(decoder: Decoder, frame: Json) -> Events:
    key = text(frame.get("request_id"))
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
