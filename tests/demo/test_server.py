from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, NoReturn

import pytest

from canopy_agent.demo.auxiliary import title_of
from canopy_agent.demo.rules import (
    AfterTurn,
    ApiError,
    Drop,
    Garble,
    Gate,
    Pause,
    Rule,
    Script,
    StreamError,
    Text,
    ToolUse,
    Usage,
    When,
)
from canopy_agent.demo.server import ScriptedModel
from demo.wire import BOUND, ask, called, connected, question, returned, text_of

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest

CHILD = {"x-claude-code-agent-id": "a1", "x-claude-code-session-id": "s1"}
MAIN = {"x-claude-code-session-id": "s1"}


async def test_the_first_rule_that_fits_answers_as_often_as_it_may() -> None:
    rules = [
        Rule(When(says="hi"), "once", times=1),
        Rule(When(says="hi"), lambda request: [Text(f"request {request.number}")]),
        Rule(When(), "else", name="rest"),
    ]
    async with ScriptedModel(rules) as model:
        told = [text_of(await ask(model, says)) for says in ("hi", "hi", "ho")]
    assert told == ["once", "request 2", "else"]
    assert model.exchanges[2].rule is rules[2]
    assert {one.outcome for one in model.exchanges} == {"answered"}


async def test_a_turn_without_a_rule_is_recognised() -> None:
    async with ScriptedModel([]) as model:
        assert text_of(await ask(model, "hello")).startswith("UNSCRIPTED")
        assert [one.says for one in model.unscripted] == ["hello"]
    async with ScriptedModel(Script([], fallback="sorry")) as model:
        assert text_of(await ask(model, "hello")) == "sorry"
        assert len(model.unscripted) == 1


async def test_ids_are_the_same_in_every_run() -> None:
    rules = [Rule(When(agent=("main", "test writer")), [ToolUse("Bash"), ToolUse("Bash")])]

    async def run() -> list[str]:
        async with ScriptedModel(rules) as model:
            main = (await ask(model, "a")).events()
            child = (await ask(model, "Role: test writer.", headers=CHILD)).events()
        return [
            *(one["content_block"]["id"] for one in main if one["type"] == "content_block_start"),
            *(one["message"]["id"] for one in child if one["type"] == "message_start"),
        ]

    first = await run()
    assert first == await run()
    assert first == [
        "toolu_01main000000000000000001",
        "toolu_01main000000000000000002",
        "msg_01testwriter000000000001",
    ]


async def test_a_gate_holds_an_answer_until_it_is_released() -> None:
    rules = [Rule(When(), [Text(("one ", Gate("mid"), "two"))])]
    async with ScriptedModel(rules) as model, connected(model) as connection:
        connection.request(question("hi"))
        await model.reached("mid")
        await connection.head()
        seen = b""
        while b'"one "' not in seen:
            seen += await connection.chunk()
        assert b'"two"' not in seen
        assert model.exchanges[0].outcome == "open"
        model.release("mid")
        while part := await connection.chunk():
            seen += part
        assert b'"two"' in seen
        assert text_of(await ask(model, "hi")) == "one two"


async def test_waiting_has_a_bound_and_says_what_was_seen() -> None:
    async with ScriptedModel([]) as model:
        await ask(model, "hello")
        with pytest.raises(TimeoutError, match=r"gate never(.|\n)*'hello'"):
            await model.reached("never", bound=0.01)
        with pytest.raises(TimeoutError, match="2 of those"):
            await model.saw(lambda one: one.says == "hello", 2, bound=0.01)
        (seen,) = await model.saw(lambda one: one.says == "hello")
    assert seen.number == 1


async def test_saw_wakes_when_the_request_comes() -> None:
    async with ScriptedModel([Rule(When(), "x")]) as model:
        waiting = asyncio.create_task(model.saw(lambda one: True, 2))
        await ask(model, "one")
        await ask(model, "two")
        assert [one.says for one in await waiting] == ["one", "two"]


async def test_an_api_error_keeps_status_and_headers() -> None:
    slow = ApiError(429, "slow down", retry_after=1.5, headers={"x-should-retry": "false"})
    rules = [Rule(When(says="slow"), [Gate("g")], error=slow), Rule(When(), error=ApiError(529))]
    async with ScriptedModel(rules) as model, connected(model) as connection:
        connection.request(question("slow"))
        await model.reached("g")
        model.release("g")
        response = await connection.response()
        assert response.status == 429
        assert (response.headers["retry-after"], response.headers["x-should-retry"]) == (
            "1.5",
            "false",
        )
        assert response.json()["error"] == {"type": "rate_limit_error", "message": "slow down"}
        connection.request(question("x"))
        overloaded = await connection.response()
        assert (overloaded.status, overloaded.json()["error"]["type"]) == (529, "overloaded_error")
    assert [one.outcome for one in model.exchanges] == ["refused", "refused"]


async def test_a_plain_request_gets_a_plain_message() -> None:
    rules = [Rule(When(), [Text("ok"), Drop(), Garble(), ToolUse("Read", {"file_path": "x"})])]
    async with ScriptedModel(rules) as model:
        message = (await ask(model, "hi", stream=False)).json()
    assert message["role"] == "assistant"
    assert [one["type"] for one in message["content"]] == ["text", "tool_use"]
    assert message["stop_reason"] == "tool_use"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_dropped_connection_is_reset(stream: bool) -> None:
    rules = [Rule(When(says="drop"), [Text("a"), Drop(always=True)]), Rule(When(), "ok")]
    async with ScriptedModel(rules) as model:
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await ask(model, "drop", stream=stream)
        assert text_of(await ask(model, "hi")) == "ok"
    assert [one.outcome for one in model.exchanges] == ["dropped", "answered"]


async def test_a_garbled_event_is_no_json() -> None:
    async with ScriptedModel([Rule(When(), [Garble(), Text("a")])]) as model:
        response = await ask(model, "hi")
    with pytest.raises(json.JSONDecodeError):
        response.events()


async def test_an_error_event_is_the_last() -> None:
    async with ScriptedModel([Rule(When(), [Text("a"), StreamError("api_error", "no")])]) as model:
        sent = (await ask(model, "hi")).events()
    assert sent[-1]["error"] == {"type": "api_error", "message": "no"}


async def test_a_client_that_hangs_up_ends_its_answer() -> None:
    async with ScriptedModel([Rule(When(), [Gate("g"), Text("x")])]) as model:
        async with connected(model) as connection:
            connection.request(question("hi"))
            await model.reached("g")
        (exchange,) = await model.had(lambda one: one.outcome != "open")
    assert exchange.outcome == "gone"


async def test_leaving_breaks_open_answers_off_and_leaves_no_task() -> None:
    rules = [Rule(When(says="gate"), [Text("a"), Gate("g")]), Rule(When(), [Pause(1000)])]
    before = asyncio.all_tasks()
    async with ScriptedModel(rules, pace=1) as model:
        streams = [asyncio.create_task(ask(model, says)) for says in ("gate", "pause")]
        async with connected(model):
            await model.saw(lambda one: True, 2)
            await model.reached("g")
            idle = await asyncio.open_connection(*model.url.removeprefix("http://").split(":"))
    ends = await asyncio.gather(*streams, return_exceptions=True)
    assert all(isinstance(one, ConnectionError | asyncio.IncompleteReadError) for one in ends)
    idle[1].close()
    await asyncio.gather(idle[1].wait_closed(), return_exceptions=True)
    assert asyncio.all_tasks() == before
    assert [one.outcome for one in model.exchanges] == ["gone", "gone"]


async def test_a_script_that_raises_is_an_error_and_a_fault() -> None:
    def broken(request: ModelRequest) -> NoReturn:
        raise OSError(f"no {request.says}")

    rules = [
        Rule(When(says="reply"), broken),
        Rule(When(says="late"), [Text("a"), Text(broken)]),
        Rule(When(says="test", test=broken), "x"),
        Rule(When(), "ok"),
    ]
    async with ScriptedModel(rules) as model:
        for says in ("reply", "test"):
            response = await ask(model, says)
            assert response.status == 400
            assert f"no {says}" in response.json()["error"]["message"]
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await ask(model, "late")
        assert text_of(await ask(model, "fine")) == "ok"
    assert [str(one) for one in model.faults] == ["no reply", "no test", "no late"]
    assert model.unscripted == []


async def test_a_subagent_can_wait_for_the_end_of_the_turn() -> None:
    rules = [
        Rule(When(agent="subagent"), [AfterTurn(at_most=BOUND, grace=0.0), Text("after")]),
        Rule(When(says="tool", step=0), [ToolUse("Bash")]),
        Rule(When(), "turn ends"),
    ]
    async with ScriptedModel(rules) as model:
        child = asyncio.create_task(ask(model, "work", headers=CHILD))
        await model.saw(lambda one: one.agent_id is not None)
        await ask(model, "elsewhere", headers={"x-claude-code-session-id": "other"})
        await ask(model, "tool", headers=MAIN)
        assert model.exchanges[0].outcome == "open"
        await ask(model, "tool", called("Bash"), returned("x"), headers=MAIN)
        assert text_of(await child) == "after"
        assert text_of(await ask(model, "more", headers=CHILD)) == "after"


async def test_a_turn_that_never_ends_does_not_hold_a_subagent_for_good() -> None:
    rules = [Rule(When(agent="subagent"), [AfterTurn(at_most=0.01), Text("after")])]
    async with ScriptedModel(rules) as model:
        assert text_of(await ask(model, "work", headers=CHILD)) == "after"


async def test_titles_suggestions_and_summaries_need_no_rule() -> None:
    wanted = {"format": {"schema": {"properties": {"title": {"type": "string"}}}}}
    told = "Please could you review the discount rules. Be quick."
    asked = f"<session>\n{told}\n</session>\n\nIn English."
    async with ScriptedModel([Rule(When(), "turn")]) as model:
        title = text_of(await ask(model, asked, output_config=wanted))
        assert json.loads(title) == {"title": "Review the discount rules"}
        assert text_of(await ask(model, "x", "[SUGGESTION MODE: what next?]")) == "go on"
        order = "CRITICAL: text only. Your task is to create a detailed summary of the conversation"
        summary = text_of(
            await ask(model, "first wish", {"role": "assistant", "content": "y"}, order)
        )
        assert "<summary>" in summary
        assert "First wish" in summary
    assert model.unscripted == []


async def test_a_script_can_answer_auxiliary_requests() -> None:
    wanted: dict[str, object] = {"format": {"schema": {"properties": {"title": {}}}}}
    script = Script(
        [Rule(When(agent="suggestion", says="ruled"), "by rule")],
        title=lambda text: text.upper(),
        suggestion=lambda request: f"after {request.says}",
        usage=lambda request: Usage(input_tokens=request.size),
    )
    async with ScriptedModel(script) as model:
        response = await ask(model, "<session>a</session>", output_config=wanted)
        assert json.loads(text_of(response)) == {"title": "A"}
        assert response.events()[0]["message"]["usage"]["input_tokens"] > 80
        assert text_of(await ask(model, "x", "[SUGGESTION MODE: z")) == "after x"
        assert text_of(await ask(model, "ruled", "[SUGGESTION MODE: z")) == "by rule"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Fix the bug", "Fix the bug"),
        ("  please,  can you fix the bug?  And run it. ", "Fix the bug"),
        ("one two three four five six seven", "One two three four five six"),
        ("x" * 200, "X" + "x" * 47),
        ("please", "Please"),
        (" \n ", "New session"),
    ],
)
def test_a_title_is_short_and_in_the_words_of_the_text(text: str, title: str) -> None:
    assert title_of(text) == title
