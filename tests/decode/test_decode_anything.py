"""Frames with any field of any type: a wrong type is an absent value, never an error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from canopy_agent.claude import fields
from canopy_agent.claude.decode import Decoder
from canopy_agent.domain import events as e
from canopy_agent.domain.session import step
from canopy_agent.domain.state import Policy, new_state

KEYS = (
    *("type", "subtype", "uuid", "parent_tool_use_id", "tool_use_id", "task_id", "run_id", "state"),
    *("message", "content", "event", "index", "delta", "content_block", "id", "name", "input"),
    *("usage", "modelUsage", "result", "errors", "origin", "kind", "num_turns", "total_cost_usd"),
    *("user_message_uuid", "user_message_uuids", "tool_use_result", "tool_result_meta", "patch"),
    *("tasks", "request_id", "request", "command_uuid", "text", "thinking", "partial_json"),
    *(
        "isReplay",
        "isSynthetic",
        "status",
        "compact_metadata",
        "memories",
        "capabilities",
        "source",
    ),
    *("model_usage_since_last_result", "stop_details", "rate_limit_info", "value", "attempt"),
)
KINDS = (
    *("stream_event", "assistant", "user", "system", "command_lifecycle", "conversation_reset"),
    *("tool_progress", "rate_limit_event", "prompt_suggestion", "result", "control_request"),
    *("control_cancel_request", "active_goal", "message_start", "content_block_start"),
    *("content_block_delta", "message_delta", "text_delta", "thinking_delta", "input_json_delta"),
    *("text", "thinking", "tool_use", "tool_result", "mcp_tool_result", "image", "init", "status"),
    *("task_started", "task_updated", "task_notification", "background_tasks_changed"),
    *("permission_denied", "compact_boundary", "memory_recall", "informational", "api_retry"),
    *("can_use_tool", "hook_callback", "elicitation", "request_user_dialog", "requesting"),
    *("session_state_changed", "local_command_output", "task_progress", "compacting"),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.sampled_from(["", "x", "completed", "idle"]),
    st.sampled_from(KINDS),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=20,
)
FRAME = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    st.one_of(st.sampled_from(KINDS), SCALARS),
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8),
)


@given(st.lists(FRAME, max_size=6))
@example([{"type": "stream_event", "event": {"type": "content_block_delta", "index": [1]}}])
@example([{"type": "stream_event", "event": {"type": "content_block_start", "index": {}}}])
@example([{"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": []}]}}])
@settings(
    max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_no_frame_raises_and_no_event_does(frames: list[dict[str, Any]]) -> None:
    decoder, state = Decoder(), new_state("S", Policy())
    for frame in frames:
        for event in decoder.decode(frame):
            step(state, event)


SPOILT = {
    "text": (fields.text, {"x": "x", "": "", 3: None, None: None}),
    "ident": (fields.ident, {"x": "x", "": None, 3: None}),
    "flag": (fields.flag, {True: True, "true": None, None: None}),
    "count": (fields.count, {3: 3, 3.5: None, "3": None}),
    "number": (fields.number, {3: 3, 3.5: 3.5, float("inf"): None, "3": None}),
}


@pytest.mark.parametrize("name", SPOILT)
def test_fields(name: str) -> None:
    read, cases = SPOILT[name]
    assert {value: read(value) for value in cases} == cases


def test_fields_that_are_not_what_they_look_like() -> None:
    assert fields.count(True) is None
    assert fields.number(True) is None
    assert fields.number(float("nan")) is None
    assert fields.section([1]) == {}
    assert fields.items({"a": 1}) == ()
    assert fields.items([{"a": 1}, 3, None]) == ({"a": 1},)
    assert fields.texts(["a", 3]) == ("a",)
    assert fields.texts("abc") == ()


@pytest.mark.parametrize("parent", [None, "", 3, {}])
def test_no_parent_is_the_main_conversation(parent: Any) -> None:
    delta = {"type": "text_delta", "text": "x"}
    frames = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    ]
    decoder = Decoder()
    events = [
        event
        for frame in frames
        for event in decoder.decode(
            {"type": "stream_event", "parent_tool_use_id": parent, "event": frame}
        )
    ]
    assert events == [e.TextCame(None, "x", None)]
