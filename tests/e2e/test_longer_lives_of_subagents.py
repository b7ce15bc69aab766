"""Subagents that are woken, run side by side, work elsewhere, or lose their CLI; on the real
CLI.
"""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.rules import Gate, Rule, Text, ToolUse, When, flow
from e2e.world import BACKGROUND, RFD, World, world
from raw_client import RpcError
from waiting import eventually

if TYPE_CHECKING:
    from pathlib import Path

    from canopy_agent.demo.requests import ModelRequest

READ = ToolUse("Read", {"file_path": "{cwd}/README.md"})
NEXT = Rule(When(says="next"), "Next.")
FOLLOW_UP = Rule(When(notified=""), "The agent is finished.")


def agent(role: str, *, background: bool, **more: Any) -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": role.title(),
            "prompt": f"Role: {role}.\n\nDo your work.",
            "subagent_type": "general-purpose",
            "run_in_background": background,
            **more,
        },
    )


def child_id(request: ModelRequest) -> str:
    """The agent that the first launch of the conversation started."""
    text = str(request.body)
    return text.split("agentId: ", 1)[1][:17]


def message(request: ModelRequest) -> dict[str, Any]:
    return {"to": child_id(request), "summary": "look again", "message": "Please look again."}


WAKE = (
    Rule(When(after_tool="ToolSearch"), [ToolUse("SendMessage", message)]),
    Rule(When(after_tool="SendMessage"), "Woken."),
    Rule(When(says="again"), [ToolUse("ToolSearch", {"query": "select:SendMessage"})]),
)
KID = (
    Rule(
        When(agent="kid", test=lambda request: "Please look again." in str(request.body)),
        [Gate("AGAIN"), Text("Second answer.")],
    ),
    *flow(When(agent="kid"), [READ], "First answer."),
)
FRONT = flow(When(says="go"), [agent("kid", background=False)], "The child is done.")


async def test_a_woken_agent_is_a_new_generation_and_keeps_no_turn_open() -> None:
    async with world(WAKE, KID, FRONT, FOLLOW_UP) as w:
        await w.open(BACKGROUND)
        await w.prompt("go")
        result = await w.prompt("now again")
        assert result["stopReason"] == "end_turn"
        await w.model.reached("AGAIN")
        w.model.release("AGAIN")
        first, second = [
            one["subagentSessionId"] for one in w.agent.updates("subagent_spawned", w.session)
        ]
        assert second == f"{first}:generation:2"
        done = await w.agent.wait_update(
            "subagent_state_update", w.session, lambda u: u["subagentSessionId"] == second
        )
        assert done["state"] == "completed"
        assert w.agent.text(second) == "Second answer."
        assert "Second" not in w.agent.text(first)


async def test_a_woken_agent_is_the_same_session_in_the_rfd_form() -> None:
    async with world(WAKE, KID, FRONT, FOLLOW_UP) as w:
        await w.open(RFD)
        await w.prompt("go")
        turn = w.agent.begin_prompt(w.session, "now again")
        await w.model.reached("AGAIN")
        w.model.release("AGAIN")
        await turn
        updates = w.agent.updates("subagent_update", w.session)
        assert len({one["sessionId"] for one in updates}) == 1
        states = [one["state"]["state"] for one in updates if "state" in one]
        assert states == ["running", "idle", "running", "idle"]
        child = updates[0]["sessionId"]
        told = [m["content"][0]["text"] for m in w.agent.updates("session_message", child)]
        assert told[-1] == "Please look again."


def write(name: str) -> ToolUse:
    return ToolUse("Write", {"file_path": f"{{cwd}}/{name}.txt", "content": "x\n"})


async def test_b29_two_agents_stay_apart_and_an_always_of_one_counts_for_both() -> None:
    main = flow(
        When(says="go"),
        [agent("one", background=False), agent("two", background=False)],
        "Both are done.",
    )
    one = flow(When(agent="one"), [Gate("ONE"), write("one")], "One is done.")
    two = flow(When(agent="two"), [Gate("TWO"), write("two")], "Two is done.")
    async with world(main, one, two) as w:
        await w.open(BACKGROUND)
        w.agent.on_permission("allow_always")
        turn = w.agent.begin_prompt(w.session, "go")
        await w.model.reached("ONE")
        await w.model.reached("TWO")
        w.model.release("TWO")
        await w.agent.wait_update("subagent_state_update", w.session)
        w.model.release("ONE")
        assert (await turn)["stopReason"] == "end_turn"
        sessions = {u["name"]: u["subagentSessionId"] for u in w.agent.updates("subagent_spawned")}
        assert w.agent.text(sessions["One"]) == "One is done."
        assert w.agent.text(sessions["Two"]) == "Two is done."
        (asked,) = w.agent.requests("session/request_permission")
        assert asked["params"]["sessionId"] == sessions["Two"]
        assert (w.cwd / "one.txt").exists()
        assert (w.cwd / "two.txt").exists()


def make_repository(folder: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
        subprocess.run(["git", *who, *words], cwd=folder, check=True)


async def test_an_agent_in_a_worktree_says_where_it_works() -> None:
    main = flow(When(says="go"), [agent("kid", background=False, isolation="worktree")], "Done.")
    kid = flow(When(agent="kid"), [ToolUse("Bash", {"command": "pwd"})], "Looked around.")
    async with world(main, kid) as w:
        make_repository(w.cwd)
        await w.open(RFD)
        w.agent.on_permission("allow_once")
        await w.prompt("go")
        placed = [u["cwd"] for u in w.agent.updates("subagent_update", w.session) if u.get("cwd")]
        assert len(placed) == 1
        assert placed[0] != str(w.cwd)
        assert "worktree" in placed[0]


def kill_cli(w: World) -> None:
    for process in w.agent.started():
        os.kill(process, signal.SIGKILL)


BEHIND = flow(
    When(says="go"), [agent("kid", background=True)], [Text(("They ", Gate("TEXT"), "run."))]
)
SLOW = flow(When(agent="kid"), [Gate("KID"), READ], [Gate("END"), Text("Kid is done.")])


@pytest.mark.parametrize("moment", ["before", "text", "child", "after", "permission"])
async def test_a_killed_cli_ends_its_children_and_the_session_goes_on(moment: str) -> None:
    write = ToolUse("Write", {"file_path": "{cwd}/x.txt", "content": "x"})
    asks = flow(When(says="ask"), [write], "Not reached.")
    async with world(asks, BEHIND, SLOW, FOLLOW_UP, NEXT) as w:
        await w.open(BACKGROUND)
        w.agent.on("session/request_permission", None)
        turn = w.agent.begin_prompt(w.session, "ask" if moment == "permission" else "go")
        if moment == "permission":
            await w.agent.wait_request("session/request_permission")
        elif moment != "before":
            await w.model.reached("TEXT")
            await w.model.reached("KID")
        if moment in ("child", "after"):
            w.model.release("KID")
            await w.model.reached("END")
        if moment == "after":
            w.model.release("TEXT")
            assert (await turn)["stopReason"] == "end_turn"
        kill_cli(w)
        if moment == "before":  # it may not have begun yet: then the prompt is sent again
            w.model.release("TEXT")
            w.model.release("KID")
            w.model.release("END")
        if moment != "after":
            try:
                await turn
            except RpcError as failed:
                assert failed.code == -32603  # noqa: PT017 - either end is right
        if moment in ("text", "child", "after"):
            end = await w.agent.wait_update("subagent_state_update", w.session)
            assert end["state"] == "failed"
        if moment == "permission":
            gone = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
            assert len(gone) == 1
        assert (await w.prompt("next"))["stopReason"] == "end_turn"
        await eventually(lambda: "Next." in w.agent.text(w.session), "the next answer")
