"""ACP v2 over stdio, on the real CLI: turns, calls, terminals, subagents, background work.

Every frame is judged by the schema when a world ends.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

from canopy_agent.demo.rules import Gate, Rule, Text, Thinking, ToolUse, When, flow
from raw_client import RpcError
from v2.world import World, world
from waiting import eventually

TICKS = "i=0; while [ $i -lt 900 ]; do i=$((i+1)); echo tick $i; sleep 0.1; done"
SHELL = ToolUse("Bash", {"command": TICKS, "description": "Count", "run_in_background": True})
ECHO = ToolUse("Bash", {"command": "echo one; echo two", "description": "Say"})
EDIT = ToolUse(
    "Edit", {"file_path": "{cwd}/notes.txt", "old_string": "beta", "new_string": "gamma"}
)
READ = ToolUse("Read", {"file_path": "{cwd}/notes.txt"})
WRITE = ToolUse("Write", {"file_path": "{cwd}/kid.txt", "content": "by the kid\n"})

FLOATING = ("usage_update", "session_info_update", "available_commands_update")


def agent(role: str) -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": f"Work of {role}",
            "prompt": f"Role: {role}.\n\nDo your work.",
            "subagent_type": "general-purpose",
            "run_in_background": True,
        },
    )


def call(w: World, name: str, session: str | None = None) -> dict[str, Any]:
    """A tool call as a client stores it: its updates merged."""
    updates = w.agent.updates("tool_call_update", session or w.session)
    id_ = next(one["toolCallId"] for one in updates if one.get("name") == name)
    merged: dict[str, Any] = {}
    for update in updates:
        if update["toolCallId"] == id_:
            merged.update(update)
    return merged


def printed(w: World, terminal: str) -> str:
    """What a terminal shows."""
    text = b""
    for update in w.agent.updates():
        if update.get("terminalId") == terminal:
            if update["sessionUpdate"] == "terminal_output_chunk":
                text += b64decode(update["data"])
            elif "output" in update:
                text = b64decode(update["output"]["data"])
    return text.decode()


async def test_turns_calls_and_a_terminal_in_the_background() -> None:
    async with world(
        Rule(When(says="hello"), [Thinking("Hm."), Text("Hello.")]),
        flow(When(says="say"), [ECHO], "Said."),
        flow(When(says="edit"), [READ], [EDIT], "Edited."),
        flow(When(says="tick"), [SHELL], "It runs."),
        Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))]),
        Rule(When(notified=""), "I see."),
        Rule(When(says="later"), "Later."),
    ) as w:
        (w.cwd / "notes.txt").write_text("alpha\nbeta\n")
        await w.open({"elicitation": {"form": {}}})
        w.agent.on_permission("allow_once")

        # a turn: the message, the states, the end
        end = await w.turn("hello")
        assert (end["stopReason"], end["background"]) == ("end_turn", [])
        assert end["usage"]["outputTokens"] > 0
        assert "quota" in end["_meta"]
        told = [kind for kind in w.kinds() if kind not in FLOATING]
        assert told == [
            "user_message",
            "state_update",
            "agent_thought_chunk",
            "agent_message_chunk",
            "state_update",
        ]
        (message,) = w.agent.updates("user_message")
        receipt = next(f["result"] for f in w.agent.frames if "messageId" in str(f.get("result")))
        assert message["messageId"] == receipt["messageId"]
        assert message["content"] == [{"type": "text", "text": "hello"}]

        # a command has a terminal, told apart from its call
        await w.turn("say it")
        bash = call(w, "Bash")
        assert bash["status"] == "completed"
        assert bash["content"] == [{"type": "terminal", "terminalId": bash["toolCallId"]}]
        assert "terminal_info" not in str(w.agent.frames)
        assert printed(w, bash["toolCallId"]).splitlines() == ["one", "two"]
        ends = [u for u in w.agent.updates("terminal_update") if "exitStatus" in u]
        assert [one["exitStatus"] for one in ends] == [{"exitCode": 0}]

        # an edit: the exact patch comes before the question, and the work waits meanwhile
        await w.turn("edit it")
        edit = call(w, "Edit")
        (diff,) = edit["content"]
        path = f"{w.cwd}/notes.txt"
        assert diff["changes"] == [{"operation": "modify", "path": path, "fileType": "text"}]
        assert f"--- {path}\n+++ {path}\n" in diff["patch"]["text"]
        (request,) = w.agent.requests("session/request_permission")
        assert request["params"]["subject"]["toolCall"]["content"] == [diff]
        states = [one["state"] for one in w.agent.states(w.session)][-4:]
        assert states == ["running", "requires_action", "running", "idle"]
        assert (w.cwd / "notes.txt").read_text() == "alpha\ngamma\n"

        # the mode is an option like any other
        before = len(w.agent.updates("config_option_update", w.session))
        answer = await w.agent.request(
            "session/set_config_option",
            sessionId=w.session,
            configId="mode",
            type="id",
            value="acceptEdits",
        )
        told_options = w.agent.updates("config_option_update", w.session)[before:]
        assert told_options[0]["configOptions"] == answer["configOptions"]
        assert answer["configOptions"][0]["currentValue"] == "acceptEdits"

        # a command in the background is listed, prints, and can be stopped
        end = await w.turn("tick, please")
        (item,) = end["background"]
        assert item["type"] == "terminal"
        offered = [u for u in w.agent.updates("terminal_update") if "capabilities" in u]
        assert [one["capabilities"] for one in offered] == [{"cancel": {}}]
        await eventually(lambda: "tick 3" in printed(w, item["terminalId"]), "output that grows")
        with pytest.raises(RpcError) as refused:
            await w.agent.request("terminal/cancel", sessionId=w.session, terminalId="no")
        assert refused.value.code == -32602

        # a cancel leaves it alone
        before = len(w.agent.states(w.session))
        await w.agent.begin_prompt(w.session, "count")
        late = w.agent.begin_prompt(w.session, "later")
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "two" in str(u))
        w.agent.cancel(w.session)
        end = await w.agent.idle(w.session, before)
        assert (end["stopReason"], end["background"]) == ("cancelled", [item])
        with pytest.raises(RpcError) as dropped:
            await late
        assert dropped.value.code == -32800

        here = {"sessionId": w.session, "terminalId": item["terminalId"]}
        assert await w.agent.request("terminal/cancel", **here) == {}
        await eventually(
            lambda: w.agent.states(w.session)[-1]["background"] == [], "an empty background"
        )
        exits = [
            place
            for place, one in enumerate(w.agent.updates())
            if one.get("terminalId") == item["terminalId"] and "exitStatus" in one
        ]
        emptied = [
            place
            for place, one in enumerate(w.agent.updates())
            if one["sessionUpdate"] == "state_update" and one["background"] == []
        ]
        assert exits[0] < emptied[-1]


async def test_subagents_ask_work_on_and_are_stopped_one_by_one() -> None:
    async with world(
        flow(When(says="go"), [Text("I delegate."), agent("kid"), agent("other")], "Both run."),
        flow(When(agent="kid"), [Gate("KID"), WRITE], "Kid wrote it."),
        Rule(When(agent="other"), [Text(("Working ", Gate("NEVER"), "on."))]),
        Rule(When(notified=""), "I see."),
    ) as w:
        await w.open()
        w.agent.on("session/request_permission", None)
        end = await w.turn("go")
        kids = {
            u["title"]: u["sessionId"] for u in w.agent.updates("subagent_update") if "title" in u
        }
        kid, other = kids["Work of kid"], kids["Work of other"]
        listed = [{"type": "subagent", "sessionId": one} for one in (kid, other)]
        assert sorted(end["background"], key=str) == sorted(listed, key=str)

        # its question is its own: the parent stays idle
        w.model.release("KID")
        request = await w.agent.wait_request("session/request_permission")
        assert request["params"]["sessionId"] == kid
        assert w.agent.states(kid)[-1]["state"] == "requires_action"
        assert w.agent.states(w.session)[-1]["state"] == "idle"
        option = next(o for o in request["params"]["options"] if o["kind"] == "allow_once")
        chosen = {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}

        # one is stopped, the other is not
        w.agent.cancel(other)
        await w.agent.wait_update(
            "state_update", other, lambda u: u.get("stopReason") == "cancelled"
        )
        w.agent.answer(request["id"], chosen)
        await w.agent.wait_update("state_update", kid, lambda u: u.get("stopReason") == "end_turn")
        assert (w.cwd / "kid.txt").read_text() == "by the kid\n"
        await eventually(
            lambda: w.agent.states(w.session)[-1]["background"] == [], "an empty background"
        )

        # the parent's copy comes first, the child's directly behind
        updates = [f["params"] for f in w.agent.frames if f.get("method") == "session/update"]
        for place, params in enumerate(updates):
            update = params["update"]
            if update["sessionUpdate"] == "subagent_update" and "state" in update:
                mirror = updates[place + 1]
                assert mirror["sessionId"] == update["sessionId"]
                told = {k: v for k, v in mirror["update"].items() if k != "sessionUpdate"}
                assert told == update["state"]

        # history: told again in full, and cleared first
        async with w.later() as again:
            await again.agent.hello()
            here = {"sessionId": w.session, "cwd": str(w.cwd), "mcpServers": []}
            with pytest.raises(RpcError) as refused:
                await again.agent.request("session/resume", **here, replayFrom={"type": "end"})
            assert refused.value.code == -32602
            answer = await again.agent.request(
                "session/resume", **here, replayFrom={"type": "start"}
            )
            assert "sessionId" not in answer
            assert answer["configOptions"][0]["configId"] == "mode"
            kinds = again.kinds()
            assert kinds.index("user_message") + 1 == kinds.index("user_message_chunk")
            replayed = [u["sessionId"] for u in again.agent.updates("subagent_update")]
            assert {kid, other} <= set(replayed)
            last = [one["state"] for one in again.agent.states(w.session)]
            assert last == ["idle"]
            assert again.agent.states(kid)[0]["stopReason"] == "end_turn"
