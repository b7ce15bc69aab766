"""Glob and Grep: the title reads like the command a person would type.

AIR clients list the viewed files themselves and get no text of a search that names a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.domain.facts import ToolReturned
from canopy_agent.render.reports import Call, Report, Reporter, Result, View, show_contents
from canopy_agent.render.results import pictures
from canopy_agent.render.titles import text_field, whole_number
from canopy_shared.content import Location

_FLAGS = ("-i", "-n", "-o")
_COUNTS = ("-A", "-B", "-C")
_MODES = {"files_with_matches": " -l", "count": " -c"}


def _glob_report(call: Call, view: View) -> Report:
    path, pattern = text_field(call.input, "path"), text_field(call.input, "pattern")
    parts = ["Find", *(f"`{part}`" for part in (view.shown(path), pattern) if part)]
    places = (Location(view.absolute(path)),) if path else ()
    return Report(" ".join(parts), "search", places)


def _grep_report(call: Call, view: View) -> Report:
    return Report(f"grep{_options(call.input)}{_operands(call.input, view)}", "search")


def _options(tool_input: Mapping[str, Any]) -> str:
    flags = "".join(f" {flag}" for flag in _FLAGS if tool_input.get(flag) is True)
    counts = "".join(
        f" {flag} {n}" for flag in _COUNTS if (n := _count(tool_input, flag)) is not None
    )
    mode = _MODES.get(text_field(tool_input, "output_mode"), "")
    head = whole_number(tool_input, "head_limit")
    return flags + counts + mode + (f" | head -{head}" if head is not None else "")


def _count(tool_input: Mapping[str, Any], flag: str) -> int | None:
    count = whole_number(tool_input, flag)
    return whole_number(tool_input, "context") if count is None and flag == "-C" else count


def _operands(tool_input: Mapping[str, Any], view: View) -> str:
    glob, kind = text_field(tool_input, "glob"), text_field(tool_input, "type")
    pattern, path = text_field(tool_input, "pattern"), text_field(tool_input, "path")
    return "".join(
        (
            f' --include="{glob}"' if glob else "",
            f" --type={kind}" if kind else "",
            " -P" if tool_input.get("multiline") is True else "",
            f' "{pattern}"' if pattern else "",
            f" {view.shown(path)}" if path else "",
        )
    )


def _result(call: Call, returned: ToolReturned, view: View) -> Result:
    if view.profile.air and text_field(call.input, "path"):
        return Result(pictures(returned.content) or None, carried=True)
    return show_contents(call, returned, view)


REPORTERS = {"Glob": Reporter(_glob_report, _result), "Grep": Reporter(_grep_report, _result)}
