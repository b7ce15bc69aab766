"""The tool call inside a permission request, in the plain form and in the one for AIR clients.

Options and outcomes are the broker's; here is only what the person sees of the call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from canopy_agent.render.reporters import reporter_for
from canopy_agent.render.reporters.file_edit import EDIT_TEXT, WRITE_TEXT, asked, preview
from canopy_agent.render.reporters.interaction import EXIT_PLAN
from canopy_agent.render.reporters.mcp import COMPUTER_USE
from canopy_agent.render.reporters.other import UNTITLED, input_block
from canopy_agent.render.reports import Json, Report, View
from canopy_agent.render.titles import clean_title
from canopy_agent.render.toolcalls import ToolCall
from canopy_shared.content import Location, Meta, ToolCallContent
from canopy_shared.ext import air, claude
from canopy_shared.unset import UNSET, Unset
from canopy_shared.updates import ToolCallUpdate

_PLAN_QUESTION = "Ready to code?"
_NETWORK = "SandboxNetworkAccess"
_BLIND = frozenset({_NETWORK, "NotebookEdit", "MultiEdit", "Monitor", "Workflow"})
"""Tools whose card does not show what would be done: nobody should have to allow that unseen."""

_TEXTS = {
    "Write": WRITE_TEXT,
    "Edit": EDIT_TEXT,
    EXIT_PLAN: frozenset({"plan"}),
}
"""Input fields that an AIR client does not get again when its card or the request shows them."""


@dataclass(frozen=True, slots=True)
class Request:
    """What ``can_use_tool`` says of a call. ``mcp_server`` is ``{name, source}``."""

    id: str
    name: str
    input: Json
    parent: str | None = None
    mcp_server: Json | None = None
    blocked_path: str | None = None
    reason: str | None = None
    default_to_no: bool = False
    display_name: str | None = None


def tool_call(request: Request, view: View, *, has_terminal: bool) -> tuple[ToolCallUpdate, bool]:
    """``toolCall`` of the request, and whether its content is an exact patch."""
    call = ToolCall(
        request.id,
        request.name,
        request.parent,
        request.input,
        complete=True,
        has_terminal=has_terminal,
    )
    report = reporter_for(request.name).report(call, view)
    title = _title(request, report)
    places = _places(request, report, view)
    content, exact = preview(call, view)
    if not (content or view.exact_patches or view.profile.air):
        content = asked(call, view)
    if view.profile.air and not view.profile.reports_work:
        told = _air_call(request, report, title, places, content)
    else:
        told = _plain_call(call, request, report, title, places)
        told = replace(told, content=content) if content else told
    return told, exact


def request_meta(request: Request, view: View) -> dict[str, Any]:
    """``_meta`` of the request: the question as a record, for clients that put it in its words."""
    if not (view.profile.air or view.profile.reports_work):
        return {}
    call = ToolCall(request.id, request.name, request.parent, request.input, complete=True)
    title = _title(request, reporter_for(request.name).report(call, view))
    record: dict[str, Any] = {"version": 1, "title": title}
    if request.name == EXIT_PLAN:
        record["title"] = _PLAN_QUESTION
    if request.reason:
        record["description"] = f"Reason: {request.reason}"
    if request.default_to_no:
        record["defaultToNo"] = True
    return air.wrap(permission=record)


def _plain_call(
    call: ToolCall,
    request: Request,
    report: Report,
    title: str,
    places: tuple[Location, ...] | None,
) -> ToolCallUpdate:
    content = report.content
    bare = request.name in _BLIND or request.name.startswith(COMPUTER_USE)
    if bare and not content:
        content = input_block(call)
    meta: Meta | Unset = UNSET
    if request.mcp_server or request.parent:
        meta = claude.wrap(
            toolName=request.name,
            parentToolUseId=request.parent,
            mcpServer=request.mcp_server or None,
        )
    return ToolCallUpdate(
        request.id,
        title,
        request.name,
        report.kind,
        "pending",
        content,
        UNSET if places is None else places,
        request.input,
        meta=meta,
    )


def _air_call(
    request: Request,
    report: Report,
    title: str,
    places: tuple[Location, ...] | None,
    content: tuple[ToolCallContent, ...],
) -> ToolCallUpdate:
    """The card is there already: only what the request adds, without texts it shows."""
    shown = bool(content or report.content or report.spare_input)
    server = request.mcp_server
    return ToolCallUpdate(
        request.id,
        title,
        content=content or UNSET,
        locations=UNSET if places is None or places == report.locations else places,
        raw_input=_without_texts(request) if shown else request.input,
        meta=claude.wrap(mcpServer=server) if server else UNSET,
    )


def _without_texts(request: Request) -> Json:
    texts = _TEXTS.get(request.name, frozenset())
    if texts.isdisjoint(request.input):
        return request.input
    return {key: value for key, value in request.input.items() if key not in texts}


def _title(request: Request, report: Report) -> str:
    if report.verbatim:
        return report.title
    title = report.title
    if request.name.startswith(COMPUTER_USE) and request.display_name:
        title = request.display_name
    return clean_title(title, request.name or UNTITLED)


def _places(request: Request, report: Report, view: View) -> tuple[Location, ...] | None:
    """The call's places and the path that needs the permission, if that is none of them."""
    if not request.blocked_path:
        return report.locations
    path = view.absolute(request.blocked_path)
    known = report.locations or ()
    return known if any(place.path == path for place in known) else (*known, Location(path))
