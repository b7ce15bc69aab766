"""What holds for any sequence of facts about a call, for every kind of client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_agent.domain.facts import (
    ToolBeat,
    ToolClosed,
    ToolDenied,
    ToolExited,
    ToolHookResponse,
    ToolInputComplete,
    ToolInputGrew,
    ToolOpened,
    ToolReturned,
)
from canopy_agent.render.toolcalls import (
    MAX_AWAITING_HOOK,
    MAX_REMEMBERED,
    SentMeta,
    ToolCall,
    ToolCalls,
    same_json,
)
from render.showing import PROFILES, Client, renderer, shown, told

if TYPE_CHECKING:
    from canopy_agent.capabilities import ClientProfile
    from canopy_agent.domain.facts import Fact

INPUTS: dict[str, list[dict[str, Any]]] = {
    "Bash": [{"command": "ls"}, {"command": "ls", "description": "d"}],
    "Read": [{"file_path": "/project/a"}, {"file_path": "/project/a", "limit": 3}],
    "Write": [{"file_path": "/project/a"}, {"file_path": "/project/a", "content": "x\n"}],
    "Edit": [
        {"file_path": "/project/a"},
        {"file_path": "/project/a", "old_string": "x", "new_string": "y"},
    ],
    "Grep": [{"pattern": "x"}, {"pattern": "x", "path": "/project", "-i": True}],
    "Agent": [{"description": "d"}, {"description": "d", "prompt": "p"}],
    "TodoWrite": [{}, {"todos": [{"content": "a", "status": "pending"}]}],
    "TaskCreate": [{}, {"subject": "a"}],
    "ExitPlanMode": [{}, {"plan": "# P"}],
    "mcp__a__b": [{"x": 1}, {"x": 1, "y": True}],
    "ToolSearch": [{"query": "x"}],
}
RESPONSES: list[Any] = [
    None,
    "text",
    {"stdout": "a", "stderr": "", "interrupted": False},
    {"stdout": "", "stderr": "", "backgroundTaskId": "b1"},
    {"filePath": "/project/a", "originalFile": "x\n", "oldString": "x", "structuredPatch": []},
    {"type": "create", "filePath": "/project/a", "content": "x\n", "structuredPatch": []},
    {"structuredPatch": [{"newStart": 1, "lines": ["-x", "+y"]}], "filePath": "/project/a"},
    {"status": "completed", "content": [{"type": "text", "text": "t"}]},
    {"status": "async_launched", "isAsync": True},
]
CONTENTS: list[Any] = ["", "text", "Exit code 2\nx", [{"type": "text", "text": "t"}], None, [{}]]


def disk(path: str) -> bytes | None:
    return b"y\n" if path == "/project/a" else None


@st.composite
def any_facts(draw: st.DrawFn, id_: str = "t") -> list[Fact]:
    """Facts about one call in any order, repeated or missing."""
    name = draw(st.sampled_from(sorted(INPUTS)))
    inputs = st.sampled_from(INPUTS[name])
    flag = st.booleans()
    fact: st.SearchStrategy[Fact] = st.one_of(
        st.just(ToolOpened(id_, name)),
        st.builds(ToolInputGrew, st.just(id_), inputs),
        st.builds(ToolInputComplete, st.just(id_), st.just(name), inputs, flag),
        st.builds(
            ToolReturned,
            st.just(id_),
            st.sampled_from(CONTENTS),
            flag,
            st.sampled_from(RESPONSES),
            st.none() | st.just("interrupted"),
            st.none(),
            flag,
            flag,
        ),
        st.builds(
            ToolHookResponse, st.just(id_), st.just(name), inputs, st.sampled_from(RESPONSES)
        ),
        st.builds(ToolBeat, st.just(id_), st.floats(0, 9)),
        st.just(ToolDenied(id_, "rule", "no", "no")),
        st.builds(ToolClosed, st.just(id_), st.sampled_from(["stopped", "turn_ended"])),
        st.just(ToolExited(id_)),
    )
    return draw(st.lists(fact, max_size=12))


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@given(facts=any_facts(), parent=st.none() | st.just("launch"))
@settings(max_examples=40, deadline=None)
def test_any_order_is_valid_and_says_something_each_time(
    profile: ClientProfile, facts: list[Fact], parent: str | None
) -> None:
    """No update is empty, none comes before its call, none creates a call twice, all are valid."""
    client = Client()
    here = renderer(profile, read_file=disk)
    for fact in facts:
        for update in told(here, fact, parent=parent):
            if update["sessionUpdate"] == "tool_call_update":
                assert update.keys() - {"sessionUpdate", "toolCallId"}
                assert update.get("_meta", {"x": 1})
            client.take(update)
    is_open = client.calls.get("t", {"status": "completed"})["status"] in ("pending", "in_progress")
    assert here.is_open("t") == is_open


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@given(
    name=st.sampled_from(sorted(INPUTS)),
    content=st.sampled_from(CONTENTS),
    failed=st.booleans(),
    response=st.sampled_from(RESPONSES),
    beats=st.integers(0, 2),
)
@settings(max_examples=40, deadline=None)
def test_merged_updates_equal_the_whole(
    profile: ClientProfile, name: str, content: Any, failed: bool, response: Any, beats: int
) -> None:
    """A client that merged a streamed call has what one gets that was shown the call at once."""
    *partial, whole = INPUTS[name]
    start: list[Fact] = [ToolOpened("t", name)]
    start += [ToolInputGrew("t", fields) for fields in partial]
    start += [ToolBeat("t", float(beat)) for beat in range(beats)]
    end: list[Fact] = [
        ToolInputComplete("t", name, whole),
        ToolInputComplete("t", name, whole),
        ToolHookResponse("t", name, whole, response),
        ToolReturned("t", content, failed, response),
    ]
    streamed = Client().take_all(shown(profile, *start, *end, read_file=disk))
    at_once = Client().take_all(shown(profile, *end, read_file=disk))
    for client in (streamed, at_once):
        for call in client.calls.values():
            call.get("_meta", {}).get("claudeCode", {}).pop("toolResponse", None)
    assert streamed.calls == at_once.calls
    assert streamed.others == at_once.others


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_calls_do_not_mix(data: st.DataObject) -> None:
    """Facts of two calls in any order tell each of them as if it were alone."""
    one = data.draw(any_facts("one"))
    two = data.draw(any_facts("two"))
    order = data.draw(st.permutations([True] * len(one) + [False] * len(two)))
    left, right = iter(one), iter(two)
    mixed = [next(left) if first else next(right) for first in order]
    profile = PROFILES["air terminal"]

    def calls(facts: list[Fact]) -> dict[str, Any]:
        return Client().take_all(shown(profile, *facts, read_file=disk)).calls

    assert calls(mixed) == calls(one) | calls(two)


scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "1", "true"])
jsons = st.recursive(scalars, lambda s: st.lists(s) | st.dictionaries(st.text(), s), max_leaves=6)


@given(jsons, jsons)
@settings(deadline=None)
def test_same_json_is_equality_of_json(one: Any, other: Any) -> None:
    import json

    def text(value: Any) -> str:
        return json.dumps(value, sort_keys=True)

    assert same_json(one, other) == (text(one) == text(other))
    assert same_json(one, json.loads(text(one)))


# --- memory --------------------------------------------------------------------------------------


def test_finished_calls_leave_little_behind() -> None:
    calls = ToolCalls(strips_meta=True)
    for number in range(3 * MAX_REMEMBERED):
        call = calls.add(ToolCall(f"c{number}", "Bash"))
        calls.start(call, {"title": "x", "raw_input": {"big": "x"}}, {})
        call.returned = True
        calls.settle(call)
    newest = 3 * MAX_REMEMBERED - 1
    kept = [number for number in range(newest + 1) if calls.get(f"c{number}")]
    assert kept == list(range(newest + 1 - MAX_AWAITING_HOOK, newest + 1))
    awaiting = calls.get(f"c{newest}")
    assert awaiting is not None
    assert "raw_input" not in awaiting.sent


def test_meta_of_old_calls_is_forgotten_and_told_again() -> None:
    meta = {"claudeCode": {"toolName": "Bash"}}
    sent = SentMeta(strips=True)
    assert sent.take("first", meta) == (meta, True)
    assert sent.take("first", meta) == ({}, False)
    for number in range(MAX_REMEMBERED):
        sent.take(f"c{number}", meta)
    assert sent.take("first", meta) == (meta, True)
