"""Every tool of Claude Code 2.1.332 as a client sees it: the expected rows, and as Markdown.

``python -m tools_e2e.tool_table`` (with ``tests`` on the path) prints the table of the documents.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One tool. ``plain`` and ``air`` are the kinds of content at its end, for a client without a
    terminal and for an AIR client with one; ``air_meta`` are its keys of ``_meta.jetbrains.air``.
    """

    name: str
    title: str
    kind: str
    plain: str = "text"
    air: str = "text"
    status: str = "completed"
    places: str = ""
    air_title: str = ""
    air_kind: str = ""
    air_meta: str = ""


ROWS = (
    Row("Agent", "Sub", "think", air_meta="subagent"),
    Row("AskUserQuestion", "Which?", "other", air_title="Asking for your input"),
    Row("Bash", "echo hi", "execute", "console text", "terminal", air_meta="commandTitle"),
    Row("CronCreate", "CronCreate", "other"),
    Row("CronDelete", "CronDelete", "other", status="failed"),
    Row("CronList", "CronList", "other"),
    Row("Edit", "Edit n.txt", "edit", "diff", "git patch", places="line"),
    Row("EnterPlanMode", "EnterPlanMode", "switch_mode"),
    Row("EnterWorktree", "EnterWorktree: wt1", "other"),
    Row("ExitPlanMode", "Exited Plan Mode", "switch_mode"),
    Row("ExitWorktree", "ExitWorktree: remove", "other"),
    Row("ListAgents", "ListAgents", "other"),
    Row("Monitor", "Monitor", "other"),
    Row(
        "NotebookEdit",
        "NotebookEdit",
        "other",
        air_title="Edit cell c1 in n.ipynb",
        air_kind="edit",
    ),
    Row("PowerShell", "Get-Item .", "execute", "console text", "terminal", air_meta="commandTitle"),
    Row("Read", "Read README.md (1 - 2)", "read", "text", "", places="line"),
    Row("ReportFindings", "Report 1 finding", "think"),
    Row("ScheduleWakeup", "ScheduleWakeup: r", "other"),
    Row("SendMessage", "SendMessage", "other"),
    Row("SendUserMessage", "Message", "other"),
    Row("Skill", "Load skill: greet", "other", "", "", air_meta="skill"),
    Row("TaskStop", "TaskStop", "other", status="failed"),
    Row("ToolSearch", "ToolSearch", "other"),
    Row("WebFetch", "Fetch http://127.0.0.1:9/x", "fetch", status="failed"),
    Row("WebSearch", 'Search "cats"', "fetch"),
    Row("Workflow", "Workflow", "other"),
    Row("Write", "Write n.txt", "edit", "diff", "git patch", places="path"),
    Row("mcp__desk__note", "mcp__desk__note", "other", air_meta="mcp"),
)

PLANS = ("TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TodoWrite")
"""Tools without a card: they are the plan."""


def markdown() -> str:
    """The table for the documents."""
    head = ("tool", "title", "kind", "places", "content at the end", "AIR: content, `_meta`")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in ROWS:
        air = ", ".join(part for part in (row.air or "none", row.air_meta) if part)
        title = f"`{row.title}`" + (f", AIR `{row.air_title}`" if row.air_title else "")
        kind = row.kind + (f", AIR {row.air_kind}" if row.air_kind else "")
        cells = (f"`{row.name}`", title, kind, row.places or "none", row.plain or "none", air)
        lines.append("| " + " | ".join(cells) + " |")
    lines += [f"| `{name}` | no card: `plan` | | | | |" for name in PLANS]
    return "\n".join(lines)


if __name__ == "__main__":
    print(markdown())
