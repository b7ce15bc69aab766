"""What a person decides about a plan, on its way from the answered request to the core and back.

Options are the broker's, what a decision means to the turn is the core's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from canopy_agent.brokers.choices import Choice, KeepPlanning, LeavePlan, RestartWithPlan
from canopy_agent.brokers.plan_exit import continuation_prompt, plan_of
from canopy_agent.domain import events as e

if TYPE_CHECKING:
    from canopy_agent.brokers.asked import PermissionAsked
    from canopy_agent.brokers.permission_options import Decision
    from canopy_agent.domain.effects import RestartConversation
    from canopy_agent.session.config import SessionConfig

Renew = Callable[[str, Callable[[str | None], None]], None]
"""Replaces the CLI by one with an empty conversation in a mode; calls back with what went wrong."""


class PlanDecisions:
    """The decisions of one session."""

    def __init__(
        self, config: SessionConfig, handle: Callable[[e.Event], None], renew: Renew
    ) -> None:
        self._config = config
        self._handle = handle
        self._renew = renew

    def decided(self, asked: PermissionAsked, decision: Decision) -> None:
        """The person decided on a permission: what it changes is shown before the CLI acts on
        it.
        """
        match decision.choice:
            case Choice(effect=KeepPlanning()):
                self._handle(e.PlanRefused(asked.tool_use_id))
            case Choice(effect=LeavePlan(mode)):
                self._config.plan_approved(mode)
            case Choice(effect=RestartWithPlan(mode)):
                plan = plan_of(asked) or ""
                self._handle(e.PlanAccepted(asked.tool_use_id, plan, mode))

    def begin_anew(self, effect: RestartConversation) -> None:
        """Carry an approved plan into a fresh conversation."""

        def done(problem: str | None) -> None:
            if problem is not None:
                words = f"the fresh conversation for the plan could not be started: {problem}"
                self._handle(e.RestartFailed(effect.prompt, words))
                return
            self._config.plan_approved(effect.mode)
            blocks = ({"type": "text", "text": continuation_prompt(effect.plan)},)
            self._handle(
                e.ConversationRestarted(effect.prompt, blocks, effect.plan, effect.tool_use_id)
            )

        self._renew(self._config.mode_in_effect(effect.mode), done)
