"""Requests that wait for the person: their queue, their marks, and that nothing happens twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.permission import parse_permission_request
from canopy_tui.model import events as e
from canopy_tui.model.queue import following, get, head, identical, place_of
from canopy_tui.model.requests import KEPT
from canopy_tui.model.state import PendingRequest, RequestState
from fakes.agent import spawned, tool
from tui_model.reducing import Story


def asking(*sessions: str) -> tuple[Story, list[PendingRequest]]:
    story = Story()
    story.prompt()
    for child in sorted(set(sessions) - {"S"}):
        story.update("S", spawned(child))
    return story, [story.asks(session, f"t{n}") for n, session in enumerate(sessions)]


def test_a_request_marks_its_session_and_its_call() -> None:
    story, [request] = asking("a1")
    assert story.touched.requests
    assert story.tool("t0", "a1").waits
    assert story.tool("t0", "a1").raw_input == {"command": "rm -r build"}
    story.happens(e.RequestAnswered(request.key))
    assert not story.tool("t0", "a1").waits
    assert story.state.waiting() == []


def test_a_no_is_told_from_a_failure_and_waiting_is_not_work() -> None:
    story, _ = asking()
    for call, option, rejected in (("t1", "no", True), ("t2", "yes", False), ("t3", None, False)):
        request = story.asks("S", call)
        request.payload = parse_permission_request(
            {
                "sessionId": "S",
                "toolCall": {"toolCallId": call},
                "options": [
                    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ],
            }
        )
        story.happens(e.RequestAnswered(request.key, option, request.at + 60.0))
        assert story.tool(call).rejected is rejected
        assert story.tool(call).waited == 60.0


def test_two_requests_about_one_call_keep_its_mark_until_both_are_over() -> None:
    story, _ = asking()
    first, second = story.asks("S", "t0"), story.asks("S", "t0")
    story.happens(e.RequestAnswered(first.key))
    assert story.tool("t0").waits
    story.happens(e.RequestWithdrawn(second.key))
    assert not story.tool("t0").waits


def test_withdrawn_after_answered_is_nothing() -> None:
    story, [request] = asking("S")
    story.happens(e.RequestAnswered(request.key))
    touched = story.happens(e.RequestWithdrawn(request.key))
    assert request.state is RequestState.ANSWERED
    assert not touched
    assert not story.happens(e.RequestAnswered(99))


def test_a_request_of_a_session_that_nobody_knows_still_waits() -> None:
    story, [request] = asking()[0], [Story().asks("ghost", "t9")]
    story.happens(e.RequestArrived(request))
    assert story.state.waiting() == [request]


def test_a_request_of_a_flattened_child_is_that_childs() -> None:
    story = Story()
    story.prompt()
    story.update("S", tool("A", "Fix", name="Agent"))
    meta = {"claudeCode": {"parentToolUseId": "A"}}
    story.update("S", tool("t0", _meta=meta))
    request = story.asks("S", "t0")
    assert request.session == story.view().children[0]
    assert story.tool("t0", request.session).waits


def test_a_request_of_a_later_generation_is_that_rows() -> None:
    story = Story()
    story.update("S", spawned("a1"))
    story.update("S", spawned("a1:generation:2"))
    assert story.asks("a1:generation:2", "t0").session == "a1"


# --- the order ------------------------------------------------------------------------------------


def test_the_head_is_of_the_pane_in_view_else_the_oldest() -> None:
    story, [first, second, third] = asking("a1", "a2", "a2")
    assert head(story.state, "a2") is second
    assert head(story.state, "S") is first
    assert head(story.state, None) is first
    story.happens(e.RequestAnswered(second.key))
    assert head(story.state, "a2") is third
    assert place_of(story.state, third.key) == (2, 2)
    assert place_of(story.state, second.key) == (0, 2)
    assert get(story.state, second.key) is second


def test_walking_goes_round_and_over_gaps() -> None:
    story, [first, second, third] = asking("S", "S", "S")
    assert following(story.state, first.key) is second
    assert following(story.state, third.key) is first
    assert following(story.state, first.key, -1) is third
    assert following(story.state, None) is first
    assert following(story.state, None, -1) is third
    story.happens(e.RequestWithdrawn(second.key))
    assert following(story.state, second.key) is third
    assert following(story.state, second.key, -1) is first


def test_nothing_to_walk() -> None:
    story, _ = asking()
    assert (head(story.state, "S"), following(story.state, None)) == (None, None)


def test_identical_requests_ask_for_the_same_with_the_same_tool() -> None:
    story, _ = asking("a1")
    same = [story.asks("a1", "x1", "ls"), story.asks("S", "x2", "ls")]
    other = story.asks("S", "x3", "ls -a")
    assert identical(story.state, same[0].key) == same
    assert identical(story.state, other.key) == [other]
    story.happens(e.RequestAnswered(same[0].key))
    assert identical(story.state, same[0].key) == []
    assert identical(story.state, same[1].key) == [same[1]]


def test_requests_without_a_known_input_are_like_no_other() -> None:
    story, _ = asking()
    blind = [story.asks("S", f"x{n}", "ls") for n in range(2)]
    for request in blind:
        story.tool(str(request.tool_call_id)).raw_input = None
    assert identical(story.state, blind[0].key) == [blind[0]]


def test_what_is_over_is_forgotten_in_the_end() -> None:
    story, _ = asking()
    waiting = story.asks("S", "keep")
    for number in range(KEPT + 10):
        story.happens(e.RequestAnswered(story.asks("S", f"t{number}").key))
    assert len(story.state.requests) == KEPT + 1
    assert story.state.waiting() == [waiting]


moves = st.lists(
    st.tuples(st.sampled_from(["arrive", "answer", "withdraw"]), st.integers(1, 12)), max_size=40
)


@settings(max_examples=150)
@given(moves)
def test_the_queue_never_loses_a_request(steps: list[tuple[str, int]]) -> None:
    story = Story()
    expected: dict[int, RequestState] = {}
    for move, number in steps:
        if move == "arrive":
            expected[story.asks("S", f"t{number}").key] = RequestState.WAITING
            continue
        event: Any = e.RequestAnswered(number) if move == "answer" else e.RequestWithdrawn(number)
        story.happens(event)
        if expected.get(number) is RequestState.WAITING:
            ends = {"answer": RequestState.ANSWERED, "withdraw": RequestState.WITHDRAWN}
            expected[number] = ends[move]
    assert {request.key: request.state for request in story.state.requests} == expected
    keys = [key for key, state in expected.items() if state is RequestState.WAITING]
    assert [request.key for request in story.state.waiting()] == keys
    walked, here = [], None
    for _ in keys:
        request = following(story.state, here)
        assert request is not None
        here = request.key
        walked.append(here)
    assert walked == keys


@pytest.mark.parametrize("session", ["S", "nobody"])
def test_an_elicitation_needs_no_tool_call(session: str) -> None:
    story, _ = asking()
    request = PendingRequest(
        key=7, session=session, kind="elicitation", payload=None, summary="?", at=1.0
    )
    story.happens(e.RequestArrived(request))
    assert story.state.waiting() == [request]
