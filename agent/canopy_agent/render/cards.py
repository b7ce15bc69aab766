"""The card of a tool call: what its reporter says, in fields that the client does not have yet.

It knows AIR from plain and asks ``toolcalls`` what was sent; the order of reports is told
elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.capabilities import ClientProfile
from canopy_agent.render.reporters import reporter_for
from canopy_agent.render.reporters.other import UNTITLED
from canopy_agent.render.reporters.shell import SHELL
from canopy_agent.render.reports import Report, View
from canopy_agent.render.titles import clean_title
from canopy_agent.render.toolcalls import ToolCall, ToolCalls
from canopy_shared.ext import air, claude, terminal
from canopy_shared.unset import UNSET
from canopy_shared.updates import Update

Fields = dict[str, Any]


class Cards:
    """All cards of one session. Fields are the snake-case fields of ``ToolCallUpdate``."""

    __slots__ = ("calls", "view")

    def __init__(self, view: View, calls: ToolCalls) -> None:
        self.view = view
        self.calls = calls

    @property
    def profile(self) -> ClientProfile:
        """The client the cards are for."""
        return self.view.profile

    def follow(self, call_id: str, name: str, parent: str | None) -> ToolCall:
        """Begin to follow a call that the client does not see yet."""
        in_terminal = self.profile.terminal is not None and reporter_for(name) is SHELL
        call = ToolCall(call_id, name, parent, visible=False, has_terminal=in_terminal)
        return self.calls.add(call)

    def report(self, call: ToolCall) -> Report:
        """What the reporter says of the input so far."""
        return reporter_for(call.name).report(call, self.view)

    def start(self, call: ToolCall) -> Update:
        """The ``tool_call`` with the input so far; AIR clients get only a whole input."""
        report = self.report(call)
        fields = self.head(call, report) | {
            "status": "pending",
            "content": report.content,
            "raw_input": self.raw_input(call, report),
        }
        meta = self.input_meta(call, report)
        if call.has_terminal:
            meta |= terminal.opened(call.id)
        return self.calls.start(call, fields, meta)

    def refine(self, call: ToolCall) -> list[Update]:
        """What the input adds to the card. Content waits for the whole input."""
        report = self.report(call)
        fields = self.head(call, report) | {"raw_input": self.raw_input(call, report)}
        if call.complete and not call.pinned:
            fields["content"] = report.content
        return self.update(call, fields, self.input_meta(call, report))

    def head(self, call: ToolCall, report: Report) -> Fields:
        """Title, kind and places."""
        title = report.title
        if not report.verbatim:
            title = clean_title(title, call.name or UNTITLED)
        places = UNSET if report.locations is None else report.locations
        return {"title": title, "kind": report.kind, "locations": places}

    def raw_input(self, call: ToolCall, report: Report) -> Any:
        """The input as it came; AIR clients do not get again what they are shown otherwise."""
        if not self.profile.air:
            return call.input
        if not call.complete:
            return UNSET
        return {key: value for key, value in call.input.items() if key not in report.spare_input}

    def input_meta(self, call: ToolCall, report: Report) -> dict[str, Any]:
        """``_meta`` of a report on the input."""
        meta = self.named(call)
        if self.profile.air and report.air:
            meta |= air.wrap(**report.air)
        if self.profile.air and report.mcp:
            meta["is_mcp_tool_call"] = True
        return meta

    def named(self, call: ToolCall, **told: Any) -> dict[str, Any]:
        """``_meta`` of every report: the tool, the subagent, ``told`` without its Nones."""
        return claude.wrap(toolName=call.name or None, parentToolUseId=call.parent, **told)

    def update(self, call: ToolCall, fields: Fields, meta: Mapping[str, Any]) -> list[Update]:
        """At most one ``tool_call_update``, with what changed."""
        update = self.calls.update(call, fields, meta)
        return [] if update is None else [update]
