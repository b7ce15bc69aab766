from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.demo.requests import read_request
from canopy_agent.demo.rules import ANY_SUBAGENT, ANYONE, When, flow, matches
from demo.wire import called, question, returned

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest

NOTICE = (
    "<system-reminder><task-notification><status>completed</status>"
    '<summary>Agent "Look" finished</summary><result>all well</result>'
    "</task-notification></system-reminder>"
)
SPOKEN = {"role": "assistant", "content": "done"}
TITLE: dict[str, object] = {"format": {"schema": {"properties": {"title": {}}}}}


def of(*messages: object, agent: str | None = None, **more: object) -> ModelRequest:
    headers = {"x-claude-code-agent-id": agent} if agent else {}
    return read_request(1, headers, json.dumps(question(*messages, **more)).encode())


PLAIN = of("Fix the bug", tools=[{"name": "Bash"}])
AFTER = of("Fix it", called("Bash"), returned("Exit code 1\nFAILED", is_error=True))
CHILD = of("Role: reader.\nRead it.", agent="a1")
NAMELESS = of("Read it.", agent="a2")
FOLLOW_UP = of("Go", SPOKEN, NOTICE)
ASKED_TITLE = of("<session>x</session>", output_config=TITLE)


@pytest.mark.parametrize(
    ("when", "request_", "fits"),
    [
        (When(), PLAIN, True),
        (When(says="[Bb]ug$"), PLAIN, True),
        (When(says="Fix.*bug"), of("Fix\nthe bug"), True),
        (When(says="bugs"), PLAIN, False),
        (When(agent="reader"), PLAIN, False),
        (When(agent="reader"), CHILD, True),
        (When(agent="main"), CHILD, False),
        (When(agent=ANY_SUBAGENT), CHILD, True),
        (When(agent=ANY_SUBAGENT), NAMELESS, True),
        (When(agent=ANY_SUBAGENT), PLAIN, False),
        (When(agent="subagent"), NAMELESS, True),
        (When(agent=("writer", "reader")), CHILD, True),
        (When(agent=ANYONE), CHILD, True),
        (When(agent=ANYONE), ASKED_TITLE, False),
        (When(), ASKED_TITLE, False),
        (When(agent="title"), ASKED_TITLE, True),
        (When(agent="title", says="x"), ASKED_TITLE, True),
        (When(after_tool="Bash"), AFTER, True),
        (When(after_tool="Ba"), AFTER, False),
        (When(after_tool="Bash|Read"), AFTER, True),
        (When(after_tool="Bash"), PLAIN, False),
        (When(result="FAILED", is_error=True), AFTER, True),
        (When(is_error=False), AFTER, False),
        (When(result="OK"), AFTER, False),
        (When(step=1), AFTER, True),
        (When(step=0), AFTER, False),
        (When(step=0), PLAIN, True),
        (When(offers="Bash"), PLAIN, True),
        (When(offers="Grep"), PLAIN, False),
        (When(model="test"), PLAIN, True),
        (When(model="opus"), PLAIN, False),
        (When(test=lambda one: one.stream), PLAIN, True),
        (When(test=lambda one: not one.stream), PLAIN, False),
        (When(notified="Look"), FOLLOW_UP, True),
        (When(notified="all well"), FOLLOW_UP, True),
        (When(notified="other"), FOLLOW_UP, False),
        (When(says="Go"), FOLLOW_UP, False),
        (When(notified=""), PLAIN, False),
        (When(notified=""), of("Go", SPOKEN, NOTICE, "And now?"), False),
        (When(says="now"), of("Go", SPOKEN, NOTICE, "And now?"), True),
    ],
)
def test_a_rule_fits_what_it_is_for(when: When, request_: Any, fits: bool) -> None:
    assert matches(when, request_) is fits


def test_a_flow_answers_round_by_round() -> None:
    rules = flow(When(says="Fix"), "first", "second", delay=0.5)
    fitting = [[one.reply for one in rules if matches(one.when, asked)] for asked in (PLAIN, AFTER)]
    assert fitting == [["first"], ["second"]]
    assert {one.delay for one in rules} == {0.5}
