"""Tool calls at their end: returned, hooked, denied, closed, exited.

The result and the PostToolUse hook come in either order; after both a call is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.domain import facts as f
from canopy_agent.domain.work_facts import ToolComing, ToolMoved
from canopy_agent.render import terminals
from canopy_agent.render.bounds import MAX_RESULT_TEXT, bounded_output
from canopy_agent.render.cards import Cards, Fields
from canopy_agent.render.messages import plan_document
from canopy_agent.render.plans import Plans
from canopy_agent.render.reporters import reporter_for
from canopy_agent.render.reporters.file_edit import preview
from canopy_agent.render.reporters.interaction import EXIT_PLAN, approved_plan
from canopy_agent.render.reporters.plan import PLAN_TOOLS
from canopy_agent.render.reports import Result
from canopy_agent.render.results import text_content
from canopy_agent.render.toolcalls import DONE, ToolCall
from canopy_shared.content import ToolCallContent
from canopy_shared.ext import air
from canopy_shared.unset import UNSET
from canopy_shared.updates import Update

_CLOSED = {
    "never_ran": "This call never ran.",
    "cancelled": "Cancelled before it gave a result.",
    "turn_ended": "The turn ended before this call gave a result.",
    "stopped": "Stopped before it gave a result.",
    "process_ended": "Claude Code ended before this call gave a result.",
}
_COMPARED = 4 * MAX_RESULT_TEXT
"""Characters of live output that are kept; no result is longer."""
_STOPPED = frozenset({"cancelled", "stopped"})
_NO_REASON = "This call ended without a result."
_ENDS = frozenset({"completed", "failed", "cancelled"})
_HOOK_FACTS = ("status", "isAsync")


class ToolResults:
    """Facts about the end of calls to updates. An unknown call tells nothing."""

    __slots__ = ("_cards", "_plans")

    def __init__(self, cards: Cards, plans: Plans) -> None:
        self._cards = cards
        self._plans = plans

    def returned(self, fact: f.ToolReturned, parent: str | None) -> list[Update]:
        """The result: output for a terminal, the final update, what follows it."""
        call = self._cards.calls.get(fact.id)
        if call is None or call.returned:
            return []
        is_plan = call.name in PLAN_TOOLS
        updates: list[Update] = []
        if call.visible:
            updates += self._finish_plan_call(call, fact) if is_plan else self._finish(call, fact)
        if is_plan:
            updates += self._plans.returned(call, fact, call.parent)
        call.returned, call.state = True, DONE
        call.lasting = fact.lasting
        self._cards.calls.settle(call)
        return updates

    def _finish(self, call: ToolCall, fact: f.ToolReturned) -> list[Update]:
        reporter = reporter_for(call.name)
        tell = reporter.failure if fact.is_error else reporter.result
        result = tell(call, fact, self._cards.view)
        if fact.content is None:
            result = Result(title=result.title, raw_output=False, meta=result.meta)
        meta = self._cards.named(
            call, nonExecutionKind=fact.non_execution_kind, userFeedback=fact.user_feedback
        )
        meta |= result.meta
        if result.air and self._cards.profile.air:
            meta |= air.wrap(**result.air)
        updates = self._cards.update(call, {}, result.first) if result.first else []
        updates += self._cards.update(call, self._final_fields(call, fact, result), meta)
        call.has_terminal = result.keeps_terminal
        return updates + self._plan_document(call, fact) + list(result.after)

    def _final_fields(self, call: ToolCall, fact: f.ToolReturned, result: Result) -> Fields:
        spared = self._cards.profile.air and (result.carried or not fact.content)
        output = fact.content if result.output is None else result.output
        raw = bounded_output(output) if result.raw_output and not spared else UNSET
        return {
            "status": UNSET if call.state == DONE else _status(fact),
            "title": _given(result.title),
            "content": _given(result.content),
            "locations": _given(result.locations),
            "raw_input": _given(result.raw_input),
            "raw_output": raw,
        }

    def _finish_plan_call(self, call: ToolCall, fact: f.ToolReturned) -> list[Update]:
        """A plan tool that a permission request brought to light is only finished."""
        output = UNSET if fact.content is None else bounded_output(fact.content)
        return self._cards.update(call, {"status": _status(fact), "raw_output": output}, {})

    def _plan_document(self, call: ToolCall, fact: f.ToolReturned) -> list[Update]:
        """The plan that the user approved, if the main conversation had one."""
        approved = call.name == EXIT_PLAN and not fact.is_error and fact.content is not None
        if not approved or call.parent is not None:
            return []
        plan = approved_plan(call, fact)
        return plan_document(call.id, plan, self._cards.profile) if plan else []

    def hooked(self, fact: f.ToolHookResponse, parent: str | None) -> list[Update]:
        """PostToolUse: the final diff, and the structured response (for AIR only its facts)."""
        call = self._cards.calls.get(fact.id)
        if call is None or call.hooked or not call.visible or call.name in PLAN_TOOLS:
            return []
        call.hooked = True
        change = reporter_for(call.name).finished(call, fact, self._cards.view)
        if call.pinned and _says_created(fact.response):
            change = None  # an empty file counts as none for the CLI; the exact patch knows better
        fields: Fields = {}
        if change is not None:
            fields = {"content": change.content, "locations": change.locations}
        response = self._hook_response(fact.response)
        updates: list[Update] = []
        if change is not None or response is not None:
            meta = self._cards.named(call, toolResponse=response)
            updates = self._cards.update(call, fields, meta)
        self._cards.calls.settle(call)
        return updates

    def _hook_response(self, response: Any) -> Any:
        if not (self._cards.profile.air or self._cards.profile.reports_work):
            return response
        if not isinstance(response, Mapping):
            return None
        return {key: response[key] for key in _HOOK_FACTS if key in response} or None

    def denied(self, fact: f.ToolDenied, parent: str | None) -> list[Update]:
        """The call was refused before it ran; its result may still follow."""
        call = self._cards.calls.get(fact.id)
        if call is None or not call.is_open:
            return []
        reason = fact.reason or fact.message
        text = f"Permission denied: {reason}" if reason else "Permission denied"
        told: Fields = {"decisionReasonType": fact.reason_type}
        if self._cards.profile.air:
            told["message"] = fact.message if fact.message != fact.reason else None
        else:
            told |= {"decisionReason": fact.reason, "message": fact.message}
        told = {key: value for key, value in told.items() if value is not None}
        return self._fail(call, text, self._cards.named(call, toolResponse=told or None))

    def closed(self, fact: f.ToolClosed, parent: str | None) -> list[Update]:
        """The call ends without a result."""
        call = self._cards.calls.get(fact.id)
        if call is None or call.returned:
            return []
        updates: list[Update] = []
        if call.is_open:
            stopped = fact.why in _STOPPED and self._cards.profile.reports_work
            status = "cancelled" if stopped else "failed"
            text, meta = _CLOSED.get(fact.why, _NO_REASON), self._cards.named(call)
            updates = self._fail(call, text, meta, status)
        self._cards.calls.end(call)
        return updates

    def _fail(
        self, call: ToolCall, text: str, meta: Mapping[str, Any], status: str = "failed"
    ) -> list[Update]:
        content: tuple[ToolCallContent, ...] = (text_content(text),)
        if call.has_terminal:
            meta = {**meta, **terminals.closing_meta(call.id, self._cards.profile)}
            content = self._cards.report(call).content + content
        call.state, call.has_terminal = DONE, False
        return self._cards.update(call, {"status": status, "content": content}, meta)

    def printed(self, fact: f.ToolPrinted, parent: str | None) -> list[Update]:
        """A running command printed something; in the background it begins with a clean screen."""
        call = self._cards.calls.get(fact.id)
        if call is None or not call.has_terminal or not fact.text:
            return []
        replaces = call.returned and not call.printed
        call.printed = (call.printed + fact.text)[:_COMPARED]
        meta = terminals.printed_meta(call.id, fact.text, replaces=replaces)
        return self._cards.update(call, {}, meta)

    def coming(self, fact: ToolComing, parent: str | None) -> list[Update]:
        """The call waits for its hook: what it will do to a file can be told exactly."""
        call = self._cards.calls.get(fact.id)
        if call is None or not call.is_open:
            return []
        call.input, call.complete = fact.input, True
        content, exact = preview(call, self._cards.view)
        updates = self._cards.update(call, {"content": content}, {}) if content else []
        if exact:
            call.pin(content)
        return updates

    def moved(self, fact: ToolMoved, parent: str | None) -> list[Update]:
        """What goes on under a call that has its result came further, or to its end."""
        call = self._cards.calls.get(fact.id)
        if call is None or not call.lasting:
            return []
        updates = self._cards.update(call, {"status": fact.status}, {})
        if fact.status in _ENDS:
            call.lasting = False
            self._cards.calls.settle(call)
        return updates

    def exited(self, fact: f.ToolExited, parent: str | None) -> list[Update]:
        """A background command that kept its terminal is over."""
        call = self._cards.calls.get(fact.id)
        if call is None or not call.has_terminal or not call.returned:
            return []
        call.has_terminal = False
        meta = self._cards.named(call) | terminals.closing_meta(call.id, self._cards.profile)
        updates = self._cards.update(call, {}, meta)
        self._cards.calls.settle(call)
        return updates


def _says_created(response: Any) -> bool:
    if not isinstance(response, Mapping) or response.get("userModified") is True:
        return False
    return bool(response.get("type") == "create")


def _status(fact: f.ToolReturned) -> str:
    if fact.aborted:
        return "cancelled"
    if fact.lasting and not fact.is_error:
        return "in_progress"
    return "failed" if fact.is_error else "completed"


def _given(value: Any) -> Any:
    return UNSET if value is None else value
