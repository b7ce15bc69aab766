"""Tools that turn to the user: AskUserQuestion, SendUserMessage, EnterPlanMode, ExitPlanMode.

The questions themselves are put by the brokers; here are the cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.reports import (
    Call,
    Json,
    Report,
    Reporter,
    Result,
    View,
    show_failure,
    show_nothing,
    shown,
)
from canopy_agent.render.results import error_contents, text_content
from canopy_agent.render.titles import text_field
from canopy_shared.ext import air
from canopy_shared.fences import unfenced
from canopy_shared.updates import ToolCallStart, Update

EXIT_PLAN = "ExitPlanMode"
_EXITED = "Exited Plan Mode"
_PLAN_TEXT = frozenset({"plan"})


def _question_report(call: Call, view: View) -> Report:
    questions = list(_questions(call))
    single = questions[0] if len(questions) == 1 and not view.profile.air else ""
    content = tuple(map(text_content, questions)) if view.displays_input else ()
    return Report(single or "Asking for your input", content=content)


def _questions(call: Call) -> Iterator[str]:
    questions = call.input.get("questions")
    for question in questions if isinstance(questions, list) else ():
        text = text_field(question, "question") if isinstance(question, Mapping) else ""
        if text:
            yield text


def _message_report(call: Call, view: View) -> Report:
    """What Claude says to the user by a tool is shown like what it says otherwise."""
    message = text_field(call.input, "message")
    return Report("Message", content=(text_content(message),) if message else ())


def _enter_report(call: Call, view: View) -> Report:
    return Report("EnterPlanMode", "switch_mode")


# --- leaving plan mode ---------------------------------------------------------------------------


def plan_file(told: Json, view: View, key: str = "planFilePath") -> str:
    """The absolute path of the plan's file for clients that show it themselves, else empty."""
    if not (view.profile.air and view.profile.air_has(air.PLAN_FILE)):
        return ""
    path = text_field(told, key)
    if not path or path != view.absolute(path):
        return ""
    try:
        return path if view.read_file(path) is not None else ""
    except (OSError, ValueError):
        return ""


def _exit_report(call: Call, view: View) -> Report:
    plan = text_field(call.input, "plan")
    if plan_file(call.input, view):
        return Report("Approve Plan", "switch_mode", spare_input=_PLAN_TEXT)
    content = (text_content(plan),) if plan and view.displays_input else ()
    return Report("Approve Plan", "switch_mode", content=content)


def _exit_result(call: Call, returned: ToolReturned, view: View) -> Result:
    structured = returned.structured if isinstance(returned.structured, Mapping) else {}
    path = plan_file(structured, view, "filePath")
    raw_input = None
    if path and not plan_file(call.input, view):
        raw_input = {k: v for k, v in call.input.items() if k != "plan"} | {"planFilePath": path}
    path = path or plan_file(call.input, view)
    after: tuple[Update, ...] = (_cleared(call.id),) if path else ()
    return Result(title=_EXITED, carried=True, raw_input=raw_input, after=after)


def _cleared(call_id: str) -> ToolCallStart:
    """Tells the client that the plan file is no longer under approval."""
    return ToolCallStart(
        f"{call_id}:plan-file-clear",
        _EXITED,
        kind="switch_mode",
        status="completed",
        content=(),
        raw_input={"planFilePath": ""},
    )


def _exit_failure(call: Call, returned: ToolReturned, view: View) -> Result:
    """Keep planning: AIR clients read the reason from ``rawOutput``."""
    if view.profile.air:
        return Result()
    content = returned.content
    return shown(error_contents(unfenced(content) if isinstance(content, str) else content))


def approved_plan(call: Call, returned: ToolReturned) -> str:
    """The plan that an agent of this session goes on with, empty when there is none."""
    structured: Any = returned.structured if isinstance(returned.structured, Mapping) else {}
    plan = text_field(structured, "plan") or text_field(call.input, "plan")
    waits = structured.get("isAgent") is True or structured.get("awaitingLeaderApproval") is True
    return "" if waits else plan


REPORTERS = {
    "AskUserQuestion": Reporter(_question_report, failure=show_failure),
    "SendUserMessage": Reporter(_message_report, show_nothing),
    "EnterPlanMode": Reporter(_enter_report),
    EXIT_PLAN: Reporter(_exit_report, _exit_result, _exit_failure),
}
