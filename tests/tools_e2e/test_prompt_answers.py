"""How prompts are answered, scenario by scenario, on a scripted CLI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oracle import complaints
from raw_client import RawClient, RpcError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]
USAGE = {"input_tokens": 10, "output_tokens": 5}


def rows(tokens: int) -> Json:
    """``modelUsage``: cumulative counts of one model."""
    counts = {"inputTokens": tokens, "outputTokens": tokens, "contextWindow": 200_000}
    return {"fake": counts}


@pytest.fixture
async def client(fake_cli: FakeCli, tmp_path: Path) -> AsyncIterator[RawClient]:
    """An agent on the fake CLI; its frames fit the published schema at the end."""
    async with RawClient.spawn(env=fake_cli.env) as agent:
        yield agent
        assert complaints(agent.frames) == []


async def begin(client: RawClient, tmp_path: Path, capabilities: Json | None = None) -> str:
    await client.initialize(capabilities or {})
    return await client.new_session(tmp_path)


def said(words: str, **result: Any) -> list[Json]:
    return [{"open": {}}, {"say": words}, {"done": {"usage": USAGE, **result}}]


async def test_scenario_33_deltas_then_the_whole_message_are_sent_once(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    start = {"type": "message_start", "message": {"id": "m1", "model": "fake", "usage": {}}}
    opened = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}}
        for t in ("Hel", "", "lo")
    ]
    block = {"type": "text", "text": "Hello"}
    whole = {"id": "m1", "role": "assistant", "model": "fake", "content": [block]}
    frames = [{"type": "stream_event", "event": e} for e in (start, opened, *deltas)]
    steps = [
        {"open": {}},
        {"emit": [*frames, {"type": "assistant", "message": whole, "uuid": "u1"}]},
        {"done": {"usage": USAGE, "modelUsage": rows(5)}},
    ]
    fake_cli.play(turns=[steps])
    session = await begin(client, tmp_path)
    result = await client.prompt(session, "hi")
    chunks = client.updates("agent_message_chunk")
    assert "".join(chunk["content"]["text"] for chunk in chunks) == "Hello"
    assert {chunk["messageId"] for chunk in chunks} == {"m1"}
    assert result["stopReason"] == "end_turn"
    assert result["usage"]["inputTokens"] == 10
    assert result["_meta"]["quota"]["model_usage"][0]["model"] == "fake"


async def test_scenario_34_a_stream_that_was_cut_gets_the_remainder_alone(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    start = {"type": "message_start", "message": {"id": "m1", "model": "fake", "usage": {}}}
    opened = {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}
    delta = {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "Hel"},
    }
    block = {"type": "text", "text": "Hello"}
    whole = {"id": "m1", "role": "assistant", "model": "fake", "content": [block]}
    frames: list[Json] = [{"type": "stream_event", "event": e} for e in (start, opened, delta)]
    frames.append({"type": "assistant", "message": whole, "uuid": "u1"})
    alone = {"id": "m2", "role": "assistant", "model": "fake", "content": [block]}
    other = {"type": "assistant", "message": alone, "uuid": "u2"}
    turns = [[{"open": {}}, {"emit": f}, {"done": {}}] for f in (frames, [other])]
    fake_cli.play(turns=turns)
    session = await begin(client, tmp_path)
    await client.prompt(session, "hi")
    await client.prompt(session, "hi")
    chunks = client.updates("agent_message_chunk")
    texts = dict.fromkeys(("m1", "m2"), "")
    for chunk in chunks:
        texts[chunk["messageId"]] += chunk["content"]["text"]
    assert texts == {"m1": "Hello", "m2": "Hello"}
    assert [c["content"]["text"] for c in chunks if c["messageId"] == "m2"] == ["Hello"]


def streamed(message_id: str, blocks: list[Json], *, cut: int = 0) -> list[Json]:
    """A message as the CLI sends it: block by block, each whole after its deltas; of the texts the
    last ``cut`` characters do not stream.
    """
    fixed = {"id": message_id, "role": "assistant", "model": "fake", "usage": {}}
    events: list[Json] = [{"type": "message_start", "message": {**fixed, "content": []}}]
    frames = [{"type": "stream_event", "event": event} for event in events]
    for index, block in enumerate(blocks):
        words = block.get("text")
        key, value = ("text", words) if words else ("partial_json", json.dumps(block["input"]))
        kind = "text_delta" if words else "input_json_delta"
        hollow = {**block, **({"text": ""} if words else {"input": {}})}
        told = value[: len(value) - cut] if words else value
        start: Json = {"type": "content_block_start", "index": index, "content_block": hollow}
        delta: Json = {**start, "type": "content_block_delta", "delta": {"type": kind, key: told}}
        frames += [{"type": "stream_event", "event": event} for event in (start, delta)]
        whole = {"type": "assistant", "message": {**fixed, "content": [block]}}
        frames.append({**whole, "uuid": f"{message_id}-{index}"})
    return frames


async def test_b69_text_between_calls_comes_once_and_in_order(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    def tool(id_: str) -> Json:
        return {"type": "tool_use", "id": id_, "name": "Read", "input": {"file_path": "/a"}}

    def text(words: str) -> Json:
        return {"type": "text", "text": words}

    mixed = [text("First. "), tool("t1"), text("Second. "), tool("t2")]
    child = {"id": "c1", "role": "assistant", "model": "fake", "content": [text("Not this.")]}
    aside = {"type": "assistant", "message": child, "parent_tool_use_id": "x", "uuid": "c"}
    results: list[Json] = [{"tool_result": {"id": id_, "content": "ok"}} for id_ in ("t1", "t2")]
    steps: list[Json] = [
        {"open": {}},
        {"emit": [*streamed("m1", mixed, cut=3), aside]},
        *results,
        {"emit": streamed("m2", [text("Third.")])},
        {"done": {}},
    ]
    fake_cli.play(turns=[steps])
    session = await begin(client, tmp_path)
    assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"
    told = ""
    for update in client.updates():
        match update["sessionUpdate"]:
            case "agent_message_chunk":
                told += update["content"]["text"]
            case "tool_call":
                told += f"<{update['toolCallId']}>"
    assert told == "First. <t1>Second. <t2>Third."


async def test_scenario_38_two_prompts_in_a_row_are_both_answered_in_order(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    fake_cli.play(turns=[said("one", modelUsage=rows(5)), said("two", modelUsage=rows(12))])
    session = await begin(client, tmp_path)
    first, second = (client.begin_prompt(session, text) for text in ("a", "b"))
    one, two = await first, await second
    assert client.text() == "onetwo"
    order = [f["id"] for f in client.frames if "stopReason" in str(f.get("result"))]
    assert order == sorted(order)
    assert one["usage"] == two["usage"]
    quotas = [r["_meta"]["quota"]["model_usage"][0]["token_count"] for r in (one, two)]
    assert [q["inputTokens"] for q in quotas] == [5, 7]


STOPS: list[tuple[Json, str, str]] = [
    ({"stop_reason": "max_tokens"}, "max_tokens", "x"),
    (
        {"stop_reason": "refusal", "stop_details": {"explanation": "I will not."}},
        "refusal",
        "I will not.",
    ),
    ({"stop_reason": "refusal", "is_error": True, "result": "API"}, "refusal", "x"),
    ({"subtype": "error_max_turns"}, "max_turn_requests", "x"),
    ({"subtype": "error_max_budget_usd"}, "max_turn_requests", "x"),
    ({"subtype": "error_during_execution"}, "end_turn", "x"),
]


async def test_scenario_40_stop_reasons(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    turns = []
    for result, _, text in STOPS:
        say = [{"say": "x"}] if text == "x" else []
        turns.append([{"open": {}}, *say, {"done": result}])
    fake_cli.play(turns=turns)
    session = await begin(client, tmp_path)
    for result, reason, text in STOPS:
        before = len(client.text())
        assert (await client.prompt(session, "go"))["stopReason"] == reason, result
        assert client.text()[before:] == text, result


def failing(words: str, kind: str) -> list[Json]:
    """An API error as the CLI tells it: a synthetic message, then a result that is an error."""
    block = {"type": "text", "text": words}
    message = {"id": "m", "role": "assistant", "model": "<synthetic>", "content": [block]}
    frame = {"type": "assistant", "message": message, "error": kind, "uuid": "u"}
    return [{"open": {}}, {"emit": frame}, {"done": {"is_error": True, "result": words}}]


async def test_scenario_41_an_error_of_the_api_is_told_and_named(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    fake_cli.play(turns=[failing("Slow down.", "rate_limit"), said("fine")])
    session = await begin(client, tmp_path)
    with pytest.raises(RpcError) as failed:
        await client.prompt(session, "go")
    assert failed.value.code == -32603
    assert failed.value.data["errorKind"] == "rate_limit"
    assert "Slow down." in failed.value.message
    assert client.text() == "Slow down."
    assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"


@pytest.mark.parametrize("air", [False, True])
async def test_scenario_42_a_login_is_asked_for_by_the_error_alone(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient, air: bool
) -> None:
    fake_cli.play(turns=[failing("Please run /login", "authentication_failed")])
    capabilities = ["sessionFailure"]
    meta = {"_meta": {"jetbrains": {"air": {"version": 1, "capabilities": capabilities}}}}
    session = await begin(client, tmp_path, meta if air else {})
    with pytest.raises(RpcError) as failed:
        await client.prompt(session, "go")
    assert failed.value.code == -32000
    assert "/login" not in client.text()


async def test_scenario_44_idle_without_a_result_is_an_error_that_says_so(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    idle = {"type": "system", "subtype": "session_state_changed", "state": "idle"}
    fake_cli.play(turns=[[{"open": {}}, {"say": "x"}, {"emit": idle}], said("fine")])
    session = await begin(client, tmp_path)
    with pytest.raises(RpcError) as failed:
        await client.prompt(session, "go")
    assert (failed.value.code, failed.value.data["errorKind"]) == (-32603, "no_result")
    assert (await client.prompt(session, "go"))["stopReason"] == "end_turn"


async def test_scenario_46_a_cancel_drops_what_waits_before_it_interrupts(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    interrupted = {"subtype": "error_during_execution", "usage": USAGE, "result": "stopped"}
    steps = [
        {"open": {}},
        {"say": "Hel"},
        {"expect": {"type": "control_request", "request": {"subtype": "interrupt"}}},
        {"done": interrupted},
    ]
    fake_cli.play(turns=[steps, said("fine")])
    session = await begin(client, tmp_path)
    first = client.begin_prompt(session, "one")
    await client.wait_update("agent_message_chunk")
    second = client.begin_prompt(session, "two")
    client.cancel(session)
    assert await second == {"stopReason": "cancelled"}
    answer = await first
    assert answer["stopReason"] == "cancelled"
    assert answer["usage"]["inputTokens"] == 10
    asked = [r["subtype"] for r in fake_cli.requests()]
    assert asked.index("cancel_async_message") < asked.index("interrupt")


async def test_scenario_47_cancelling_the_request_cancels_the_prompt(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    steps = [
        {"open": {}},
        {"say": "x"},
        {"expect": {"type": "control_request", "request": {"subtype": "interrupt"}}},
        {"done": {"subtype": "error_during_execution"}},
    ]
    fake_cli.play(turns=[steps])
    session = await begin(client, tmp_path)
    turn = client.begin_prompt(session, "go")
    await client.wait_update("agent_message_chunk")
    client.notify("$/cancel_request", requestId=client._count)
    assert (await turn)["stopReason"] == "cancelled"


async def test_scenario_50_a_title_is_told_once(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    fake_cli.play(
        control={"generate_session_title": {"response": {"title": " A  title\n"}}},
        turns=[said("x")],
    )
    session = await begin(client, tmp_path)
    await client.prompt(session, "short")
    await client.prompt(session, "long enough for a title")
    await client.prompt(session, "long enough for a title")
    title = await client.wait_update("session_info_update", match=lambda u: "title" in u)
    assert title["title"] == "A title"
    assert title["updatedAt"]
    titled = [u for u in client.updates("session_info_update") if "title" in u]
    assert len(titled) == 1


async def test_scenario_51_usage_while_it_streams_and_its_cost_at_the_result(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    usage = {"input_tokens": 70, "output_tokens": 1}
    start = {"type": "message_start", "message": {"id": "m", "model": "fake", "usage": usage}}
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed_warning"}}
    steps = [
        {"open": {}},
        {"emit": [{"type": "stream_event", "event": start}]},
        {"say": "x"},
        {"done": {"total_cost_usd": 0.5, "usage": USAGE, "modelUsage": rows(5)}},
        {"emit": limit},
    ]
    fake_cli.play(turns=[steps])
    session = await begin(client, tmp_path)
    await client.prompt(session, "go")
    limited = await client.wait_update(
        "usage_update", match=lambda u: "_claude/rateLimit" in u.get("_meta", {})
    )
    assert limited["_meta"]["_claude/rateLimit"]["status"] == "allowed_warning"
    updates = client.updates("usage_update")
    assert updates[0]["used"] == 71
    assert updates[0]["_meta"]["_claude/model"] == "fake"
    costs = [u["cost"] for u in updates if "cost" in u]
    assert costs == [{"amount": 0.5, "currency": "USD"}]


DIALOG = {
    "subtype": "request_user_dialog",
    "dialog_kind": "refusal_fallback_prompt",
    "payload": {"originalModel": "big", "fallbackModel": "small", "guidanceText": "Sorry."},
}


async def test_scenario_81_a_refusal_may_go_on_with_another_model(
    fake_cli: FakeCli, tmp_path: Path, client: RawClient
) -> None:
    answers: list[tuple[Json, str]] = [
        ({"action": "accept", "content": {"choice": "retry_fallback"}}, "retry_fallback"),
        ({"action": "accept", "content": {"choice": "cancelled"}}, "cancelled"),
        ({"action": "decline"}, "cancelled"),
    ]
    fake_cli.play(turns=[[{"open": {}}, {"ask": DIALOG}, {"done": {}}]])
    session = await begin(client, tmp_path, {"elicitation": {"form": {}}})
    for answer, heard in answers:
        client.on("elicitation/create", answer)
        await client.prompt(session, "go")
        response = fake_cli.received("control_response")[-1]["response"]
        assert response["response"] == {"behavior": "completed", "result": heard}
    asked = client.requests("elicitation/create")[0]
    assert list(asked["params"]["requestedSchema"]["properties"]) == ["choice"]
    greeting = fake_cli.requests("initialize")[0]
    assert greeting["supportedDialogKinds"] == ["refusal_fallback_prompt"]
