"""The report of a subagent without what the harness adds for the model that reads it.

It knows the frame of Claude Code 2.1 (header line, indented report, trailer) and no wire shape.
"""

from __future__ import annotations

import re

_AGENT_ID = re.compile(r"agentId: \S+ \(.*\)")
_HEADER = "[Subagent hand-back]"
_INDENT = "  "
_TURN_LIMIT = re.compile(r"[^\n]*\bstopped at its [^\n]{0,20}turn limit")
_PARTIAL = "**Partial output:**"


def cleaned_report(text: str) -> str:
    """What the subagent said: no trailer, no frame, notes of the harness before the report."""
    report = _unframed(_without_agent_id(_without_usage(text)))
    if not _TURN_LIMIT.match(report):
        return report
    _, _, rest = report.partition("\n\n")
    return f"{_PARTIAL}\n\n{rest.lstrip()}" if rest.strip() else report


def _without_usage(text: str) -> str:
    trimmed = text.rstrip()
    start = trimmed.rfind("<usage>")
    return trimmed[:start].rstrip() if trimmed.endswith("</usage>") and start >= 0 else text


def _without_agent_id(text: str) -> str:
    trimmed = text.rstrip()
    start = trimmed.rfind("\n") + 1
    return trimmed[:start].rstrip() if _AGENT_ID.fullmatch(trimmed, start) else text


def _unframed(text: str) -> str:
    """Take the header line out; everything around it loses its two spaces of indentation."""
    lines = text.split("\n")
    at = next((i for i, line in enumerate(lines) if line.startswith(_HEADER)), None)
    if at is None:
        return text
    return "\n".join(line.removeprefix(_INDENT) for line in lines[:at] + lines[at + 1 :])
