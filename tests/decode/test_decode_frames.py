"""Frames of Claude Code 2.1.332, trimmed, and the events that they are."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from canopy_agent.claude.decode import SILENT, Decoder
from canopy_agent.domain import events as e

PROMPT = "1f3ee2ec-8c29-49af-9105-6ed4081e6a8c"
CALL, LAUNCH, AGENT = "toolu_01", "toolu_00", "af19e3538d2faac8e"
RUN = "0mx5zc57u-a915e99b"
SESSION = {"session_id": "bc4190b0", "uuid": "c45e0cf7"}
TEXT = {"type": "text", "text": "hello"}


def system(subtype: str, **more: Any) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, **SESSION, **more}


def user(content: Any, **more: Any) -> dict[str, Any]:
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "parent_tool_use_id": None, **SESSION, **more}


def control(subtype: str, **more: Any) -> dict[str, Any]:
    return {"type": "control_request", "request_id": "r1", "request": {"subtype": subtype, **more}}


TOOL_RESULT = {"type": "tool_result", "tool_use_id": CALL, "content": "done"}
STARTED = {"task_id": AGENT, "run_id": RUN, "tool_use_id": LAUNCH}
USAGE = {"input_tokens": 100, "output_tokens": 20}
TOTALS = {"claude-opus-5-5": {"inputTokens": 100, "costUSD": 0.0008}}

FRAMES: dict[str, tuple[dict[str, Any], list[e.Event]]] = {
    "init": (
        system(
            "init",
            capabilities=["msg_lifecycle_v1", 3],
            terminal_slash_commands=["doctor"],
            model="claude-opus-5-5",
            permissionMode="plan",
        ),
        [e.CliInit(frozenset({"msg_lifecycle_v1"}), "claude-opus-5-5", "plan")],
    ),
    "state": (system("session_state_changed", state="idle"), [e.StateChanged("idle")]),
    "requesting": (
        system("status", status="requesting", user_message_uuids=[PROMPT]),
        [e.ModelRequested((PROMPT,))],
    ),
    "requesting for nobody": (system("status", status="requesting"), [e.ModelRequested(None)]),
    "another status": (system("status", status=None, permissionMode="plan"), []),
    "compacting": (system("status", status="compacting"), [e.CompactionBegan("c45e0cf7")]),
    "compacted": (
        system("status", status=None, compact_result="success"),
        [e.CompactionEnded("c45e0cf7", True)],
    ),
    "lifecycle": (
        {"type": "command_lifecycle", "command_uuid": PROMPT, "state": "started"},
        [e.PromptMoved(PROMPT, "started")],
    ),
    "wakeup": (
        {
            "type": "command_lifecycle",
            "command_uuid": "x",
            "state": "started",
            "wakeup_source": "cron",
        },
        [e.PromptMoved("x", "started", "cron")],
    ),
    "echo": (
        user([TEXT], uuid=PROMPT, isReplay=True, origin={"kind": "human"}),
        [e.PromptEchoed(PROMPT, (TEXT,), "human")],
    ),
    "echo of a command": (
        user("<command-name>/context</command-name>", uuid=PROMPT, isReplay=True),
        [
            e.PromptEchoed(
                PROMPT, ({"type": "text", "text": "<command-name>/context</command-name>"},)
            )
        ],
    ),
    "output of a command": (
        user("<local-command-stdout>Compacted </local-command-stdout>", uuid="o", isReplay=True),
        [
            e.PromptEchoed(
                "o",
                (
                    {
                        "type": "text",
                        "text": "<local-command-stdout>Compacted </local-command-stdout>",
                    },
                ),
            ),
            e.LocalOutput("Compacted", "o"),
        ],
    ),
    "prompt of a child": (user([TEXT], parent_tool_use_id=LAUNCH), []),
    "tool result": (
        user([TOOL_RESULT], tool_use_result={"type": "text"}),
        [e.ToolResulted(None, CALL, "done", structured={"type": "text"})],
    ),
    "rejected tool": (
        user(
            [{**TOOL_RESULT, "is_error": True}],
            tool_use_result="User rejected tool use",
            tool_result_meta=[
                {"id": CALL, "non_execution_kind": "user-rejected", "user_feedback": "no"},
                {"id": "other", "non_execution_kind": "interrupted"},
            ],
        ),
        [e.ToolResulted(None, CALL, "done", True, "User rejected tool use", "user-rejected", "no")],
    ),
    "two results": (
        user([TOOL_RESULT, {**TOOL_RESULT, "tool_use_id": "b"}], tool_use_result={"x": 1}),
        [e.ToolResulted(None, CALL, "done"), e.ToolResulted(None, "b", "done")],
    ),
    "result that woke an agent": (
        user([TOOL_RESULT], tool_use_result={"success": True, "resumedAgentId": AGENT}),
        [
            e.AgentWoken(AGENT, (CALL,)),
            e.ToolResulted(
                None, CALL, "done", structured={"success": True, "resumedAgentId": AGENT}
            ),
        ],
    ),
    "message that woke nobody": (
        user([TOOL_RESULT], tool_use_result={"success": False, "resumedAgentId": AGENT}),
        [
            e.ToolResulted(
                None, CALL, "done", structured={"success": False, "resumedAgentId": AGENT}
            )
        ],
    ),
    "placeholder in a fork": (
        user(
            [{**TOOL_RESULT, "tool_use_id": LAUNCH}],
            parent_tool_use_id=LAUNCH,
            tool_use_result={"success": True, "resumedAgentId": AGENT},
        ),
        [],
    ),
    "placeholder beside a result": (
        user(
            [{**TOOL_RESULT, "tool_use_id": LAUNCH}, TOOL_RESULT],
            parent_tool_use_id=LAUNCH,
            tool_use_result={"isAsync": True},
        ),
        [e.ToolResulted(LAUNCH, CALL, "done")],
    ),
    "task started": (
        system(
            "task_started",
            **STARTED,
            description="Read a file",
            subagent_type="general-purpose",
            is_backgrounded=False,
            task_type="local_agent",
            prompt="Read it.",
            parent_task_id="p",
        ),
        [
            e.TaskStarted(
                AGENT,
                RUN,
                LAUNCH,
                "general-purpose",
                "local_agent",
                "Read a file",
                "Read it.",
                False,
                "p",
            )
        ],
    ),
    "task progress": (
        system(
            "task_progress", **STARTED, description="Reading", last_tool_name="Read", usage={"n": 1}
        ),
        [e.TaskProgressed(AGENT, RUN, LAUNCH, "Reading", None, {"n": 1})],
    ),
    "task updated": (
        system("task_updated", task_id=AGENT, run_id=RUN, patch={"status": "killed"}),
        [e.TaskPatched(AGENT, RUN, "killed")],
    ),
    "task moved": (
        system("task_updated", task_id=AGENT, patch={"is_backgrounded": True}),
        [e.TaskPatched(AGENT, backgrounded=True)],
    ),
    "task notification": (
        system(
            "task_notification",
            **STARTED,
            status="completed",
            summary="Saw it.",
            output_file="/tmp/out",
        ),
        [e.TaskNotified(AGENT, "completed", RUN, LAUNCH, None, "Saw it.", "/tmp/out")],
    ),
    "level": (
        system("background_tasks_changed", tasks=[{"task_id": AGENT}, {"id": "b"}, {}]),
        [e.BackgroundLevel((AGENT, "b"), ({"task_id": AGENT}, {"id": "b"}, {}))],
    ),
    "empty level": (system("background_tasks_changed", tasks=[]), [e.BackgroundLevel((), ())]),
    "no level": (system("background_tasks_changed"), []),
    "beat": (
        {
            "type": "tool_progress",
            "tool_use_id": CALL,
            "parent_tool_use_id": LAUNCH,
            "elapsed_time_seconds": 3.5,
            "subagent_type": "general",
        },
        [e.ToolBeat(CALL, LAUNCH, 3.5, "general")],
    ),
    "denied": (
        system(
            "permission_denied",
            tool_use_id=CALL,
            agent_id=AGENT,
            decision_reason_type="rule",
            decision_reason="because",
            message="no",
        ),
        [e.ToolRefused(CALL, AGENT, "rule", "because", "no")],
    ),
    "result": (
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "ok",
            "num_turns": 2,
            "stop_reason": "end_turn",
            "terminal_reason": "completed",
            "origin": {"kind": "human"},
            "user_message_uuid": "x",
            "user_message_uuids": ["x", PROMPT],
            "usage": USAGE,
            "modelUsage": TOTALS,
            "total_cost_usd": 0.0008,
            "model_usage_since_last_result": TOTALS,
        },
        [
            e.ResultCame(
                "success",
                False,
                "ok",
                (),
                "end_turn",
                "completed",
                2,
                {"kind": "human"},
                ("x", PROMPT),
                USAGE,
                TOTALS,
                0.0008,
                model_usage_news=TOTALS,
            )
        ],
    ),
    "result of one prompt": (
        {"type": "result", "subtype": "error_during_execution", "user_message_uuid": PROMPT},
        [e.ResultCame("error_during_execution", prompts=(PROMPT,))],
    ),
    "bare result": ({"type": "result"}, [e.ResultCame("success")]),
    "limits": (
        {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}},
        [e.RateLimited({"status": "allowed"})],
    ),
    "boundary": (
        system(
            "compact_boundary",
            compact_metadata={"trigger": "auto", "pre_tokens": 207, "post_tokens": 26},
        ),
        [e.Compacted(26, 207, "auto", None, "c45e0cf7")],
    ),
    "reset": ({"type": "conversation_reset", "trigger": "clear"}, [e.ConversationReset()]),
    "local output": (
        system("local_command_output", content="text"),
        [e.LocalOutput("text", "c45e0cf7")],
    ),
    "blank local output": (system("local_command_output", content="  "), []),
    "informational": (
        system("informational", content="note", level="warning"),
        [e.Informed("note", "warning")],
    ),
    "suggestion": (
        {"type": "prompt_suggestion", "suggestion": "go on"},
        [e.SuggestionMade("go on")],
    ),
    "permission": (
        control("can_use_tool", tool_name="Bash", tool_use_id=CALL, agent_id=AGENT, input={"c": 1}),
        [
            e.PermissionAsked(
                "r1",
                CALL,
                "Bash",
                {"c": 1},
                AGENT,
                {
                    "subtype": "can_use_tool",
                    "tool_name": "Bash",
                    "tool_use_id": CALL,
                    "agent_id": AGENT,
                    "input": {"c": 1},
                },
            )
        ],
    ),
    "hook": (
        control("hook_callback", input={"hook_event_name": "PostToolUse", "tool_use_id": CALL}),
        [
            e.HookFired(
                "r1", "PostToolUse", {"hook_event_name": "PostToolUse", "tool_use_id": CALL}, CALL
            )
        ],
    ),
    "elicitation": (
        control("elicitation", message="m"),
        [e.ElicitationAsked("r1", {"subtype": "elicitation", "message": "m"})],
    ),
    "dialog": (
        control("request_user_dialog", dialog_kind="k"),
        [e.DialogAsked("r1", {"subtype": "request_user_dialog", "dialog_kind": "k"})],
    ),
    "withdrawn": (
        {"type": "control_cancel_request", "request_id": "r1"},
        [e.ControlWithdrawn("r1")],
    ),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frame(name: str) -> None:
    frame, events = FRAMES[name]
    decoder = Decoder()
    assert decoder.decode(frame) == events
    assert decoder.unknown == {}


@pytest.mark.parametrize("kind", sorted(SILENT))
def test_what_says_nothing_is_no_surprise(kind: str) -> None:
    type_, _, subtype = kind.partition("/")
    frame = {"type": type_, **({"subtype": subtype} if subtype else {})}
    decoder = Decoder()
    assert decoder.decode(frame) == []
    assert decoder.unknown == {}


# --- what nobody knows --------------------------------------------------------------------------

UNKNOWN = {
    "brand_new_event": {"type": "brand_new_event"},
    "brand_new_event/sub": {"type": "brand_new_event", "subtype": "sub"},
    "system/brand_new": system("brand_new"),
    "control_request/brand_new": control("brand_new"),
    "?": {"no": "type"},
    "stream/brand_new": {"type": "stream_event", "event": {"type": "brand_new"}},
    "stream/brand_new_block": {
        "type": "assistant",
        "message": {"id": "m", "content": [{"type": "brand_new_block"}]},
    },
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_b13_an_unknown_kind_is_logged_once(name: str, caplog: pytest.LogCaptureFixture) -> None:
    decoder = Decoder()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            decoder.decode(UNKNOWN[name])
    assert [record.getMessage() for record in caplog.records] == [
        f"skipped a frame of an unknown kind: {name}"
    ]
    assert decoder.unknown == {name: 3}


def test_b13_an_unknown_block_does_not_hide_the_rest_of_its_message() -> None:
    content = [{"type": "text", "text": "before"}, {"type": "brand_new"}, TEXT]
    frame = {"type": "assistant", "message": {"id": "m", "content": content}}
    words = [x.text for x in Decoder().decode(frame) if isinstance(x, e.TextCame)]
    assert words == ["before", "hello"]


def test_unknown_kinds_are_bounded(caplog: pytest.LogCaptureFixture) -> None:
    decoder = Decoder()
    with caplog.at_level(logging.CRITICAL):
        for number in range(1000):
            decoder.decode({"type": f"kind {number} {'x' * 1000}"})
    assert len(decoder.unknown) == 256
    assert max(map(len, decoder.unknown)) == 120


# --- records that come again ----------------------------------------------------------------------


def test_records_that_a_compaction_repeats_count_once() -> None:
    """Claude Code sends what it keeps of the conversation again, under the same ids."""
    call = {"type": "tool_use", "id": CALL, "name": "Bash", "input": {}}
    spoken = {"type": "assistant", "uuid": "u1", "message": {"id": "m", "content": [TEXT, call]}}
    answered = user([TOOL_RESULT], uuid="u2")
    decoder = Decoder()
    assert len(decoder.decode(spoken)) == 3
    assert len(decoder.decode(answered)) == 1
    assert decoder.decode(spoken) == []
    assert decoder.decode(answered) == []


def test_records_without_an_id_are_all_different() -> None:
    decoder = Decoder()
    frame = {"type": "assistant", "message": {"id": "m", "content": [TEXT]}}
    assert decoder.decode(frame) == decoder.decode(frame)
