"""An AIR-like client on the real CLI: background work, goals, steering, failures, the index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from air.playing import EVERYTHING, declares, traces_of_air
from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, ToolUse, When, flow
from canopy_shared.ext import air, failure, file_report
from canopy_shared.ext import goal as goals
from canopy_shared.ext import session_index as si
from canopy_shared.unset import UNSET
from e2e.world import world
from waiting import eventually

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from e2e.world import World

AIR = declares(*EVERYTHING, air.SESSION_INDEX, session={"notices": {}, "compaction": {}})
TICKS = "i=0; while [ $i -lt 600 ]; do i=$((i+1)); echo tick $i; sleep 0.1; done"
IN_BACKGROUND = [
    ToolUse("Bash", {"command": TICKS, "description": "Tick", "run_in_background": True})
]
SHORT = [
    ToolUse(
        "Bash",
        {"command": "sleep 0.3; echo finished", "description": "Short", "run_in_background": True},
    )
]


def is_goal_check(request: ModelRequest) -> bool:
    """Whether Claude Code asks its model if a goal is reached."""
    return '"impossible"' in request.system


def goals_of(w: World) -> list[Any]:
    metas = [goals.read(u.get("_meta")) for u in w.agent.updates("session_info_update")]
    return [one for one in metas if one is not UNSET]


def failures_of(w: World) -> list[failure.SessionFailure]:
    metas = [failure.read(u.get("_meta")) for u in w.agent.updates("session_info_update")]
    return [one for one in metas if one is not None]


async def test_a_background_shell_with_live_output_is_stopped() -> None:
    rules = flow(When(says="tick"), IN_BACKGROUND, "It runs.")
    async with world(rules, Rule(When(notified="."), "Noted.")) as w:
        session = await w.open(AIR)
        w.agent.on_permission("allow_once")
        assert (await w.prompt("tick"))["stopReason"] == "end_turn"
        (task,) = w.agent.updates("async_task_spawned")
        told = (task["taskType"], task["name"], task["canStop"])
        assert told == ("shell", "Tick", True)
        (progress,) = w.agent.updates("async_task_progress")
        output = Path(progress["outputFilePath"])
        await eventually(lambda: "tick 3" in output.read_text(), "output that grows")
        stop = {"sessionId": session, "asyncTaskId": task["asyncTaskId"]}
        assert await w.agent.request("_session/async_task/stop", **stop) == {"stopped": True}
        assert await w.agent.request("_session/async_task/stop", **stop) == {"stopped": False}
        (end,) = w.agent.updates("async_task_state_update")
        assert end["state"] == "stopped"
        (notice,) = w.agent.updates("notice")
        assert notice["title"] == "Stopped"


async def test_b89_output_out_of_turns_has_a_start_and_an_end() -> None:
    rules = flow(When(says="short"), SHORT, "It runs.")
    async with world(rules, Rule(When(notified="."), "It is finished.")) as w:
        await w.open(AIR)
        w.agent.on_permission("allow_once")
        await w.prompt("short")
        await eventually(
            lambda: len(w.agent.updates("async_task_state_update")) == 2, "both tasks end"
        )
        shell, cycle = w.agent.updates("async_task_spawned")
        assert (shell["taskType"], cycle["taskType"]) == ("shell", "turn")
        assert "Short" in cycle["description"]
        ends = {u["asyncTaskId"]: u["state"] for u in w.agent.updates("async_task_state_update")}
        assert ends == {shell["asyncTaskId"]: "completed", cycle["asyncTaskId"]: "completed"}
        assert w.agent.text().endswith("It is finished.")


async def test_a_goal_is_followed_until_it_is_reached() -> None:
    verdicts = [
        {"ok": False, "reason": "one test fails"},
        {"ok": True, "reason": "all pass"},
    ]
    check = Rule(When(test=is_goal_check), lambda _: json.dumps(verdicts.pop(0)))
    async with world(check, Rule(When(says="."), "Done.")) as w:
        session = await w.open(AIR)
        goal = {"sessionId": session, "action": "set", "objective": "all tests pass"}
        assert await w.agent.request("_session/goal", **goal) == {}
        await eventually(lambda: goals_of(w)[-1] is None, "the goal is reached")
        first, checked, _ = goals_of(w)
        assert first == goals.Goal("all tests pass")
        assert (checked.iterations, checked.last_reason) == (1, "one test fails")
        assert verdicts == []


async def test_a_goal_is_cleared() -> None:
    check = Rule(When(test=is_goal_check), '{"ok": false, "reason": "no"}', times=1)
    more = Rule(When(test=is_goal_check), '{"ok": false, "reason": "no", "impossible": true}')
    async with world(check, more, Rule(When(says="."), "Done.")) as w:
        session = await w.open(AIR)
        goal = {"sessionId": session, "action": "set", "objective": "the impossible"}
        await w.agent.request("_session/goal", **goal)
        await eventually(lambda: goals_of(w)[-1] is None, "Claude Code gives the goal up")
        await w.agent.request("_session/goal", sessionId=session, action="clear")
        assert goals_of(w)[-1] is None


async def test_a_goal_goes_on_with_its_session() -> None:
    check = Rule(When(test=is_goal_check), '{"ok": false, "reason": "not yet"}', times=1)
    hangs = Rule(When(says="Stop hook"), [Text(("Going ", "on ", Gate("NEVER")))])
    async with world(check, hangs, Rule(When(says="."), "Done.")) as w:
        session = await w.open(AIR)
        goal = {"sessionId": session, "action": "set", "objective": "all tests pass"}
        working = w.agent.begin("_session/goal", **goal)
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "on" in str(u))
        await w.agent.request("session/close", sessionId=session)
        assert await working == {}
        told = len(goals_of(w))
        setup = {"sessionId": session, "cwd": str(w.cwd), "mcpServers": []}
        await w.agent.request("session/resume", **setup)
        kept = await eventually(lambda: goals_of(w)[told:], "the goal of a resumed session")
        assert kept[0].objective == "all tests pass"


async def test_a_steer_changes_the_turn_that_runs() -> None:
    count = Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))])
    async with world(count, Rule(When(says="rather"), "Letters, then.")) as w:
        session = await w.open(AIR)
        turn = w.agent.begin_prompt(session, "count")
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "two" in str(u))
        steer = {"sessionId": session, "prompt": [{"type": "text", "text": "rather letters"}]}
        told = await w.agent.request("_session/steering", **steer)
        assert told == {"outcome": "injected"}
        assert (await turn)["stopReason"] == "end_turn"
        assert w.agent.text() == "One two Letters, then."
        assert w.agent.updates("user_message_chunk") == []
        only = {"steering": {"idleBehavior": "promptRequired"}}
        idle = await w.agent.request("_session/steering", **steer, _meta=only)
        assert idle["outcome"] == "promptRequired"


async def test_a_failure_and_its_recovery() -> None:
    broken = Rule(When(says="fail"), error=ApiError(529, "Overloaded, scripted"))
    env = {"CLAUDE_CODE_MAX_RETRIES": "1"}
    async with world(broken, Rule(When(says="next"), "Works again."), env=env) as w:
        await w.open(AIR)
        answer = await w.prompt("fail please")
        assert answer["stopReason"] == "end_turn"
        record = failure.read(answer["_meta"])
        assert record is not None
        assert (record.category, record.severity, record.actions) == (
            "service",
            "error",
            ("retry",),
        )
        assert "Overloaded, scripted" in record.title
        (warning,) = failures_of(w)
        assert (warning.id, warning.severity, warning.actions) == (record.id, "warning", ())
        assert record.revision == warning.revision + 1
        assert w.agent.text() == ""
        again = await w.prompt("next")
        assert failure.read(again["_meta"]) is None
        assert w.agent.text() == "Works again."


async def test_a_compaction_says_what_it_saved() -> None:
    async with world(Rule(When(says="hello"), "Hello.")) as w:
        await w.open(AIR)
        await w.prompt("hello there")
        assert (await w.prompt("/compact"))["stopReason"] == "end_turn"
        begun, *_, done = w.agent.updates("compaction_update")
        assert (begun["status"], done["status"]) == ("in_progress", "completed")
        facts = (air.payload_of(done["_meta"]) or {})["contextCompaction"]
        assert facts["trigger"] == "manual"
        assert facts["preTokens"] > 0


async def test_changed_files_are_reported_with_those_of_subagents() -> None:
    write = [ToolUse("Write", {"file_path": "{cwd}/new.txt", "content": "x\n"})]
    child = [ToolUse("Write", {"file_path": "{cwd}/child.txt", "content": "y\n"})]
    job = {"description": "Job", "prompt": "Do it", "run_in_background": False}
    rules = flow(When(says="write"), write, [ToolUse("Agent", job)], "Written.")
    async with world(rules, flow(When(agent="*subagent"), child, "Child is done.")) as w:
        session = await w.open(AIR)
        w.agent.on_permission("allow_once")
        asked = file_report.request("r1")
        await w.agent.prompt(session, "write both", _meta=asked)
        metas = [u.get("_meta") for u in w.agent.updates("session_info_update")]
        (report,) = [one for one in map(file_report.read, metas) if one is not None]
        assert set(report.paths) == {f"{w.cwd}/new.txt", f"{w.cwd}/child.txt"}
        assert report.truncated is False


async def test_archive_and_rename_in_the_index() -> None:
    async with world(Rule(When(says="."), "Hello.")) as w:
        session = await w.open(AIR)
        cwd = str(w.cwd)
        follow = await w.agent.request("_session/list/subscribe", cwd=cwd)
        await w.prompt("hello there, this is a test")

        def changes() -> list[Any]:
            told = [f for f in w.agent.frames if f.get("method") == "_session/list/changes"]
            return [row for one in told for row in one["params"]["sessions"]]

        await eventually(
            lambda: any(row["sessionId"] == session for row in changes()), "a new session"
        )
        await w.agent.request("_session/rename", sessionId=session, title="My own title")
        await eventually(
            lambda: any(row["title"] == "My own title" for row in changes()), "the name"
        )
        (row,) = (await w.agent.request("session/list", cwd=cwd))["sessions"]
        facts = si.read(row["_meta"])
        assert (row["title"], facts.archived, facts.state) == ("My own title", False, "idle")
        assert facts.model is not None
        assert await w.agent.request("_session/archive", sessionId=session) == {}
        assert (await w.agent.request("session/list", cwd=cwd))["sessions"] == []
        await eventually(
            lambda: any(si.read(row["_meta"]).archived for row in changes()), "the archive"
        )
        await w.agent.request("_session/unarchive", sessionId=session)
        (row,) = (await w.agent.request("session/list", cwd=cwd))["sessions"]
        assert row["title"] == "My own title"
        await w.agent.request("_session/list/unsubscribe", **follow)


async def test_a_plain_client_gets_none_of_it() -> None:
    rules = flow(When(says="short"), SHORT, "It runs.")
    broken = Rule(When(says="fail"), error=ApiError(400, "Refused, scripted"))
    done = Rule(When(says="."), "Done.")
    async with world(rules, broken, Rule(When(notified="."), "It is finished."), done) as w:
        session = await w.open({})
        w.agent.on_permission("allow_once")
        await w.agent.prompt(session, "short", _meta=file_report.request("r1"))
        await eventually(lambda: w.agent.text().endswith("It is finished."), "the cycle")
        failed = w.agent.begin_prompt(session, "fail please")
        error = await eventually(
            lambda: failed.done() and failed.exception(), "an error in place of a record"
        )
        assert "Refused, scripted" in str(error)
        await w.agent.request("_session/goal", sessionId=session, action="clear")
        updates = w.agent.updates()
        assert traces_of_air(updates) == []
        assert not any("promptSuggestions" in str(update) for update in updates)
        answers = [frame.get("result") for frame in w.agent.frames]
        assert traces_of_air([one for one in answers if one]) == []
