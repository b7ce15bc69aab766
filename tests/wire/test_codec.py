"""Wire classes and JSON: what goes out comes back, and what comes in odd is never an exception."""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import pytest
from acp import schema
from hypothesis import given
from hypothesis import strategies as st

from canopy_shared import content as c
from canopy_shared import updates as u
from canopy_shared import work_updates as w
from canopy_shared.codec import decode_session_update, decode_update, encode, wire_name
from canopy_shared.unset import UNSET

TEXT = c.TextContent("hello")
CHOICE = u.ConfigChoice("default", "Manual", "Asks", {"jetbrains": {}})

SAMPLES: list[Any] = [
    u.UserMessageChunk(TEXT, "m"),
    u.AgentMessageChunk(TEXT, None),
    u.AgentThoughtChunk(c.ImageContent("aGk=", "image/png"), UNSET, {"claudeCode": {}}),
    u.ToolCallStart(
        "t1",
        "Read a",
        "Read",
        "read",
        "pending",
        (c.ToolContent(TEXT), c.Diff("/a", "new", None), c.TerminalRef("t1")),
        (c.Location("/a", 3), c.Location("/b")),
        {"x": [1, None]},
        "out",
    ),
    u.ToolCallUpdate("t1", status="completed", content=None, raw_output=None),
    u.Plan((u.PlanEntry("do it", "pending"),)),
    u.PlanDocument({"type": "markdown", "planId": "p", "content": "# Plan"}),
    u.AvailableCommandsUpdate((u.Command("mcp", "MCP", {"hint": "x"}), u.Command("c", "d", None))),
    u.CurrentModeUpdate("plan"),
    u.ConfigOptionUpdate((u.ConfigOption("mode", "Mode", "select", "default", options=(CHOICE,)),)),
    u.SessionInfoUpdate("Title", "2026-01-01T00:00:00Z"),
    u.UsageUpdate(5, 200, {"amount": 0.5, "currency": "USD"}),
    u.Notice("info", "Hello", "More"),
    u.CompactionUpdate("c1", "completed", (TEXT,)),
    u.CompactionSummaryChunk("c1", TEXT),
    u.SubagentSpawned("a1", "Kid", "Task", {"cancel": {}}, "Prompt"),
    u.SubagentStateUpdate("a1", "completed"),
    u.SubagentUpdate("a1", "Title", state={"state": "running"}, cwd=None),
    u.SessionMessage("m1", "S", "a1", (TEXT,), recipient_message_id="m1"),
    u.AsyncTaskSpawned("b1", "sleep", "shell", can_stop=True, tool_call_id="t1"),
    u.AsyncTaskProgress("b1", usage={"totalTokens": 1}),
    u.AsyncTaskStateUpdate("b1", "stopped"),
    w.StateUpdate("idle", "end_turn", background=({"type": "subagent", "sessionId": "a1"},)),
    w.UserMessage("m", (TEXT,)),
    w.AgentMessage("m", ()),
    w.AgentThought("m", None),
    w.TerminalUpdate("t1", "ls", exit_status={"exitCode": 0}, capabilities={"cancel": {}}),
    w.TerminalOutputChunk("t1", "aGk="),
    u.ToolCallUpdate(
        "t2",
        content=(c.PatchDiff(({"operation": "add", "path": "/a"},)),),
        capabilities={"cancel": {}},
    ),
]


def test_every_kind_of_update_has_a_sample() -> None:
    kinds = {cls for cls in get_args(u.Update) if cls is not u.UnknownUpdate}
    assert {type(sample) for sample in SAMPLES} == kinds


@pytest.mark.parametrize("update", SAMPLES, ids=lambda sample: type(sample).__name__)
def test_what_goes_out_comes_back(update: Any) -> None:
    assert decode_update(encode(update)) == update


PUBLIC = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
}


@pytest.mark.parametrize(
    "update",
    [sample for sample in SAMPLES if type(sample).TAG[1] in PUBLIC],
    ids=lambda sample: type(sample).__name__,
)
def test_the_public_schema_takes_what_it_knows(update: Any) -> None:
    schema.SessionNotification.model_validate({"sessionId": "s", "update": encode(update)})


def test_absent_null_and_value_are_three_things() -> None:
    wire = encode(u.ToolCallUpdate("t", title=None, kind="read"))
    assert wire == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t",
        "title": None,
        "kind": "read",
    }
    assert decode_update(wire).status is UNSET  # type: ignore[union-attr]


def test_names() -> None:
    assert wire_name("tool_call_id") == "toolCallId"
    assert wire_name("meta") == "_meta"


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
KINDS = [type(sample).TAG[1] for sample in SAMPLES] + ["from_the_future"]


@given(st.sampled_from(KINDS), st.data())
def test_b82_odd_fields_never_raise(kind: str, data: st.DataObject) -> None:
    sample = next((s for s in SAMPLES if type(s).TAG[1] == kind), SAMPLES[0])
    names = [wire_name(field.name) for field in dataclasses.fields(sample)]
    fields = data.draw(
        st.dictionaries(st.sampled_from(names) | st.text(max_size=6), ODD, max_size=5)
    )
    update = decode_update({**fields, "sessionUpdate": kind})
    encode(update)


@pytest.mark.parametrize("params", [None, 5, [], {}, {"sessionId": 5}])
def test_an_update_without_a_session_is_none(params: Any) -> None:
    assert decode_session_update(params) is None


@pytest.mark.parametrize("update", [None, 5, [], {}, {"sessionUpdate": 7}])
def test_an_update_that_is_none_is_kept_as_unknown(update: Any) -> None:
    read = decode_session_update({"sessionId": "s", "update": update})
    assert read is not None
    assert isinstance(read.update, u.UnknownUpdate)


def test_unknown_content_keeps_its_raw_form() -> None:
    wire = {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "title": "T",
        "content": [
            {"type": "hologram", "x": 1},
            None,
            {"type": "content", "content": {"type": "n"}},
        ],
    }
    call = decode_update(wire)
    assert isinstance(call, u.ToolCallStart)
    assert call.content == (
        c.UnknownContent("hologram", {"type": "hologram", "x": 1}),
        c.ToolContent(c.UnknownContent("n", {"type": "n"})),
    )
