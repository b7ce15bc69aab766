"""Agent (older: Task), the call that starts a subagent.

The subagent's own life is shown by the children's facts; here is only the card of the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.handback import cleaned_report
from canopy_agent.render.reports import Call, Report, Reporter, Result, View, shown
from canopy_agent.render.results import contents, text_content
from canopy_agent.render.titles import text_field
from canopy_shared.content import ToolCallContent


def _report(call: Call, view: View) -> Report:
    prompt, effort = text_field(call.input, "prompt"), text_field(call.input, "effort")
    title = text_field(call.input, "description") or "Task"
    if effort and call.input.get("subagent_type") != "fork":
        title += f" ({effort} effort)"
    return Report(
        title,
        "think",
        content=(text_content(prompt),) if prompt and view.displays_input else (),
        air={} if view.profile.native_children else {"subagent": True},
    )


def _result(call: Call, returned: ToolReturned, view: View) -> Result:
    launched = _launched(_structured(returned))
    return shown((text_content(launched),) if launched else answer(returned))


def answer(returned: ToolReturned) -> tuple[ToolCallContent, ...]:
    """What the subagent handed back, without the harness's words; empty for a mere launch."""
    structured = _structured(returned)
    blocks = structured.get("content")
    if structured.get("status") == "completed" and isinstance(blocks, list) and blocks:
        return contents(blocks)
    return () if _launched(structured) else contents(returned.content, cleaned_report)


def _structured(returned: ToolReturned) -> Mapping[str, Any]:
    return returned.structured if isinstance(returned.structured, Mapping) else {}


def _launched(structured: Mapping[str, Any]) -> str:
    """What a person needs to know of a launch; the raw text speaks to the model."""
    match structured.get("status"):
        case "async_launched":
            return "Started in the background."
        case "remote_launched":
            return f"Started remotely: {text_field(structured, 'sessionUrl') or 'no address known'}"
        case _:
            return ""


AGENT = Reporter(_report, _result)
REPORTERS = {"Agent": AGENT, "Task": AGENT}
