"""Every other tool: its name as the title, its result as it came.

Tools whose name alone says little get their subject behind it; agents that control agents tell a
failure in plain text to AIR clients.
"""

from __future__ import annotations

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.bounds import bounded
from canopy_agent.render.reports import Call, Report, Reporter, Result, View, show_failure, shown
from canopy_agent.render.results import error_text, json_text, text_content
from canopy_agent.render.titles import text_field
from canopy_shared.content import ToolCallContent
from canopy_shared.fences import fenced

UNTITLED = "Unknown Tool"

_SUBJECTS: dict[str, tuple[str, ...]] = {
    "EnterWorktree": ("name", "path"),
    "ExitWorktree": ("action",),
    "LSP": ("operation",),
    "ListMcpResourcesTool": ("server",),
    "ReadMcpResourceTool": ("uri",),
    "ReadMcpResourceDirTool": ("uri",),
    "RefreshMcpTools": ("server",),
    "ScheduleWakeup": ("reason",),
    "RemoteTrigger": ("action",),
    "PushNotification": ("message",),
    "ProposeGoal": ("condition",),
    "Projects": ("method",),
}
"""Tools outside the published table, and the input field that says what they are about."""

_AGENT_CONTROL = ("SendMessage", "TaskStop", "ListAgents", "Monitor")


def input_block(call: Call) -> tuple[ToolCallContent, ...]:
    """The input as a JSON block, for tools that have nothing better to show."""
    return (text_content(fenced(bounded(json_text(dict(call.input))), "json")),)


def _report(call: Call, view: View) -> Report:
    subject = text_field(call.input, *_SUBJECTS.get(call.name, ()))
    title = f"{call.name}: {subject}" if subject else call.name or UNTITLED
    literal = call.name == "Other" and bool(call.input) and view.displays_input
    return Report(title, content=input_block(call) if literal else ())


def _control_failure(call: Call, returned: ToolReturned, view: View) -> Result:
    if not view.profile.air:
        return show_failure(call, returned, view)
    text = bounded(error_text(returned.content))
    return shown((text_content(text),) if text.strip() else ())


def _network_report(call: Call, view: View) -> Report:
    return Report(text_field(call.input, "host") or call.name)


OTHER = Reporter(_report)
REPORTERS = {name: Reporter(_report, failure=_control_failure) for name in _AGENT_CONTROL} | {
    "SandboxNetworkAccess": Reporter(_network_report)
}
