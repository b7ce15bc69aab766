"""Subagents of a stored session: subagent scenarios 69 to 72, and fault B31."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.history.agents import StoredAgent
from canopy_agent.history.texts import Notification
from canopy_agent.session.live_children import LiveChild
from canopy_agent.session.replay_children import Outcome, ReplayedChild, outcome
from store.playing import AIR, FLAT, RFD, WHOLE, played
from store.writing import Transcript

FG, BG, NESTED = "a1111111", "a2222222", "a3333333"
LAUNCHED = {"isAsync": True, "status": "async_launched", "agentId": BG}


def notice(task: str, call: str, status: str = "completed") -> str:
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
        f"<status>{status}</status>\n</task-notification>"
    )


def crew(folder: Path) -> Transcript:
    """A foreground agent with a nested one, and a background agent."""
    t = Transcript(folder)
    t.user("go")
    t.calls("Agent", "t1", "msg_1", description="Front", prompt="read", run_in_background=False)
    t.calls("Agent", "t2", "msg_1", description="Back", prompt="dig", subagent_type="Explore")
    t.returns("t2", "Async agent launched", toolUseResult=LAUNCHED)
    t.returns("t1", "Front is done.", toolUseResult={"status": "completed", "agentId": FG})
    t.row(type="queue-operation", operation="enqueue", content=notice(BG, "t2"))
    t.says("All done.")
    front = t.child(FG, {"toolUseId": "t1", "agentType": "general-purpose", "finished": True})
    front.user("read")
    front.says("Front reads.", "msg_f1")
    front.calls("Agent", "t3", "msg_f1", description="Inner", prompt="look")
    front.returns("t3", "Inner is done.", toolUseResult={"status": "completed"})
    front.says("Front is done.", "msg_f2")
    inner = t.child(NESTED, {"toolUseId": "t3", "parentAgentId": FG, "finished": True})
    inner.user("look")
    inner.calls("Read", "t4", file_path="/x")
    inner.returns("t4", "x")
    inner.says("Inner is done.")
    back = t.child(BG, {"toolUseId": "t2", "agentType": "Explore", "finished": True})
    back.user("dig")
    back.says("Back is done.")
    return t


END = {"state": "idle", "stopReason": "end_turn"}


async def test_69_rfd_children_come_under_their_live_ids_with_messages_and_ends(
    tmp_path: Path,
) -> None:
    t = crew(tmp_path)
    sent = await played(t, RFD)
    s = t.id
    running = {"state": "running"}
    assert sent.said() == [
        "m:go",
        f"child:{FG}:{running}",
        f"{s}>{FG}:read",
        f"child:{BG}:{running}",
        f"{s}>{BG}:dig",
        f"{FG}>{s}:Front is done.",
        "m:All done.",
        f"child:{BG}:{END}",
        f"child:{FG}:{END}",
    ]
    assert sent.said(FG) == [
        f"{s}>{FG}:read",
        "m:Front reads.",
        f"child:{NESTED}:{running}",
        f"{FG}>{NESTED}:look",
        f"{NESTED}>{FG}:Inner is done.",
        "m:Front is done.",
        f"child:{NESTED}:{END}",
    ]
    assert sent.said(NESTED) == [
        f"{FG}>{NESTED}:look",
        "+t4",
        "-t4:completed",
        "m:Inner is done.",
    ]
    reports = sent.of(kind="subagent_update")
    assert reports[0]["title"] == "Front"
    assert (reports[1]["title"], reports[1]["description"]) == ("Back", "Explore")
    assert not any("capabilities" in report for report in reports)
    states = [(where, u["sessionId"], u["state"]) for where, u in sent.after if "state" in u]
    assert states == [(s, FG, END), (FG, NESTED, END), (s, BG, END)]


async def test_70_a_child_that_runs_now_has_no_end_and_can_be_cancelled_after_the_answer(
    tmp_path: Path,
) -> None:
    t = crew(tmp_path)
    sent = await played(t, RFD, live={BG: LiveChild(BG, "running"), FG: LiveChild(FG)})
    ended = [u["sessionId"] for u in sent.of(kind="subagent_update") if u["state"] == END]
    assert ended == [FG]
    now = [u for _, u in sent.after if u.get("sessionId") == BG]
    assert [(u["state"], u["capabilities"]) for u in now] == [
        ({"state": "running"}, {"cancel": {}})
    ]


async def test_71_a_launch_without_a_sidecar_stays_a_call_and_its_agent_is_shown_apart(
    tmp_path: Path,
) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", description="Front", prompt="read")
    t.returns("t1", "Front is done.")
    t.says("Done.")
    orphan = t.child("a0fb889f7fa64e4ce", None)
    orphan.user("read")
    orphan.says("Front reads.")
    t.child("acompact-1c2d", None).user("summarise")
    sent = await played(t, RFD)
    assert sent.said() == [
        "m:go",
        "+t1",
        "-t1:completed",
        "m:Done.",
        "child:a0fb889f7fa64e4ce:{'state': 'running'}",
        "child:a0fb889f7fa64e4ce:{'state': 'unknown'}",
        "notice",
    ]
    assert sent.said("a0fb889f7fa64e4ce") == [f"{t.id}>a0fb889f7fa64e4ce:read", "m:Front reads."]
    assert [u["severity"] for u in sent.of(kind="notice")] == ["info"]
    apart = await played(t, AIR)
    assert apart.said()[-3:] == [
        "spawned:Disconnected agent",
        "ended:disconnected",
        "session_info_update",
    ]
    assert (await played(t, FLAT)).said() == ["m:go", "+t1", "-t1:completed", "m:Done."]


async def test_71_a_worktree_that_is_gone_is_taken_back_after_the_answer(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="read")
    gone = str(tmp_path / "gone")
    kid = t.child(FG, {"toolUseId": "t1", "worktreePath": gone})
    kid.cwd = gone
    kid.user("read")
    sent = await played(t, RFD, cwd=str(tmp_path))
    assert sent.of(kind="subagent_update")[0]["cwd"] == gone
    ((_, last),) = [one for one in sent.after if one[1].get("sessionId") == FG]
    assert last["cwd"] is None


async def test_72_air_children_are_spawned_and_ended_and_the_end_is_marked(tmp_path: Path) -> None:
    t = crew(tmp_path)
    sent = await played(t, AIR)
    front, back, inner = (f"{t.id}:replay-subagent:{call}" for call in ("t1", "t2", "t3"))
    assert sent.said() == [
        "m:go",
        "spawned:Front",
        "spawned:Back",
        "m:All done.",
        "ended:completed",
        "ended:completed",
        "session_info_update",
    ]
    assert [u["subagentSessionId"] for u in sent.of(kind="subagent_state_update")] == [back, front]
    assert "prompt" not in sent.of(kind="subagent_spawned")[0]
    assert sent.said(front)[:3] == ["m:read", "m:Front reads.", "spawned:Inner"]
    assert sent.said(inner) == ["m:look", "+t4", "-t4:completed", "m:Inner is done."]
    assert sent.of(front)[1]["_meta"]["claudeCode"]["parentToolUseId"] == "t1"


async def test_72_what_never_ended_is_disconnected(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="read")
    t.returns("t1", "launched", toolUseResult=LAUNCHED)
    t.child(FG, {"toolUseId": "t1"}).user("read")
    assert (await played(t, AIR)).said()[-2] == "ended:disconnected"
    assert (await played(t, RFD)).said()[-1] == f"child:{FG}:{{'state': 'idle'}}"


async def test_live_air_children_keep_their_session(tmp_path: Path) -> None:
    t = crew(tmp_path)
    sent = await played(t, AIR, live={BG: LiveChild(f"{BG}:generation:2", "running")})
    spawned = [u["subagentSessionId"] for u in sent.of(kind="subagent_spawned")]
    assert spawned == [f"{t.id}:replay-subagent:t1", f"{BG}:generation:2"]
    ended = [u["subagentSessionId"] for u in sent.of(kind="subagent_state_update")]
    assert ended == spawned[:1]


async def test_b31_a_flat_client_gets_what_subagents_did_and_their_words_if_it_wants_them(
    tmp_path: Path,
) -> None:
    t = crew(tmp_path)
    plain = await played(t, FLAT)
    assert {where for where, _ in plain.before} == {t.id}
    calls = {u["toolCallId"]: u["_meta"]["claudeCode"] for u in plain.of(kind="tool_call")}
    assert list(calls) == ["t1", "t3", "t4", "t2"]
    assert calls["t4"]["parentToolUseId"] == "t3"
    assert calls["t3"]["parentToolUseId"] == "t1"
    assert "m:Front reads." not in plain.said()
    whole = await played(t, WHOLE)
    words = next(u for u in whole.of() if "Front reads." in str(u))
    assert words["_meta"]["claudeCode"]["parentToolUseId"] == "t1"
    assert "m:read" not in whole.said()


async def test_messages_of_agents_are_linked_where_they_were_sent_and_got(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", name="digger", prompt="dig")
    t.returns("t1", "dug", toolUseResult={"status": "completed"})
    t.calls("SendMessage", "m1", to="digger", message="dig deeper")
    t.returns("m1", "{}", toolUseResult={"success": True, "resumedAgentId": FG})
    t.calls("SendMessage", "m2", to="nobody", message="hello")
    t.returns("m2", "no such agent", is_error=True)
    kid = t.child(FG, {"toolUseId": "t1", "finished": True})
    kid.user("dig")
    kid.says("dug")
    told = (
        "The coordinator sent a message while you were working:\ndig deeper\n\n"
        "Address this before completing your current task."
    )
    kid.user(told, isMeta=True, origin={"kind": "coordinator"})
    kid.says("dug deeper")
    kid.user("a caveat of the harness", isMeta=True)
    sent = await played(t, RFD)
    s = t.id
    assert sent.said() == [
        "m:go",
        f"child:{FG}:{{'state': 'running'}}",
        f"{s}>{FG}:dig",
        f"{FG}>{s}:dug",
        f"{s}>{FG}:dig deeper",
        "+m2",
        "-m2:failed",
        f"child:{FG}:{END}",
    ]
    assert sent.said(FG) == [f"{s}>{FG}:dig", "m:dug", f"{s}>{FG}:dig deeper", "m:dug deeper"]
    outgoing = sent.of(kind="session_message")[2]
    assert (outgoing["messageId"], outgoing["recipientMessageId"]) == ("m1", "m1")
    incoming = sent.of(FG, "session_message")[1]
    assert (incoming["messageId"], incoming["senderMessageId"]) == ("m1", "m1")
    child = f"{s}:replay-subagent:t1"
    air = await played(t, AIR)
    assert air.said(child) == ["m:dig", "m:dug", "m:dig deeper", "m:dug deeper"]
    assert "+m1" in air.said()


async def test_a_hand_back_is_a_message_to_the_parent_and_no_reply_follows(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="dig")
    t.returns("t1", "handed back", toolUseResult={"status": "completed"})
    kid = t.child(FG, {"toolUseId": "t1"})
    kid.user("dig")
    kid.calls("SubagentHandback", "h1", message="Here it is.")
    kid.returns("h1", "ok")
    sent = await played(t, RFD)
    assert f"{FG}>{t.id}:Here it is." in sent.said()
    assert f"{FG}>{t.id}:Here it is." in sent.said(FG)
    assert not any("handed back" in one for one in sent.said())


async def test_a_fork_agent_shows_its_directive_and_not_what_it_copied(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", subagent_type="fork", prompt="dig here")
    kid = t.child(FG, {"toolUseId": "t1"})
    kid.user("go")
    kid.says("words of the parent")
    words = "<fork-boilerplate>rules</fork-boilerplate>\n\nYour directive: dig here"
    kid.user([{"type": "text", "text": words}])
    kid.says("dug")
    sent = await played(t, AIR)
    assert sent.said(f"{t.id}:replay-subagent:t1") == ["m:dig here", "m:dug"]


async def test_a_launch_that_failed_is_a_failed_call_and_nothing_is_missing(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="dig")
    t.returns("t1", "no such agent type", is_error=True)
    for capabilities in (RFD, AIR):
        said = (await played(t, capabilities)).said()
        assert said[:3] == ["m:go", "+t1", "-t1:failed"]
        assert "notice" not in said


async def test_an_agent_without_words_counts_as_missing(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    t.user("go")
    t.calls("Agent", "t1", prompt="dig")
    t.child(FG, {"toolUseId": "t1"}).path.write_bytes(b"")
    sent = await played(t, RFD)
    assert sent.said()[-1] == "notice"
    assert sent.said(FG) == [f"{t.id}>{FG}:dig"]


async def test_agents_of_a_branch_that_was_left_are_not_shown(tmp_path: Path) -> None:
    t = Transcript(tmp_path)
    root = t.user("go")
    t.calls("Agent", "t1", prompt="dig")
    t.child(FG, {"toolUseId": "t1"}).user("dig")
    t.child(NESTED, {"toolUseId": "t9", "parentAgentId": FG}).user("deeper")
    t.user("another way", parent=root)
    t.says("done")
    assert (await played(t, AIR)).said() == [
        "m:go",
        "m:another way",
        "m:done",
        "session_info_update",
    ]


def child(**fields: Any) -> ReplayedChild:
    agent = {key: fields.pop(key) for key in ("finished", "stopped") if key in fields}
    delegation = fields.pop("delegation", "t1")
    return ReplayedChild(StoredAgent("a1", Path(), **agent), "a1", "s", "t1", delegation, **fields)


DONE, WRONG = ToolReturned("t1", "done"), ToolReturned("t1", "it broke", is_error=True)


@pytest.mark.parametrize(
    ("one", "notification", "how"),
    [
        (child(), Notification("a1", "completed", "t1"), Outcome("completed")),
        (child(), Notification("a1", "failed", None), Outcome("failed")),
        (child(finished=True), Notification("a1", "killed", "t1"), Outcome("cancelled")),
        (child(delegation="m1"), Notification("a1", "completed", "t1"), Outcome(None)),
        (child(delegation="m1"), Notification("a1", "completed", "m1"), Outcome("completed")),
        (child(stopped=True, result=DONE), None, Outcome("cancelled")),
        (child(result=DONE), None, Outcome("completed")),
        (child(result=WRONG), None, Outcome("failed", "it broke")),
        (
            child(result=ToolReturned("t1", "was interrupted", is_error=True)),
            None,
            Outcome("cancelled"),
        ),
        (child(result=DONE, background=True), None, Outcome(None)),
        (child(result=DONE, delegation="m1"), None, Outcome(None)),
        (child(finished=True), None, Outcome("completed")),
        (child(), None, Outcome(None)),
    ],
)
def test_how_a_stored_agent_ended(
    one: ReplayedChild, notification: Notification | None, how: Outcome
) -> None:
    assert outcome(one, notification) == how
