"""Prompts, tools, permissions and questions over stdio, on the real CLI."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, Thinking, ToolUse, When, flow
from e2e.world import FORM, world
from raw_client import RpcError

READ = ToolUse("Read", {"file_path": "{cwd}/README.md"})
WRITE = ToolUse("Write", {"file_path": "{cwd}/new.txt", "content": "one\ntwo\n"})


async def test_an_answer_streams_with_thoughts_and_one_message_id() -> None:
    reply = [Thinking("Let me think."), Text("Hello from the model.")]
    async with world(Rule(When(says="hello"), reply)) as w:
        await w.open()
        result = await w.prompt("hello there")
        assert result["stopReason"] == "end_turn"
        assert result["usage"]["outputTokens"] > 0
        assert w.agent.text() == "Hello from the model."
        thoughts = w.agent.updates("agent_thought_chunk")
        assert "".join(one["content"]["text"] for one in thoughts) == "Let me think."
        said = w.agent.updates("agent_message_chunk")
        assert len({one["messageId"] for one in said + thoughts}) == 1
        title = await w.agent.wait_update("session_info_update")
        assert title["title"]


async def test_a_tool_call_is_announced_refined_and_completed() -> None:
    async with world(flow(When(says="read"), [READ], "I have read it.")) as w:
        await w.open()
        await w.prompt("read the file")
        (call,) = w.agent.updates("tool_call")
        assert (call["name"], call["kind"], call["status"]) == ("Read", "read", "pending")
        states = [u for u in w.agent.updates("tool_call_update") if "status" in u]
        assert [one["status"] for one in states] == ["completed"]
        locations = [
            u["locations"] for u in w.agent.updates("tool_call_update") if "locations" in u
        ]
        assert locations[-1] == [{"path": f"{w.cwd}/README.md", "line": 1}]


@pytest.mark.parametrize(("kind", "written"), [("allow_once", True), ("reject_once", False)])
async def test_a_write_asks_and_does_what_was_answered(kind: str, written: bool) -> None:
    async with world(flow(When(says="write"), [WRITE], "That is all.")) as w:
        await w.open()
        w.agent.on_permission(kind)
        result = await w.prompt("write it")
        assert result["stopReason"] == "end_turn"
        (request,) = w.agent.requests("session/request_permission")
        asked = request["params"]
        assert asked["sessionId"] == w.session
        announced = {call["toolCallId"] for call in w.agent.updates("tool_call")}
        assert asked["toolCall"]["toolCallId"] in announced
        kinds = [option["kind"] for option in asked["options"]]
        assert kinds == ["allow_once", "allow_always", "reject_once"]
        assert (w.cwd / "new.txt").exists() is written


async def test_always_allows_no_more_than_it_says() -> None:
    again = ToolUse("Write", {"file_path": "{cwd}/other.txt", "content": "x\n"})
    async with world(flow(When(says="write"), [WRITE], [again], "Both written.")) as w:
        await w.open()
        w.agent.on_permission("allow_always")
        await w.prompt("write both")
        assert len(w.agent.requests("session/request_permission")) == 1
        assert (w.cwd / "other.txt").exists()


async def test_a_request_is_withdrawn_when_the_turn_is_cancelled() -> None:
    async with world(
        flow(When(says="write"), [WRITE], "Not reached."), Rule(When(says="next"), "Still here.")
    ) as w:
        await w.open()
        w.agent.on("session/request_permission", None)
        turn = w.agent.begin_prompt(w.session, "write it")
        asked = await w.agent.wait_request("session/request_permission")
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"
        withdrawn = [f for f in w.agent.frames if f.get("method") == "$/cancel_request"]
        assert [one["params"]["requestId"] for one in withdrawn] == [asked["id"]]
        last = [u for u in w.agent.updates("tool_call_update") if "status" in u][-1]
        assert last["status"] == "failed"
        assert not (w.cwd / "new.txt").exists()
        assert (await w.prompt("next"))["stopReason"] == "end_turn"
        assert w.agent.text() == "Still here."


QUESTIONS = {
    "questions": [
        {
            "question": "Which database?",
            "header": "DB",
            "multiSelect": False,
            "options": [
                {"label": "Postgres", "description": "relational"},
                {"label": "Redis", "description": "key value"},
            ],
        },
        {
            "question": "Which extras?",
            "header": "Extras",
            "multiSelect": True,
            "options": [
                {"label": "Cache", "description": "c"},
                {"label": "Queue", "description": "q"},
            ],
        },
    ]
}


async def test_a_question_is_a_form_and_its_answer_reaches_the_model() -> None:
    ask = [ToolUse("AskUserQuestion", QUESTIONS)]
    rules = flow(When(says="ask"), ask, lambda request: f"Result: {request.result_text}")
    async with world(rules) as w:
        await w.open(FORM)
        content = {
            "question_0": "Postgres",
            "question_1": ["Cache", "Queue"],
            "question_1_custom": "and logs",
        }
        w.agent.on("elicitation/create", {"action": "accept", "content": content})
        await w.prompt("ask me")
        (request,) = w.agent.requests("elicitation/create")
        schema = request["params"]["requestedSchema"]["properties"]
        assert list(schema) == [
            "question_0",
            "question_0_custom",
            "question_1",
            "question_1_custom",
        ]
        assert "Postgres" in w.agent.text()
        assert "Cache, Queue, and logs" in w.agent.text()


async def test_two_prompts_at_once_are_both_answered_each_with_its_own_text() -> None:
    rules = (
        Rule(When(says="first"), [Text(("One ", Gate("GO"), "done."))]),
        Rule(When(says="second"), "Two done."),
    )
    async with world(rules) as w:
        await w.open()
        first = w.agent.begin_prompt(w.session, "first")
        await w.agent.wait_update("agent_message_chunk")
        second = w.agent.begin_prompt(w.session, "second")
        w.model.release("GO")
        assert (await first)["stopReason"] == "end_turn"
        assert (await second)["stopReason"] == "end_turn"
        assert w.agent.text() == "One done.Two done."


async def test_a_cancel_stops_the_text_and_the_session_goes_on() -> None:
    rules = (
        Rule(When(says="count"), [Text(("One ", "two ", Gate("NEVER"), "three."))]),
        Rule(When(says="next"), "After the cancel."),
    )
    async with world(rules) as w:
        await w.open()
        turn = w.agent.begin_prompt(w.session, "count")
        await w.agent.wait_update("agent_message_chunk", match=lambda u: "two" in str(u))
        w.agent.cancel(w.session)
        w.agent.cancel(w.session)
        assert (await turn)["stopReason"] == "cancelled"
        await w.prompt("next")
        assert w.agent.text() == "One two After the cancel."


async def test_an_error_of_the_api_fails_the_prompt_with_its_kind() -> None:
    rules = (
        Rule(When(says="fail"), error=ApiError(400, "scripted refusal")),
        Rule(When(says="next"), "Works again."),
    )
    async with world(rules) as w:
        await w.open()
        with pytest.raises(RpcError) as failed:
            await w.prompt("fail")
        assert failed.value.code == -32603
        assert failed.value.data["errorKind"]
        assert "scripted refusal" in str(failed.value)
        assert (await w.prompt("next"))["stopReason"] == "end_turn"


async def test_a_mode_is_changed_and_the_options_follow() -> None:
    async with world(flow(When(says="write"), [WRITE], "Written.")) as w:
        await w.open()
        result = await w.agent.request(
            "session/set_mode", sessionId=w.session, modeId="acceptEdits"
        )
        assert result == {}
        options = w.agent.updates("config_option_update")[-1]["configOptions"]
        assert options[0]["currentValue"] == "acceptEdits"
        await w.prompt("write it")
        assert not w.agent.requests("session/request_permission")
        with pytest.raises(RpcError) as refused:
            await w.agent.request("session/set_mode", sessionId=w.session, modeId="foo")
        assert refused.value.code == -32602


async def test_commands_follow_the_session_response() -> None:
    async with world() as w:
        await w.open()
        commands = await w.agent.wait_update("available_commands_update")
        names = [one["name"] for one in commands["availableCommands"]]
        assert "mcp" in names
        assert not {"clear", "login"} & set(names)
        response = next(f for f in w.agent.frames if "sessionId" in str(f.get("result")))
        update: dict[str, Any] = next(f for f in w.agent.frames if "availableCommands" in str(f))
        assert w.place_of(response) < w.place_of(update)
