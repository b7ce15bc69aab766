"""What the scripted model says in the runs for the pictures, beside the scenes of the demo.

Rules only: who plays them, and what is drawn of them, is not known here.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from canopy_agent.demo.rules import ApiError, Gate, Rule, Text, Thinking, ToolUse, When, flow
from pictures import order_server
from tools_e2e.scripted import call

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.workspace import DemoEnvironment

TILL = (
    'for n in $(seq 1 600); do echo "$(printf 14:%02d $((n % 60))) sold $((n % 5 + 1)) apples"; '
    "sleep 0.2; done"
)
BEHIND = {"command": TILL, "description": "Watch the till", "run_in_background": True}
STEPS = (
    ("Read how a receipt is printed", "completed"),
    ("Print the discount on a row of its own", "in_progress"),
    ("Test the width of every row", "pending"),
    ("Tell the README about it", "pending"),
)
TODOS = {
    "todos": [{"content": words, "status": status, "activeForm": words} for words, status in STEPS]
}
OLD = '    lines.append(_row("to pay", basket.subtotal - discount))'


def _is_goal_check(request: ModelRequest) -> bool:
    return '"impossible"' in request.system


def rules() -> list[Rule]:
    """Work of a morning at the stand."""
    checks = [{"ok": False, "reason": "one test fails"}, {"ok": True, "reason": "they pass"}]
    notes = call("Write", file_path="{cwd}/NOTES.md", content="# Notes\n\n- pears run low\n")
    more = call("Write", file_path="{cwd}/stock.txt", content="apples 40\npears 6\n")
    counting = Text(("I count the crates: apples 12, ", "pears 4, ", Gate("COUNT"), "and so on."))
    return [
        Rule(When(test=_is_goal_check), lambda _: json.dumps(checks.pop(0))),
        *flow(When(says="till"), [ToolUse("Bash", BEHIND)], "I watch the till from now on."),
        *flow(
            When(says="notes"),
            [Thinking("Two files: one for people, one for the stock."), notes, more],
            "Both files are written.",
        ),
        *flow(When(says="steps"), [ToolUse("TodoWrite", TODOS)], "These are the steps."),
        *flow(When(says="order"), [call("mcp__orders__ask")], "The order is placed."),
        *flow(When(says="sign"), [call("mcp__orders__ask_page")], "You are signed in."),
        Rule(When(says="crates"), [counting]),
        Rule(When(says="only the ripe"), "Only the ripe ones, then: apples 9, pears 4."),
        Rule(When(says="overdue"), error=ApiError(529, "Overloaded")),
        Rule(When(says="."), "Good: all tests have to pass before I stop."),
    ]


def furnish(place: DemoEnvironment) -> None:
    """An MCP server in the project, and tools of the CLI that are not always on."""
    orders = {"command": sys.executable, "args": ["-m", order_server.__name__]}
    scales = {"command": "scales-that-are-not-there"}
    servers = {"mcpServers": {"orders": orders, "scales": scales}}
    (place.cwd / ".mcp.json").write_text(json.dumps(servers), encoding="utf-8")
    path = place.config / "settings.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**told, "enableAllProjectMcpServers": True}), encoding="utf-8")
