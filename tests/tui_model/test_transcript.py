"""How a transcript grows: joined text, merged tool calls, nothing lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_shared.content import ImageContent, UnknownContent
from canopy_tui.model.entries import (
    AnyEntry,
    CompactionEntry,
    MessageEntry,
    NoticeEntry,
    PlanEntry,
    Role,
)
from canopy_tui.model.toolcalls import OUTPUT_LIMIT
from fakes.agent import said, tool, tool_update
from tui_model.reducing import Story, kinds


def test_pieces_of_one_message_join_and_a_new_id_opens_a_new_entry() -> None:
    story = Story()
    story.prompt()
    for text, message in [("one ", "m1"), ("two", "m1"), ("three", "m2"), ("no id", None)]:
        story.says(text, message)
    assert story.messages() == ["one two", "three", "no id"]


def test_a_thought_and_an_answer_of_one_message_stay_apart() -> None:
    story = Story()
    story.prompt()
    story.update("S", {**said("hm"), "sessionUpdate": "agent_thought_chunk"})
    story.says("so")
    story.update("S", {**said("hm hm"), "sessionUpdate": "agent_thought_chunk"})
    roles = [entry.role for entry in story.entries() if isinstance(entry, MessageEntry)]
    assert roles == [Role.USER, Role.THOUGHT, Role.AGENT, Role.THOUGHT]


def test_text_after_a_tool_call_is_below_it() -> None:
    story = Story()
    story.prompt()
    story.says("before")
    story.update("S", tool("t1"))
    story.says("after")
    assert kinds(story.entries()) == ["message", "message", "tool", "message"]


def test_a_child_that_begins_in_the_middle_of_a_sentence_does_not_split_it() -> None:
    story = Story()
    story.prompt()
    story.says("I am wri")
    story.update(
        "S",
        {
            "sessionUpdate": "subagent_spawned",
            "subagentSessionId": "a1",
            "name": "x",
            "task": "y",
            "capabilities": {},
        },
    )
    story.says("ting")
    assert story.messages() == ["I am writing"]


def test_a_message_is_settled_when_no_more_text_can_come() -> None:
    story = Story()
    story.prompt()
    story.says("text")
    entry = story.entries()[-1]
    assert isinstance(entry, MessageEntry)
    assert not entry.settled
    story.turn_ends()
    assert entry.settled


def test_pictures_keep_their_place_between_texts() -> None:
    story = Story()
    story.prompt()
    story.says("a")
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    story.update("S", {**said(""), "content": picture})
    story.says("b")
    first, second = [e for e in story.entries() if isinstance(e, MessageEntry)][1:]
    assert (first.text, len(first.extras), second.text) == ("a", 1, "b")
    assert isinstance(first.extras[0], ImageContent)


def test_a_blank_piece_makes_no_entry() -> None:
    story = Story()
    story.prompt()
    story.says("")
    assert kinds(story.entries()) == ["message"]


texts = st.text(alphabet=st.characters(codec="utf-8"), max_size=200)


@given(text=texts, cuts=st.lists(st.integers(0, 200), max_size=20))
def test_text_equals_what_was_sent_whatever_the_pieces(text: str, cuts: list[int]) -> None:
    story = Story()
    story.prompt()
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(edges):
        story.says(text[start:end])
    assert "".join(story.messages()) == text
    assert len(story.messages()) <= 1


# --- tool calls -----------------------------------------------------------------------------------


def test_a_tool_call_merges_its_updates() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("t1", "Read File", rawInput={}))
    story.update("S", tool_update("t1", title="Read a.txt", rawInput={"file_path": "/a"}))
    story.update("S", tool_update("t1", status="completed", rawOutput="text"))
    entry = story.tool("t1")
    assert (entry.title, entry.status, entry.raw_input) == (
        "Read a.txt",
        "completed",
        {"file_path": "/a"},
    )
    assert entry.ended_at is not None
    assert len(story.entries()) == 2


def test_a_request_does_not_blank_the_input_that_is_known() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("t1", rawInput={"command": "ls"}))
    for blank in ({}, None):
        story.update("S", tool_update("t1", rawInput=blank))
    assert story.tool("t1").raw_input == {"command": "ls"}


@pytest.mark.parametrize("late", ["pending", "in_progress"])
def test_a_call_that_ended_does_not_start_again(late: str) -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("t1"))
    story.update("S", tool_update("t1", status="completed"))
    story.update("S", tool_update("t1", status=late))
    story.update("S", tool("t1", status=late))
    assert story.tool("t1").status == "completed"
    assert len(story.entries()) == 2


def test_an_update_that_overtook_its_call_creates_it() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool_update("t1", status="completed", title="Read b.txt"))
    story.update("S", tool("t1", "Read File", name="Read", rawInput={"file_path": "/b"}))
    entry = story.tool("t1")
    assert (entry.title, entry.status, entry.name) == ("Read b.txt", "completed", "Read")
    assert entry.raw_input == {"file_path": "/b"}
    assert len(story.entries()) == 2


def test_terminal_output_arrives_whole_or_in_pieces() -> None:
    story = Story()
    story.prompt()
    info = {"terminal_info": {"terminal_id": "t1"}}
    story.update("S", tool("t1", content=[{"type": "terminal", "terminalId": "t1"}], _meta=info))
    for piece in ("one\n", "two\n"):
        meta = {"terminal_output_delta": {"terminal_id": "t1", "data": piece}}
        story.update("S", tool_update("t1", _meta=meta))
    entry = story.tool("t1")
    assert (entry.output, entry.exited) == ("one\ntwo\n", False)
    meta = {
        "terminal_output": {"terminal_id": "t1", "data": "all"},
        "terminal_exit": {"terminal_id": "t1", "exit_code": 3, "signal": None},
    }
    story.update("S", tool_update("t1", status="failed", _meta=meta))
    assert (entry.output, entry.exited, entry.exit_code) == ("all", True, 3)


def test_endless_terminal_output_keeps_its_end() -> None:
    story = Story()
    story.prompt()
    for piece in ("a" * OUTPUT_LIMIT, "the end"):
        meta = {"terminal_output_delta": {"terminal_id": "t1", "data": piece}}
        story.update("S", tool_update("t1", _meta=meta))
    entry = story.tool("t1")
    assert len(entry.output) == OUTPUT_LIMIT
    assert entry.output.endswith("athe end")


def test_calls_left_open_by_a_stopped_turn_are_closed_but_those_in_the_background_are_not() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("t1"))
    story.update("S", tool("t2"))
    story.update(
        "S",
        {
            "sessionUpdate": "async_task_spawned",
            "asyncTaskId": "b",
            "name": "npm",
            "taskType": "shell",
            "toolCallId": "t2",
        },
    )
    story.turn_ends("cancelled")
    assert (story.tool("t1").status, story.tool("t2").status) == ("failed", "pending")


class Read(list[AnyEntry]):
    """Entries that count how often one is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        self.looks += len(range(*index.indices(len(self)))) if isinstance(index, slice) else 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[AnyEntry]:
        for entry in super().__iter__():
            self.looks += 1
            yield entry


def test_stopping_a_turn_looks_only_at_its_open_calls() -> None:
    story = Story()
    entries = story.view().entries = Read()
    needed = []
    for turn in range(60):
        story.prompt()
        for call in range(20):
            story.update("S", tool(f"{turn}-{call}", status="completed"))
        story.update("S", tool(f"{turn}-open"))
        entries.looks = 0
        story.turn_ends("cancelled")
        needed.append(entries.looks)
    assert story.tool("59-open").status == "failed"
    assert max(needed) == needed[0]


# --- other entries --------------------------------------------------------------------------------


def test_the_plan_is_replaced_in_place() -> None:
    story = Story()
    story.prompt()
    step = {"content": "read", "status": "pending", "priority": "medium"}
    story.update("S", {"sessionUpdate": "plan", "entries": [step]})
    story.says("text")
    story.update("S", {"sessionUpdate": "plan", "entries": [{**step, "status": "completed"}]})
    plans = [entry for entry in story.entries() if isinstance(entry, PlanEntry)]
    assert [[step.status for step in plan.steps] for plan in plans] == [["completed"]]
    assert plans[0].revision == 2


def test_an_equal_plan_changes_nothing() -> None:
    story = Story()
    step = {"content": "read", "status": "pending"}
    story.update("S", {"sessionUpdate": "plan", "entries": [step]})
    touched = story.update("S", {"sessionUpdate": "plan", "entries": [step]})
    assert touched.entries == set()


def test_a_plan_document_is_shown_as_text() -> None:
    story = Story()
    plan = {"type": "markdown", "planId": "p", "content": "# Plan"}
    story.update("S", {"sessionUpdate": "plan_update", "plan": plan})
    [entry] = story.entries()
    assert isinstance(entry, PlanEntry)
    assert entry.document == "# Plan"


def test_a_compaction_is_one_entry_from_its_start_to_its_end() -> None:
    story = Story()
    compaction = {"sessionUpdate": "compaction_update", "compactionId": "c"}
    story.update("S", {**compaction, "status": "in_progress"})
    piece = {"type": "text", "text": "The user asked"}
    kind = "compaction_summary_chunk"
    story.update("S", {"sessionUpdate": kind, "compactionId": "c", "content": piece})
    facts = {"trigger": "manual", "preTokens": 200_000, "postTokens": 20_000, "durationMs": 9000}
    meta = {"jetbrains": {"air": {"version": 1, "contextCompaction": facts}}}
    story.update("S", {**compaction, "status": "completed", "_meta": meta})
    story.update("S", {**compaction, "status": "failed", "error": "late"})
    (entry,) = story.entries()
    assert isinstance(entry, CompactionEntry)
    assert (entry.status, entry.summary, entry.error) == ("completed", "The user asked", "")
    assert (entry.before, entry.after, entry.seconds) == (200_000, 20_000, 9.0)


# --- B82: what the client does not know -----------------------------------------------------------


UNKNOWN = {
    "terminal id": tool_update("t9", content=[{"type": "terminal", "terminalId": "nobody"}]),
    "content type": said("", content={"type": "hologram", "data": 1}),
    "tool content type": tool_update("t1", content=[{"type": "hologram"}]),
    "update kind": {"sessionUpdate": "brand_new", "value": 1},
    "tool call": tool_update("t77", status="completed"),
    "session": {"sessionUpdate": "subagent_state_update", "subagentSessionId": "x", "state": "?"},
    "missing fields": {"sessionUpdate": "tool_call"},
    "missing content": {"sessionUpdate": "agent_message_chunk"},
    "extra fields": {**tool_update("t1", status="completed"), "zzz": [1]},
    "null lists": tool_update("t1", content=None, locations=None, title=None, status=None),
    "null plan": {"sessionUpdate": "plan", "entries": None},
    "null commands": {"sessionUpdate": "available_commands_update", "availableCommands": None},
    "null options": {"sessionUpdate": "config_option_update", "configOptions": None},
    "wrong types": {"sessionUpdate": "usage_update", "used": "x", "size": []},
    "no child id": {"sessionUpdate": "subagent_spawned"},
    "no update": {},
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_b82_unknown_parts_are_no_reason_to_drop_known_ones(what: str) -> None:
    story = Story()
    story.prompt()
    story.says("before ")
    story.update("S", tool("t1", content=[]))
    story.update("S", UNKNOWN[what])
    story.says("after", "m2")
    story.update("S", tool_update("t1", status="completed"))
    assert story.messages()[0] == "before "
    assert story.messages()[-1] == "after"
    assert story.tool("t1").status == "completed"


def test_b82_unknown_content_has_a_placeholder() -> None:
    story = Story()
    story.update("S", UNKNOWN["content type"])
    [entry] = story.entries()
    assert isinstance(entry, MessageEntry)
    assert isinstance(entry.extras[0], UnknownContent)


def test_b82_an_unknown_kind_is_told_once() -> None:
    story = Story()
    for _ in range(3):
        story.update("S", {"sessionUpdate": "brand\x1b[31m_new"})
    [entry] = story.entries()
    assert isinstance(entry, NoticeEntry)
    assert "brand" in entry.title
    assert "\x1b" not in entry.title
