"""Subagents over stdio, on the real CLI: the flattened form with its hold, and the AIR form
without.
"""

from __future__ import annotations

from typing import Any

from canopy_agent.demo.rules import Gate, Rule, Text, ToolUse, When, flow
from e2e.world import BACKGROUND, FORM, NATIVE, OURS, World, world
from waiting import eventually

READ = ToolUse("Read", {"file_path": "{cwd}/README.md"})
WRITE = ToolUse("Write", {"file_path": "{cwd}/kid.txt", "content": "by the kid\n"})


def agent(*, background: bool, role: str = "kid", name: str = "Read a file") -> ToolUse:
    return ToolUse(
        "Agent",
        {
            "description": name,
            "prompt": f"Role: {role}.\n\nDo your work.",
            "subagent_type": "general-purpose",
            "run_in_background": background,
        },
    )


MAIN = flow(
    When(says="go"),
    [Text("I delegate."), agent(background=True)],
    "It runs in the background.",
)
FOLLOW_UP = Rule(When(notified=""), "The agent is finished.")
SLOW_KID = flow(
    When(agent="kid"), [Text("Kid reads."), READ], [Gate("KID"), Text("Kid saw the file.")]
)


def spawned(w: World) -> dict[str, Any]:
    return w.agent.updates("subagent_spawned", w.session)[0]


async def test_foreground_child_is_a_session_of_its_own_in_the_air_form() -> None:
    main = flow(When(says="go"), [agent(background=False)], "The child is done.")
    kid = flow(When(agent="kid"), [Text("Kid reads."), READ], "Kid saw the file.")
    async with world(main, kid) as w:
        await w.open(NATIVE)
        await w.prompt("go")
        child = spawned(w)
        assert child["name"] == "Read a file"
        assert child["capabilities"] == {}
        kid_session = child["subagentSessionId"]
        assert w.agent.text(kid_session) == "Kid reads.Kid saw the file."
        assert w.agent.text(w.session) == "The child is done."
        ends = w.agent.updates("subagent_state_update", w.session)
        assert [(e["subagentSessionId"], e["state"]) for e in ends] == [(kid_session, "completed")]
        assert not [c for c in w.agent.updates("tool_call", w.session) if c["name"] == "Agent"]
        first = next(
            f for f in w.agent.frames if f.get("params", {}).get("sessionId") == kid_session
        )
        announced = next(f for f in w.agent.frames if "subagent_spawned" in str(f))
        assert w.place_of(announced) < w.place_of(first)


async def test_a_plain_client_gets_nested_calls_with_their_parent_and_a_held_turn() -> None:
    async with world(MAIN, SLOW_KID, FOLLOW_UP) as w:
        await w.open()
        turn = w.agent.begin_prompt(w.session, "go")
        await w.model.reached("KID")
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "background" in str(u))
        assert not turn.done()
        w.model.release("KID")
        result = await turn
        assert result["stopReason"] == "end_turn"
        assert w.agent.text().endswith("The agent is finished.")
        launch = next(c for c in w.agent.updates("tool_call") if c["name"] == "Agent")
        nested = next(c for c in w.agent.updates("tool_call") if c["name"] == "Read")
        parent = nested["_meta"]["claudeCode"]["parentToolUseId"]
        assert parent == launch["toolCallId"]
        told = [f["params"] for f in w.agent.frames if f.get("method") == "session/update"]
        assert {params["sessionId"] for params in told} == {w.session}


async def test_b89_children_work_on_after_the_answer() -> None:
    async with world(MAIN, SLOW_KID, FOLLOW_UP) as w:
        await w.open(BACKGROUND)
        result = await w.prompt("go")
        assert result["stopReason"] == "end_turn"
        answered = len(w.agent.frames)
        kid = spawned(w)["subagentSessionId"]
        assert not w.agent.updates("subagent_state_update")
        await w.model.reached("KID")
        w.model.release("KID")
        await w.agent.wait_update("subagent_state_update", w.session)
        await w.agent.wait_update("agent_message_chunk", w.session, lambda u: "finished" in str(u))
        late = [
            f["params"] for f in w.agent.frames[answered:] if f.get("method") == "session/update"
        ]
        assert any(p["sessionId"] == kid and "Kid saw" in str(p) for p in late)
        ended = w.agent.updates("subagent_state_update", w.session)
        assert ended[0]["state"] == "completed"


async def test_b07_a_permission_after_the_answer_is_asked_on_the_child() -> None:
    kid = flow(When(agent="kid"), [Gate("KID"), WRITE], "Kid wrote it.")
    async with world(MAIN, kid, FOLLOW_UP) as w:
        await w.open(BACKGROUND)
        w.agent.on_permission("allow_once")
        await w.prompt("go")
        w.model.release("KID")
        request = await w.agent.wait_request("session/request_permission")
        child = spawned(w)["subagentSessionId"]
        assert request["params"]["sessionId"] == child
        call = next(c for c in w.agent.updates("tool_call", child) if c["name"] == "Write")
        assert call["toolCallId"] == request["params"]["toolCall"]["toolCallId"]
        await w.agent.wait_update("subagent_state_update", w.session)
        assert (w.cwd / "kid.txt").read_text() == "by the kid\n"


async def test_a_question_after_the_answer_is_a_form_on_the_child() -> None:
    ask = ToolUse(
        "AskUserQuestion",
        {
            "questions": [
                {
                    "question": "Which one?",
                    "header": "One",
                    "multiSelect": False,
                    "options": [
                        {"label": "A", "description": "a"},
                        {"label": "B", "description": "b"},
                    ],
                }
            ]
        },
    )
    kid = flow(When(agent="kid", offers="AskUserQuestion"), [Gate("KID"), ask], "Kid knows.")
    silent = flow(When(agent="kid"), [Gate("KID"), Text("Kid was not given the question tool.")])
    async with world(MAIN, kid, silent, FOLLOW_UP) as w:
        await w.open({**BACKGROUND, **FORM})
        w.agent.on("elicitation/create", {"action": "accept", "content": {"question_0": "A"}})
        await w.prompt("go")
        w.model.release("KID")
        await w.agent.wait_update("subagent_state_update", w.session)
        child = spawned(w)["subagentSessionId"]
        asked = w.agent.requests("elicitation/create")
        if any(r.offers("AskUserQuestion") for r in w.model.requests if r.agent == "kid"):
            assert [one["params"]["sessionId"] for one in asked] == [child]
        else:  # this CLI keeps the tool from subagents: then nobody may be asked
            assert not asked


async def test_a_follow_up_never_answers_a_prompt_that_waits() -> None:
    rules = (
        Rule(When(notified=""), [Text(("The agent ", Gate("FOLLOW"), "is finished."))]),
        Rule(When(says="second"), "An answer of its own."),
    )
    async with world(MAIN, SLOW_KID, rules) as w:
        await w.open(BACKGROUND)
        await w.prompt("go")
        w.model.release("KID")
        await w.model.reached("FOLLOW")
        second = w.agent.begin_prompt(w.session, "second")
        w.model.release("FOLLOW")
        result = await second
        assert result["stopReason"] == "end_turn"
        assert w.agent.text(w.session).endswith("is finished.An answer of its own.")


async def test_our_client_cancels_one_child_and_the_turn_of_the_other_goes_on() -> None:
    two = flow(
        When(says="go"),
        [agent(background=True), agent(background=True, role="twin", name="Twin")],
        "Both run.",
    )
    twin = flow(When(agent="twin"), [Gate("TWIN"), Text("Twin is done.")])
    async with world(two, SLOW_KID, twin, FOLLOW_UP) as w:
        await w.open(OURS)
        await w.prompt("go")
        await w.model.reached("KID")
        await w.model.reached("TWIN")
        children = {c["name"]: c for c in w.agent.updates("subagent_spawned", w.session)}
        assert children["Twin"]["capabilities"] == {"cancel": {}}
        w.agent.cancel(children["Read a file"]["subagentSessionId"])
        end = await w.agent.wait_update("subagent_state_update", w.session)
        assert end["state"] == "cancelled"
        w.agent.cancel(w.session)  # nothing runs in front: the twin is spared
        w.model.release("TWIN")
        done = await w.agent.wait_update(
            "subagent_state_update", w.session, lambda u: u["state"] == "completed"
        )
        assert done["subagentSessionId"] == children["Twin"]["subagentSessionId"]


async def test_nested_children_hang_below_their_own_parent() -> None:
    main = flow(When(says="go"), [agent(background=False, name="Outer")], "All done.")
    inner = agent(background=False, role="grandkid", name="Inner")
    kid = flow(When(agent="kid"), [inner], "Outer is done.")
    grandkid = flow(When(agent="grandkid"), [READ], "Inner is done.")
    async with world(main, kid, grandkid) as w:
        await w.open(NATIVE)
        await w.prompt("go")
        outer = spawned(w)["subagentSessionId"]
        (below,) = w.agent.updates("subagent_spawned", outer)
        assert below["name"] == "Inner"
        assert w.agent.text(below["subagentSessionId"]) == "Inner is done."
        assert len(w.agent.updates("subagent_state_update", outer)) == 1


async def test_b22_a_root_cancel_ends_children_and_says_so() -> None:
    async with world(MAIN, SLOW_KID, FOLLOW_UP, Rule(When(says="next"), "Next.")) as w:
        await w.open(BACKGROUND)
        await w.prompt("go")
        await w.model.reached("KID")
        w.agent.cancel(w.session)
        end = await w.agent.wait_update("subagent_state_update", w.session)
        assert end["state"] == "cancelled"
        w.model.release("KID")
        assert (await w.prompt("next"))["stopReason"] == "end_turn"
        await eventually(lambda: "Next." in w.agent.text(w.session), "the next answer")
        assert "Kid saw" not in w.agent.text()
