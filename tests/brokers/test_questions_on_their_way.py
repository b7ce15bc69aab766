"""Questions that the agent carries to its client: what a plan may offer depends on who asks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import PermissionPolicy
from canopy_agent.brokers.plan_exit import PlanPolicy
from canopy_agent.capabilities import client_profile
from canopy_agent.domain.effects import AskPermission, Refuse
from canopy_agent.render.renderer import Renderer
from canopy_agent.session.asking import PERMISSION, Questions
from canopy_shared.codec import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from canopy_agent.claude.control import ControlPeer
    from canopy_shared.outbound import Outbound

PLAN = {
    "tool_name": "ExitPlanMode",
    "tool_use_id": "t1",
    "input": {"plan": "# Do it", "planFilePath": "/plans/a.md"},
}


class Client:
    """Takes what is asked, and what Claude Code is answered."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answers: list[tuple[str, Any]] = []

    def call(self, method: str, params: Any, on_answer: Callable[[Any], None]) -> int:
        assert method == PERMISSION
        self.asked.append(encode(params))
        return len(self.asked)

    def answer(self, key: str, result: Any) -> None:
        self.answers.append((key, result))

    def refuse(self, key: str, message: str) -> None:
        self.answers.append((key, message))


def questions(client: Client, plan: PlanPolicy) -> Questions:
    profile = client_profile({})
    policy = replace(PermissionPolicy(Place("/project", "/home/me")), plan=plan)
    return Questions(
        cast("Outbound", client),
        profile,
        Renderer(profile, "/project"),
        root="S",
        policy=lambda: policy,
        on_closed=lambda key, allowed: None,
        on_decided=lambda asked, decision: None,
    )


def offered(asked: AskPermission, used_percent: int | None = None) -> dict[str, str]:
    """The options of the plan, by id."""
    client = Client()
    carried = questions(client, PlanPolicy(auto_available=True))
    carried.arrived("k", PLAN, cast("ControlPeer", client))
    carried.run(asked, used_percent)
    (params,) = client.asked
    assert params["sessionId"] == asked.session
    return {option["optionId"]: option["name"] for option in params["options"]}


@pytest.mark.parametrize(
    ("asked", "afresh"),
    [
        (AskPermission("k", "S", None, False, True), True),
        (AskPermission("k", "S", None, False, False), False),  # no prompt owns it
        (AskPermission("k", "S", "launch", False, True), False),  # of a subagent
        (AskPermission("k", "S", "launch", True, False), False),
    ],
)
def test_only_the_plan_of_a_prompt_can_go_on_in_a_fresh_conversation(
    asked: AskPermission, afresh: bool
) -> None:
    found = offered(asked)
    assert any("clear" in id_ for id_ in found) is afresh
    assert {"exit-plan-default", "reject"} <= set(found)


def test_a_plan_says_how_full_the_context_is_when_that_is_known() -> None:
    asked = AskPermission("k", "S", None, False, True)
    assert "42%" in offered(asked, 42)["exit-plan-clear-auto"]
    assert not any("%" in name for name in offered(asked).values())


def test_a_refusal_of_our_own_is_answered_once_and_says_why() -> None:
    client = Client()
    carried = questions(client, PlanPolicy())
    carried.arrived("k", PLAN, cast("ControlPeer", client))
    for _ in range(2):
        carried.run(Refuse("k", "The user cancelled this work."))
    denied = {"behavior": "deny", "message": "The user cancelled this work."}
    assert client.answers == [("k", denied)]
    assert client.asked == []
