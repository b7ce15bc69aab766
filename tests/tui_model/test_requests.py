"""Requests that wait for the person: their queue, their marks, and that nothing happens twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canopy_shared.permission import PermissionOption, parse_permission_request
from canopy_shared.updates import SubagentStateUpdate
from canopy_tui.model import events as e
from canopy_tui.model.catch_up import first_unseen, next_unseen
from canopy_tui.model.queue import following, get, head, identical, place_of
from canopy_tui.model.requests import KEPT, left_behind
from canopy_tui.model.state import PendingRequest, RequestState
from fakes.agent import said, spawned, tool
from tui_model.reducing import Story

if TYPE_CHECKING:
    from collections.abc import Callable


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


def offers(request: PendingRequest, *rows: tuple[str, str]) -> None:
    options = tuple(PermissionOption(f"id{n}", name, kind) for n, (kind, name) in enumerate(rows))
    request.payload = replace(request.payload, options=options)


ONCE, NEVER = ("allow_once", "Yes"), ("reject_once", "No")
OTHERWISE: dict[str, Callable[[Story, PendingRequest], object]] = {
    "directory": lambda story, _: setattr(story.view("a2"), "cwd", "/elsewhere"),
    "tool": lambda story, _: setattr(story.tool("x2", "a2"), "name", "Other"),
    "kind of tool": lambda story, _: setattr(story.tool("x2", "a2"), "kind", "read"),
    "argument": lambda story, _: setattr(story.tool("x2", "a2"), "raw_input", {"a": {"b": [2]}}),
    "more arguments": lambda story, _: setattr(
        story.tool("x2", "a2"), "raw_input", {"a": {"b": [1], "c": 2}, "d": None}
    ),
    "fewer options": lambda _, request: offers(request, ONCE),
    "kind of an option": lambda _, request: offers(request, ONCE, ("reject_always", "No")),
    "words of an option": lambda _, request: offers(request, ("allow_once", "Yes, in /"), NEVER),
}


@pytest.mark.parametrize("otherwise", OTHERWISE)
def test_identical_is_the_same_tool_arguments_directory_and_options(otherwise: str) -> None:
    story, _ = asking("a1", "a2")
    one, other = story.asks("a1", "x1"), story.asks("a2", "x2")
    offers(one, ONCE, NEVER)
    offers(other, NEVER, ONCE)
    for child, call in (("a1", "x1"), ("a2", "x2")):
        story.view(child).cwd = "/project/kid"
        inside = {"b": [1], "c": 2} if child == "a1" else {"c": 2, "b": [1]}
        story.tool(call, child).raw_input = {"a": inside}
    assert identical(story.state, one.key) == identical(story.state, other.key) == [one, other]
    OTHERWISE[otherwise](story, other)
    assert identical(story.state, one.key) == [one]
    assert identical(story.state, other.key) == [other]


def test_a_child_that_tells_no_directory_works_in_that_of_its_root() -> None:
    story, _ = asking("a1")
    same = [story.asks("S", "x1", "ls"), story.asks("a1", "x2", "ls")]
    assert identical(story.state, same[0].key) == same
    story.view("a1").cwd = ""
    assert identical(story.state, same[0].key) == same
    story.view("a1").cwd = "/project/worktree"
    assert identical(story.state, same[0].key) == same[:1]


def test_time_waited_adds_up_over_the_answers_about_one_call() -> None:
    story, _ = asking()
    for waited in (3.0, -5.0, 4.0):  # the clock was set back meanwhile
        request = story.asks("S", "t0")
        story.happens(e.RequestAnswered(request.key, "allow", request.at + waited))
    story.happens(e.RequestAnswered(story.asks("S", "t0").key, "allow"))  # at nobody knows when
    assert story.tool("t0").waited == 7.0


def test_the_way_through_everything_new_is_that_of_the_tree_and_ends_where_it_began() -> None:
    story, _ = asking("a1", "a2")
    story.update("a1", spawned("a3"))
    for session in ("a2", "a1", "a3", "S"):
        story.happens(e.Seen(session))
    for session in ("a2", "a1", "a3"):
        story.update(session, said("news", "m1"))
        story.update(session, said("more", "m2"))
    ways = {
        current: getattr(next_unseen(story.state, current), "id", None)
        for current in ("S", "a1", "a2", "a3", None)
    }
    assert ways == {"S": "a1", "a1": "a3", "a3": "a2", "a2": "a1", None: "a1"}
    view = story.view("a1")
    assert first_unseen(view) == view.entries[-2].key
    for session in ("a1", "a3"):
        story.happens(e.Seen(session))
    assert getattr(next_unseen(story.state, "a2"), "id", None) == "a2"  # itself comes last
    story.happens(e.Seen("a2"))
    assert next_unseen(story.state, "a2") is None
    assert first_unseen(view) is None


def test_only_what_a_child_that_ended_asks_is_given_up() -> None:
    story, [first, second] = asking("a1", "a2")
    for update, given_up in (
        (SubagentStateUpdate("a1", "running"), []),
        (SubagentStateUpdate("a2", "completed"), [second]),
        (SubagentStateUpdate("nobody", "completed"), []),
    ):
        story.happens(e.UpdateArrived("S", update, 9.0))
        assert left_behind(story.state, update) == given_up
    assert first in story.state.waiting()


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
