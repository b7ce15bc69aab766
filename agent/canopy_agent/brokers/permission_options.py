"""Which answers a permission request offers, and what each says to the CLI.

It decides from the request and a policy alone; who is asked, and when, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from canopy_agent.brokers import plan_exit
from canopy_agent.brokers.asked import ABORTED, ControlAnswer, ControlError, ControlResult
from canopy_agent.brokers.asked import PermissionAsked as Asked
from canopy_agent.brokers.choices import (
    ALLOW,
    REJECT,
    AllowAlways,
    AllowOnce,
    Choice,
    KeepPlanning,
    LeavePlan,
    Reject,
    RestartWithPlan,
    in_order,
)
from canopy_agent.brokers.durable import Place, durable_choices
from canopy_shared.permission import PermissionOutcome

ASK_USER_QUESTION: Final = "AskUserQuestion"
ENTER_PLAN_MODE: Final = "EnterPlanMode"

REJECTED_MESSAGE: Final = "The user refused permission to run this tool"
REJECTED_AND_TOLD: Final = "The user refused permission to run this tool, and said:\n"
NOT_OFFERED: Final = "The client picked an option that was not offered"

TEMPORARY: Final = "user_temporary"
PERMANENT: Final = "user_permanent"
REJECTED: Final = "user_reject"


@dataclass(frozen=True, slots=True)
class PermissionPolicy:
    """What of the session decides the options."""

    place: Place
    plan: plan_exit.PlanPolicy = plan_exit.PlanPolicy()  # noqa: RUF009 - frozen, holds no state


@dataclass(frozen=True, slots=True)
class Decision:
    """What the user decided: the answer for the CLI, and the picked option, None when there is
    none.
    """

    answer: ControlAnswer
    choice: Choice | None = None

    @property
    def mode(self) -> str | None:
        """The permission mode that the option asked for, as it was labelled."""
        match self.choice:
            case Choice(effect=LeavePlan(mode) | RestartWithPlan(mode)):
                return mode
            case _:
                return None


def options_for(asked: Asked, policy: PermissionPolicy) -> tuple[Choice, ...]:
    """The options in the order they are shown.

    Raises ``ValueError`` for AskUserQuestion: a question is a form and has no options of this kind.
    """
    if asked.tool_name == ASK_USER_QUESTION:
        raise ValueError("a question is asked as a form")
    if asked.tool_name == plan_exit.EXIT_PLAN_MODE:
        choices = plan_exit.plan_choices(asked, policy.plan)
    elif asked.tool_name == ENTER_PLAN_MODE:
        choices = (replace(ALLOW, name="Enter plan mode"), replace(REJECT, name="Do not plan"))
    else:
        choices = (ALLOW, *durable_choices(asked, policy.place), REJECT)
    return in_order(choices, reject_first=asked.default_to_no)


def answer_for(
    choice: Choice, asked: Asked, policy: PermissionPolicy, reason: str = ""
) -> ControlResult:
    """The control response that ``choice`` stands for; ``reason`` is what was said to a no."""
    match choice.effect:
        case AllowOnce():
            return _allow(asked, TEMPORARY)
        case AllowAlways(updates):
            return _allow(asked, PERMANENT, [dict(update) for update in updates])
        case LeavePlan(mode):
            effective = plan_exit.effective_mode(mode, policy.plan)
            update = {"type": "setMode", "mode": effective, "destination": "session"}
            return _allow(asked, TEMPORARY if mode == "default" else PERMANENT, [update])
        case RestartWithPlan():
            return _deny(asked, plan_exit.FRESH_CONTEXT_MESSAGE, interrupt=True)
        case KeepPlanning() if reason:  # with words to go by, the turn goes on
            return _deny(asked, f"{plan_exit.KEEP_PLANNING_AND_TOLD}{reason}", REJECTED)
        case KeepPlanning():
            return _deny(asked, plan_exit.KEEP_PLANNING_MESSAGE, REJECTED, interrupt=True)
        case Reject():
            message = f"{REJECTED_AND_TOLD}{reason}" if reason else REJECTED_MESSAGE
            return _deny(asked, message, REJECTED)
        case _:
            assert_never(choice.effect)


def decide(
    outcome: PermissionOutcome,
    choices: tuple[Choice, ...],
    asked: Asked,
    policy: PermissionPolicy,
    *,
    in_background: bool = False,
) -> Decision:
    """Turn the client's answer into one for the CLI.

    A cancelled request aborts the tool, and with it the turn; of a background subagent it is a
    refusal, as no turn of the user may end for it. An option that was not offered is an error.
    """
    if outcome.option_id is None:
        return Decision(_deny(asked, REJECTED_MESSAGE, REJECTED) if in_background else ABORTED)
    picked = next((choice for choice in choices if choice.id == outcome.option_id), None)
    if picked is None:
        return Decision(ControlError(NOT_OFFERED))
    return Decision(answer_for(picked, asked, policy, outcome.reason), picked)


def _allow(
    asked: Asked, classification: str, updates: list[dict[str, Any]] | None = None
) -> ControlResult:
    response: dict[str, Any] = {"behavior": "allow", "updatedInput": dict(asked.input)}
    if updates is not None:
        response["updatedPermissions"] = updates
    response["toolUseID"] = asked.tool_use_id
    response["decisionClassification"] = classification
    return ControlResult(response)


def _deny(
    asked: Asked, message: str, classification: str | None = None, *, interrupt: bool = False
) -> ControlResult:
    response: dict[str, Any] = {
        "behavior": "deny",
        "message": message,
        "toolUseID": asked.tool_use_id,
    }
    if classification is not None:
        response["decisionClassification"] = classification
    if interrupt:
        response["interrupt"] = True
    return ControlResult(response)
