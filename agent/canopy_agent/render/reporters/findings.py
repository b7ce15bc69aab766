"""ReportFindings: one line per finding of a review, with the place it speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.render.reports import Call, Report, Reporter, View
from canopy_agent.render.results import text_content
from canopy_agent.render.titles import text_field, whole_number


def _report(call: Call, view: View) -> Report:
    raw = call.input.get("findings")
    findings = [item for item in raw if isinstance(item, Mapping)] if isinstance(raw, list) else []
    lines = [_line(finding, view) for finding in findings]
    content = (text_content("\n\n".join(lines)),) if lines and view.displays_input else ()
    return Report(_title(raw, len(findings)), "think", content=content)


def _title(raw: Any, count: int) -> str:
    if not isinstance(raw, list):
        return "Report findings"
    if not count:
        return "Report findings: none found"
    return f"Report {count} finding{'' if count == 1 else 's'}"


def _line(finding: Mapping[str, Any], view: View) -> str:
    file, line = text_field(finding, "file"), whole_number(finding, "line")
    place = view.shown(file) + (f":{line}" if line is not None else "")
    summary = text_field(finding, "summary", "short_summary")
    return " ".join(part for part in (f"**{place}**" if file else "", summary) if part)


REPORTERS = {"ReportFindings": Reporter(_report)}
