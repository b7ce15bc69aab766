"""Tool calls before their result: opened, growing, complete, alive.

A word about a call that is over tells nothing; plans have no card unless a permission request needs
one.
"""

from __future__ import annotations

from canopy_agent.domain import facts as f
from canopy_agent.render.cards import Cards
from canopy_agent.render.plans import TODO_WRITE, Plans
from canopy_agent.render.reporters.plan import PLAN_TOOLS
from canopy_shared.updates import Update


class ToolInputs:
    """Facts about inputs and progress to updates."""

    __slots__ = ("_cards", "_plans")

    def __init__(self, cards: Cards, plans: Plans) -> None:
        self._cards = cards
        self._plans = plans

    def opened(self, fact: f.ToolOpened, parent: str | None) -> list[Update]:
        """The call appears before its input is known."""
        calls = self._cards.calls
        if calls.get(fact.id) or calls.is_over(fact.id):
            return []
        call = self._cards.follow(fact.id, fact.name, parent)
        return [] if call.name in PLAN_TOOLS else [self._cards.start(call)]

    def grew(self, fact: f.ToolInputGrew, parent: str | None) -> list[Update]:
        """Part of the input: title, kind and places of it, never content."""
        call = self._cards.calls.get(fact.id)
        if call is None or call.complete or not call.is_open:
            return []
        call.input = fact.input
        return self._cards.refine(call)

    def completed(self, fact: f.ToolInputComplete, parent: str | None) -> list[Update]:
        """The whole input: the call appears with it, or is refined by it."""
        calls = self._cards.calls
        if calls.is_over(fact.id):
            return []
        call = calls.get(fact.id) or self._cards.follow(fact.id, fact.name, parent)
        call.input, call.complete = fact.input, True
        if call.name in PLAN_TOOLS and not fact.surfaced:
            return self._plans.todo(call, call.parent) if call.name == TODO_WRITE else []
        if not call.visible:
            return [self._cards.start(call)]
        return self._cards.refine(call) if call.is_open else []

    def beat(self, fact: f.ToolBeat, parent: str | None) -> list[Update]:
        """A sign of life; one of an unknown call belongs to the call that started its subagent."""
        calls = self._cards.calls
        call = calls.get(fact.id)
        if call is None and parent is not None and not calls.is_over(fact.id):
            call = calls.get(parent)
        if call is None or not call.is_open:
            return []
        told = {
            "elapsedTimeSeconds": fact.elapsed_seconds,
            "subagentType": fact.subagent_type,
            "subagentRetry": fact.subagent_retry,
        }
        told = {key: value for key, value in told.items() if value is not None}
        meta = self._cards.named(call, toolResponse=told or None)
        return self._cards.update(call, {"status": "in_progress"}, meta)
