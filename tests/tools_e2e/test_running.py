"""Commands that run on, and the plan over prompts: what a client sees between the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import Rule, ToolUse, When, flow
from e2e.world import world
from oracle import complaints
from raw_client import BOUND, RawClient
from tools_e2e.scripted import call, merged, sequence
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]
STREAMING = {"_meta": {"terminal_output": True, "terminal_output_delta": True}}


def system(subtype: str, **fields: Any) -> Json:
    return {"emit": {"type": "system", "subtype": subtype, "session_id": "s", **fields}}


def output_of(updates: list[Json]) -> str:
    held = ""
    for update in updates:
        meta = update.get("_meta", {})
        held = meta.get("terminal_output", {}).get("data", held)
        held += meta.get("terminal_output_delta", {}).get("data", "")
    return held


async def test_b55_output_of_a_long_command_comes_while_it_runs(
    fake_cli: FakeCli, tmp_path: Path
) -> None:
    started = system(
        "task_started",
        task_id="b1",
        run_id="r1",
        tool_use_id="t",
        task_type="local_bash",
        is_backgrounded=False,
        description="d",
    )
    done = {"stdout": "one\ntwo\nthree", "stderr": "", "interrupted": False}
    steps: list[Json] = [
        {"open": {}},
        {"tool": {"id": "t", "name": "Bash", "input": {"command": "long"}}},
        started,
        {"expect": {"type": "control_request", "request": {"mode": "acceptEdits"}}},
        system("task_notification", task_id="b1", run_id="r1", tool_use_id="t", status="completed"),
        {"tool_result": {"id": "t", "content": "x", "extra": {"tool_use_result": done}}},
        {"done": {}},
    ]
    fake_cli.play(
        control={"get_task_output": {"response": {"output": "one\ntwo\n", "total_bytes": 8}}},
        turns=[steps],
    )
    async with RawClient.spawn(env=fake_cli.env) as client:
        await client.initialize(STREAMING)
        session = await client.new_session(tmp_path)
        turn = client.begin_prompt(session, "go")

        def shown() -> str:
            return output_of(client.updates("tool_call_update"))

        await eventually(lambda: shown() == "one\ntwo\n", "output while it runs", bound=BOUND)
        await eventually(lambda: len(fake_cli.requests("get_task_output")) > 1, "a second reading")
        running = [u["status"] for u in client.updates("tool_call_update") if "status" in u]
        assert running == ["in_progress"]
        await client.request("session/set_mode", sessionId=session, modeId="acceptEdits")
        assert (await turn)["stopReason"] == "end_turn"
        assert shown() == "one\ntwo\nthree"
        assert complaints(client.frames) == []


async def test_a_command_in_the_background_keeps_its_terminal_until_it_ends() -> None:
    background = call(
        "Bash", command="echo begun; sleep 0.4; echo over", description="b", run_in_background=True
    )
    rules = (
        *flow(When(says="go"), [background], "It runs."),
        Rule(When(notified="."), "It is over."),
    )
    async with world(rules) as w:
        await w.open(STREAMING)
        w.agent.on_permission("allow_once")
        await w.prompt("go")
        (card,) = merged(w.agent.updates()).values()
        assert card["status"] == "completed"
        assert "terminal_exit" not in card["_meta"]
        exited = await w.agent.wait_update(
            "tool_call_update", match=lambda u: "terminal_exit" in u.get("_meta", {})
        )
        assert exited["_meta"]["terminal_exit"]["exit_code"] is None
        assert output_of(w.agent.updates("tool_call_update")).startswith("begun\nover\n")


def plan(w: Any) -> list[tuple[str, str]]:
    entries = w.agent.updates("plan")[-1]["entries"]
    return [(one["content"], one["status"]) for one in entries]


async def test_b67_the_plan_follows_the_task_tools_and_ends_with_the_conversation() -> None:
    search = call("ToolSearch", query="select:TaskCreate,TaskUpdate,TaskList")
    calls = [
        search,
        call("TaskCreate", subject="First", description="d", activeForm="Doing first"),
        call("TaskCreate", subject="Second", description="d"),
        call("TaskUpdate", taskId="1", status="completed"),
        call("TaskUpdate", taskId="99", status="completed"),
        call("TaskUpdate", taskId="2", status="never heard of", subject="Not taken"),
        call("TaskUpdate", taskId="2", status="in_progress"),
    ]
    env = {"CLAUDE_CODE_ENABLE_TASKS": "1", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
    async with world(Rule(When(says="more"), "Hello."), sequence(*calls), env=env) as w:
        await w.open()
        await w.prompt("go")
        assert plan(w) == [("First", "completed"), ("Second", "in_progress")]
        assert {c["name"] for c in merged(w.agent.updates()).values()} == {"ToolSearch"}
        before = len(w.agent.updates("plan"))
        await w.prompt("more")
        assert len(w.agent.updates("plan")) == before + 1, "what is unfinished is shown again"
        await w.prompt("/clear")
        assert plan(w) == []
        before = len(w.agent.updates("plan"))
        await w.prompt("more")
        assert len(w.agent.updates("plan")) == before


async def test_scenario_60_todos_are_a_plan_without_a_card() -> None:
    todos = [
        {"content": "First", "status": "in_progress", "activeForm": "Doing first"},
        {"content": "Second", "status": "pending", "activeForm": "Doing second"},
    ]
    calls = [ToolUse("ToolSearch", {"query": "select:TodoWrite"}), call("TodoWrite", todos=todos)]
    env = {"CLAUDE_CODE_ENABLE_TASKS": "0", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}
    async with world(sequence(*calls), env=env) as w:
        await w.open()
        await w.prompt("go")
        assert plan(w) == [("Doing first", "in_progress"), ("Second", "pending")]
        assert {c["name"] for c in merged(w.agent.updates()).values()} == {"ToolSearch"}
