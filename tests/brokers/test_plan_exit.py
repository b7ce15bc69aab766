"""Leaving plan mode: options and answers of ExitPlanMode."""

from __future__ import annotations

from typing import Any

import pytest

from brokers.conftest import ask
from canopy_agent.brokers import plan_exit
from canopy_agent.brokers.asked import ControlResult
from canopy_agent.brokers.durable import Place
from canopy_agent.brokers.permission_options import Decision, PermissionPolicy, decide, options_for
from canopy_agent.brokers.plan_exit import PlanPolicy
from canopy_shared.permission import PermissionOutcome

PLAN = ask("ExitPlanMode", {"plan": "# Plan\n\n1. Write a file"})
BOTH = PlanPolicy(auto_available=True, bypass_available=True)


def policy(plan: PlanPolicy) -> PermissionPolicy:
    return PermissionPolicy(Place("/project", "/home/me"), plan)


def ids(plan: PlanPolicy, asked: Any = PLAN) -> list[str]:
    return [choice.id for choice in options_for(asked, policy(plan))]


def pick(id_: str, plan: PlanPolicy = BOTH) -> tuple[Decision, dict[str, Any]]:
    decision = decide(PermissionOutcome(id_), options_for(PLAN, policy(plan)), PLAN, policy(plan))
    assert isinstance(decision.answer, ControlResult)
    return decision, dict(decision.answer.response)


def test_scenario_73_auto_and_bypass() -> None:
    assert ids(BOTH) == [
        "exit-plan-default",
        "exit-plan-clear-auto",
        "exit-plan-auto",
        "exit-plan-bypass",
        "reject",
    ]


def test_scenario_73_a_blank_plan_has_no_fresh_conversation() -> None:
    blank = ask("ExitPlanMode", {"plan": " \n"})
    assert ids(BOTH, blank) == [
        "exit-plan-default",
        "exit-plan-auto",
        "exit-plan-bypass",
        "reject",
    ]


def test_scenario_73_neither_mode() -> None:
    assert ids(PlanPolicy()) == [
        "exit-plan-default",
        "exit-plan-clear-accept-edits",
        "exit-plan-accept-edits",
        "reject",
    ]


def test_b47_the_mode_before_planning_goes_first() -> None:
    before = PlanPolicy(auto_available=True, bypass_available=True, mode_before="bypassPermissions")
    assert ids(before)[1:4] == [
        "exit-plan-clear-bypass",
        "exit-plan-bypass",
        "exit-plan-auto",
    ]


def test_a_request_without_a_turn_cannot_start_afresh() -> None:
    assert "exit-plan-clear-auto" not in ids(
        PlanPolicy(auto_available=True, bypass_available=True, may_restart=False)
    )


def test_the_label_says_how_full_the_context_is() -> None:
    known = PlanPolicy(auto_available=True, context_used_percent=37)
    names = {choice.id: choice.name for choice in options_for(PLAN, policy(known))}
    assert "37%" in names["exit-plan-clear-auto"]
    assert "%" not in names["exit-plan-auto"]


@pytest.mark.parametrize(
    ("id_", "mode", "classification"),
    [
        ("exit-plan-default", "default", "user_temporary"),
        ("exit-plan-auto", "auto", "user_permanent"),
        ("exit-plan-bypass", "bypassPermissions", "user_permanent"),
    ],
)
def test_scenario_74_an_approved_plan_sets_the_mode(
    id_: str, mode: str, classification: str
) -> None:
    decision, response = pick(id_)
    assert response == {
        "behavior": "allow",
        "updatedInput": dict(PLAN.input),
        "updatedPermissions": [{"type": "setMode", "mode": mode, "destination": "session"}],
        "toolUseID": "toolu_1",
        "decisionClassification": classification,
    }
    assert decision.mode == mode


def test_auto_with_a_model_that_lacks_it_accepts_edits_and_says_so() -> None:
    lacking = PlanPolicy(auto_available=True, auto_supported=False)
    _, response = pick("exit-plan-auto", lacking)
    assert response["updatedPermissions"][0]["mode"] == "acceptEdits"
    names = {choice.id: choice.name for choice in options_for(PLAN, policy(lacking))}
    assert "edits are accepted" in names["exit-plan-auto"]


def test_scenario_75_keep_planning_interrupts() -> None:
    decision, response = pick("reject")
    assert response.pop("message") == plan_exit.KEEP_PLANNING_MESSAGE
    assert response == {
        "behavior": "deny",
        "toolUseID": "toolu_1",
        "decisionClassification": "user_reject",
        "interrupt": True,
    }
    assert decision.mode is None


def test_scenario_76_a_fresh_conversation_interrupts_and_keeps_the_mode_for_later() -> None:
    decision, response = pick("exit-plan-clear-auto")
    assert (response["behavior"], response["interrupt"]) == ("deny", True)
    assert "updatedPermissions" not in response
    assert decision.mode == "auto"
    plan = plan_exit.plan_of(PLAN)
    assert plan
    assert plan in plan_exit.continuation_prompt(plan)
