"""Leaving plan mode: the options of ``ExitPlanMode``, and what follows from each.

Which turn asked, and how a fresh conversation is started, is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from canopy_agent.brokers.asked import PermissionAsked
from canopy_agent.brokers.choices import (
    Choice,
    KeepPlanning,
    LeavePlan,
    RestartWithPlan,
)
from canopy_shared.permission import ALLOW_ALWAYS, ALLOW_ONCE, REJECT_ONCE

EXIT_PLAN_MODE: Final = "ExitPlanMode"

KEEP_PLANNING_AND_TOLD: Final = (
    "The user wants to keep planning and did not approve this plan. Stay in plan mode, take what "
    "they said into the plan and present it again. They said:\n"
)
KEEP_PLANNING_MESSAGE: Final = (
    "The user wants to keep planning and did not approve this plan. "
    "Stay in plan mode and wait for the user."
)
FRESH_CONTEXT_MESSAGE: Final = (
    "The user approved the plan. It will be carried out in a fresh conversation; stop here."
)


@dataclass(frozen=True, slots=True)
class PlanPolicy:
    """What decides the options.

    ``mode_before`` is the mode that plan mode replaced. ``auto_supported`` says whether the
    current model can run in auto mode. ``may_restart`` is false when no prompt owns the request.
    """

    auto_available: bool = False
    bypass_available: bool = False
    mode_before: str | None = None
    auto_supported: bool = True
    may_restart: bool = True
    context_used_percent: int | None = None


_MODE_SUFFIX: Final = {
    "auto": "auto",
    "bypassPermissions": "bypass",
    "acceptEdits": "accept-edits",
}
_MODE_WORDS: Final = {
    "auto": "in Auto mode",
    "bypassPermissions": "with all permissions bypassed",
    "acceptEdits": "and accept all edits",
}


def effective_mode(mode: str, policy: PlanPolicy) -> str:
    """The mode the CLI is put in: a model without auto mode gets Accept edits in its place."""
    return "acceptEdits" if mode == "auto" and not policy.auto_supported else mode


def _elevated_modes(policy: PlanPolicy) -> tuple[str, ...]:
    """The modes that ask less than Manual, the preferred one first."""
    before = policy.mode_before
    offered = {
        "acceptEdits": before == "acceptEdits",
        "auto": policy.auto_available,
        "bypassPermissions": policy.bypass_available,
    }
    names = sorted(offered, key=lambda mode: mode != before)
    return tuple(mode for mode in names if offered[mode]) or ("acceptEdits",)


def _words(mode: str, policy: PlanPolicy) -> str:
    words = _MODE_WORDS[mode]
    if effective_mode(mode, policy) != mode:
        return f"{words} (this model has none: edits are accepted, other tools ask)"
    return words


def plan_choices(asked: PermissionAsked, policy: PlanPolicy) -> tuple[Choice, ...]:
    """The options of one ExitPlanMode request; a fresh conversation needs a plan that is not
    blank.
    """
    modes = _elevated_modes(policy)
    choices = [
        Choice(
            "exit-plan-default",
            ALLOW_ONCE,
            "Approve the plan and ask before each edit",
            LeavePlan("default"),
        )
    ]
    if policy.may_restart and asked.input_text("plan") is not None:
        percent = policy.context_used_percent
        used = "" if percent is None else f" ({percent}% used)"
        choices.append(
            Choice(
                f"exit-plan-clear-{_MODE_SUFFIX[modes[0]]}",
                ALLOW_ALWAYS,
                f"Approve, clear the context{used} and go on {_words(modes[0], policy)}",
                RestartWithPlan(modes[0]),
            )
        )
    choices += [
        Choice(
            f"exit-plan-{_MODE_SUFFIX[mode]}",
            ALLOW_ALWAYS,
            f"Approve and go on {_words(mode, policy)}",
            LeavePlan(mode),
        )
        for mode in modes
    ]
    choices.append(Choice("reject", REJECT_ONCE, "Keep planning", KeepPlanning()))
    return tuple(choices)


def plan_of(asked: PermissionAsked) -> str | None:
    """The plan that the user was asked to approve, None when it is blank."""
    return asked.input_text("plan")


def continuation_prompt(plan: str) -> str:
    """The message that carries an approved plan into a fresh conversation."""
    return f"Carry out the following plan. The user has approved it.\n\n{plan}"
