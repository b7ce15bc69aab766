"""History of the main conversation, as a client gets it before the answer to ``session/load``."""

from __future__ import annotations

from pathlib import Path

import pytest

from canopy_shared.ext import air
from store.playing import AIR, FLAT, RFD, played
from store.writing import Transcript


async def test_20_everything_that_was_said_and_done_comes_in_order(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    asked = t.user([{"type": "text", "text": "question"}])
    t.block("msg_1", {"type": "thinking", "thinking": "hm", "signature": "x"})
    t.says("I look.", "msg_1")
    t.calls("Read", "t1", "msg_1", file_path="/home/somebody/project/a.txt")
    t.returns("t1", "1\talpha")
    t.says("Alpha.", "msg_2")
    sent = await played(t, FLAT)
    assert sent.said() == ["m:question", "t:hm", "m:I look.", "+t1", "-t1:completed", "m:Alpha."]
    user, thought, text = sent.of()[:3]
    assert user["messageId"] == asked
    assert thought["messageId"] == text["messageId"] == "msg_1"
    call = sent.of(kind="tool_call")[0]
    assert call["rawInput"] == {"file_path": "/home/somebody/project/a.txt"}
    assert call["title"] == "Read a.txt"
    assert sent.after == []


async def test_b34_answers_in_a_row_have_ids_of_their_own_each_time(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("q")
    for number in range(3):
        t.says("part one ", f"msg_{number}")
        t.says("part two", f"msg_{number}")
    first, second = await played(t, FLAT), await played(t, FLAT)
    ids = [update["messageId"] for update in first.of(kind="agent_message_chunk")]
    assert ids == ["msg_0", "msg_0", "msg_1", "msg_1", "msg_2", "msg_2"]
    assert first.before == second.before


async def test_22_the_request_to_sign_in_is_not_history(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("q")
    t.says("Not logged in · Please run /login", inside={"model": "<synthetic>"})
    t.says("an answer")
    sent = await played(t, AIR)
    assert sent.said() == ["m:q", "m:an answer", "session_info_update"]
    last = sent.of()[-1]
    assert last == {
        "sessionUpdate": "session_info_update",
        "_meta": air.wrap(loadReplayEnd=True),
    }


async def test_a_prompt_sent_during_a_turn_and_a_picture_are_shown(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    picture = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    t.user([{"type": "text", "text": "look"}, {"type": "image", "source": picture}])
    t.record(
        "attachment",
        attachment={
            "type": "queued_command",
            "commandMode": "prompt",
            "prompt": [{"type": "text", "text": "and that"}],
            "source_uuid": "prompt-2",
        },
    )
    chunks = (await played(t, FLAT)).of(kind="user_message_chunk")
    assert [chunk["content"]["type"] for chunk in chunks] == ["text", "image", "text"]
    assert chunks[2]["messageId"] == "prompt-2"


async def test_a_call_without_a_result_ends_unless_it_runs_now(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("q")
    t.calls("Bash", "t1", "msg_1", command="sleep 9")
    t.calls("Bash", "t2", "msg_1", command="sleep 8")
    assert (await played(t, FLAT)).said()[1:] == ["+t1", "+t2", "-t2:failed", "-t1:failed"]
    live = await played(t, FLAT, open_calls=("t1", "t2"))
    assert live.said()[1:] == ["+t1", "+t2"]


async def test_a_background_command_of_old_has_ended(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("q")
    t.calls("Bash", "t1", command="serve", run_in_background=True)
    t.returns("t1", "running", toolUseResult={"backgroundTaskId": "b1", "stdout": ""})
    sent = await played(t, {"_meta": {"terminal_output": True}})
    assert any("terminal_exit" in update.get("_meta", {}) for update in sent.of())


async def test_lines_that_cannot_be_read_are_counted_and_told(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one")
    t.raw(b'{"type":"user","uuid":\n\x00\x01\n')
    t.says("two")
    sent = await played(t, RFD)
    assert sent.said() == ["m:one", "m:two", "notice"]
    notice = sent.of(kind="notice")[0]
    assert notice["severity"] == "warning"
    assert "2 lines" in notice["description"]
    assert "2 lines" in (await played(t, FLAT)).said()[-1]


async def test_foreign_shapes_do_not_stop_a_replay(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("one")
    for message in (None, 7, {"content": 3}, {"content": [None, 4, {"type": 5}, {"type": "text"}]}):
        t.record("user", message=message)
        t.record("assistant", message=message)
    t.record("assistant", message={"id": 3, "content": [{"type": "tool_use", "id": 1}]})
    t.block("msg_1", {"type": "tool_use", "id": "t1", "name": "Read", "input": "no object"})
    t.block("msg_1", {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": 3}})
    t.returns("t1", {"not": "blocks"}, toolUseResult=["x"])
    t.record("attachment", attachment="text")
    t.says("two")
    sent = await played(t, FLAT)
    assert sent.said()[0] == "m:one"
    assert "m:two" in sent.said()


async def test_a_compaction_is_told_as_the_client_wants_it(tmp_path: Path) -> None:
    summary = (
        "This session is being continued from a previous conversation that ran out of context. "
        "The summary below covers the earlier portion of the conversation.\n\nSummary:\nIt rained."
    )
    t = Transcript(tmp_path)
    before = t.user("before")
    t.record("system", parent=None, subtype="compact_boundary", logicalParentUuid=before)
    t.user(summary, isCompactSummary=True)
    t.says("after")
    assert [s[:10] for s in (await played(t, FLAT)).said()] == ["m:before", "m:This ses", "m:after"]
    told = await played(t, {"session": {"compaction": {}}})
    assert told.said() == ["m:before", "compaction_update", "m:after"]
    update = told.of(kind="compaction_update")[0]
    assert update["status"] == "completed"
    assert update["summary"][0]["text"] == "It rained."


async def test_a_usage_limit_of_old_is_a_record_where_the_client_takes_records(
    tmp_path: Path,
) -> None:
    t = Transcript(tmp_path)
    asked = t.user("q")
    t.says("You've hit your limit · resets 3pm", inside={"model": "<synthetic>"})
    records = {"_meta": air.client_meta(air.SESSION_FAILURE)}
    sent = await played(t, records)
    assert sent.said() == ["m:q", "session_info_update"]
    assert f"{asked}:error" in str(sent.of()[-1])
    assert (await played(t, FLAT)).said() == ["m:q", "m:You've hit your limit · resets 3pm"]


async def test_the_task_list_is_shown_as_it_grew(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("q")
    t.calls("TaskCreate", "t1", subject="First", description="x")
    t.returns("t1", "Task #1 created successfully: First")
    t.calls("TaskUpdate", "t2", taskId="1", status="completed")
    t.returns("t2", "Updated task #1 status")
    plans = (await played(t, FLAT)).of(kind="plan")
    assert [plan["entries"][0]["status"] for plan in plans] == ["pending", "completed"]


@pytest.mark.parametrize("capabilities", [FLAT, RFD, AIR])
async def test_b33_a_long_session_is_told_to_its_end(tmp_path: Path, capabilities: dict) -> None:
    t = Transcript(tmp_path)
    for number in range(700):
        t.user(f"question {number}")
        t.calls("Bash", f"t{number}", command="cat")
        t.returns(f"t{number}", "x" * 2000)
        t.says(f"answer {number}")
    sent = await played(t, capabilities)
    words = [s for s in sent.said() if s.startswith("m:")]
    assert words == [f"m:{who} {n}" for n in range(700) for who in ("question", "answer")]
