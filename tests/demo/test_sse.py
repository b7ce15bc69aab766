from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_agent.demo.requests import read_request
from canopy_agent.demo.rules import (
    AfterTurn,
    Gate,
    Pause,
    Ping,
    RedactedThinking,
    Step,
    StreamError,
    Text,
    Thinking,
    ToolUse,
    Usage,
)
from canopy_agent.demo.sse import Answer, Event, assemble, encode, filled, pieces, play
from demo.wire import question

HERE = {"role": "system", "content": "Primary working directory: /here"}
REQUEST = read_request(1, {}, json.dumps(question("hi", HERE)).encode())


def answer(*steps: Step, **more: Any) -> Answer:
    numbers = itertools.count(1)
    return Answer(REQUEST, "msg_1", steps, lambda: f"toolu_{next(numbers)}", **more)


def events(*steps: Step, **more: Any) -> list[Any]:
    return [one.payload for one in play(answer(*steps, **more)) if isinstance(one, Event)]


def kinds(payloads: list[Any]) -> list[str]:
    return [one["type"] for one in payloads]


def test_a_text_has_the_events_of_the_api() -> None:
    sent = events(Text("one two"), Ping())
    assert kinds(sent) == [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "ping",
        "message_delta",
        "message_stop",
    ]
    assert sent[0]["message"]["id"] == "msg_1"
    assert sent[0]["message"]["model"] == "claude-test"
    assert [one["delta"]["text"] for one in sent[2:4]] == ["one ", "two"]
    assert sent[-2]["delta"] == {"stop_reason": "end_turn", "stop_sequence": None}


def test_blocks_are_numbered_and_end_with_their_seal() -> None:
    sent = events(Thinking("so it is"), RedactedThinking("xyz"), Text("done"))
    starts = [one["content_block"]["type"] for one in sent if one["type"] == "content_block_start"]
    assert starts == ["thinking", "redacted_thinking", "text"]
    assert {one["index"] for one in sent if "index" in one} == {0, 1, 2}
    seals = [one["delta"] for one in sent if one.get("delta", {}).get("type") == "signature_delta"]
    assert len(seals) == 1
    assert len(seals[0]["signature"]) > 20
    told = events(Thinking("so it is", signature="mine"))
    assert told[-4]["delta"]["signature"] == "mine"


def test_tool_input_arrives_in_pieces_of_its_json() -> None:
    long = {"file_path": "{cwd}/a.py", "content": "grün " * 30}
    sent = events(Text("I write."), ToolUse("Write", long), ToolUse("Bash", id="mine"))
    parts = [
        one["delta"]["partial_json"]
        for one in sent
        if one.get("delta", {}).get("type") == "input_json_delta" and one["index"] == 1
    ]
    assert len(parts) > 3
    assert json.loads("".join(parts)) == {"file_path": "/here/a.py", "content": "grün " * 30}
    ids = [one["content_block"].get("id") for one in sent if one["type"] == "content_block_start"]
    assert ids == [None, "toolu_1", "mine"]
    assert sent[-2]["delta"]["stop_reason"] == "tool_use"
    assert events(ToolUse("Bash"), stop="max_tokens")[-2]["delta"]["stop_reason"] == "max_tokens"


def test_waits_before_the_first_content_hold_everything_back() -> None:
    actions = list(play(answer(Pause(1.0), Gate("g"), AfterTurn(), Text("x"), Gate("h"))))
    assert actions[:3] == [Pause(1.0), Gate("g"), AfterTurn()]
    assert isinstance(actions[3], Event)
    assert Gate("h") in actions[4:]


def test_a_text_in_parts_stops_where_it_says() -> None:
    actions = list(play(answer(Text(("one ", Gate("g"), "two")))))
    at = actions.index(Gate("g"))
    before, after = actions[at - 1], actions[at + 1]
    assert isinstance(before, Event)
    assert isinstance(after, Event)
    assert (before.payload["delta"]["text"], after.payload["delta"]["text"]) == ("one ", "two")


def test_each_piece_is_followed_by_its_delay() -> None:
    actions = list(play(answer(Text("a b"), Text("c", delay=0.5), delay=0.1)))
    assert [one.seconds for one in actions if isinstance(one, Pause)] == [0.1, 0.1, 0.5]


def test_an_error_event_ends_the_stream() -> None:
    sent = events(Text("a"), StreamError(), Text("b"))
    assert sent[-1] == {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "Overloaded"},
    }


@pytest.mark.parametrize(
    ("usage", "output"), [(Usage(), 100), (Usage(input_tokens=7, output_tokens=3), 3)]
)
def test_tokens_are_measured_unless_they_are_told(usage: Usage, output: int) -> None:
    sent = events(Text("x" * 400), usage=usage)
    assert sent[0]["message"]["usage"]["input_tokens"] == usage.input_tokens
    assert sent[-2]["usage"] == {"output_tokens": output}


def test_a_stream_amounts_to_a_message() -> None:
    steps = (Thinking("hm"), Text("one two"), ToolUse("Bash", {"command": "ls"}))
    actions = play(answer(*steps))
    message = assemble(one for one in actions if isinstance(one, Event))
    assert [one["type"] for one in message["content"]] == ["thinking", "text", "tool_use"]
    assert message["content"][0]["signature"]
    assert message["content"][1]["text"] == "one two"
    assert message["content"][2]["input"] == {"command": "ls"}
    assert message["stop_reason"] == "tool_use"
    broken = play(answer(ToolUse("Bash", raw_input='{"comm')))
    whole = assemble(one for one in broken if isinstance(one, Event))
    assert whole["content"][0]["input"] == {}


def test_values_of_a_tool_input_may_ask_the_request() -> None:
    wanted = {
        "a": lambda one: [one.says, "{cwd}"],
        "b": {"c": ("{cwd}/x", 1, None)},
        "d": "{other}",
    }
    assert filled(wanted, REQUEST) == {
        "a": ["hi", "/here"],
        "b": {"c": ["/here/x", 1, None]},
        "d": "{other}",
    }
    assert filled(lambda one: {"n": one.number}, REQUEST) == {"n": 1}


@given(st.text())
def test_pieces_lose_nothing(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert "".join(pieces(text, 3)) == text


def test_an_event_on_the_wire_is_one_frame() -> None:
    raw = encode(Event({"type": "ping", "note": "a\n\nb ü"})).decode()
    assert raw.startswith("event: ping\ndata: {")
    assert raw.count("\n") == 3
    assert json.loads(raw.splitlines()[1].removeprefix("data: "))["note"] == "a\n\nb ü"
