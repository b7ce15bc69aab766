"""A model that makes a plan and asks to leave plan mode, for tests on the real CLI."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import Reply, Rule, ToolUse, When

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest
    from e2e.world import World

PLAN = "# Plan\n\n1. Write a file\n2. Stop\n"
NO_AUTO = {"permissions": {"disableAutoMode": "disable", "disableBypassPermissionsMode": "disable"}}
_PLAN_FILE = re.compile(r'(/[^\s"`\\]+/plans/[\w.-]+\.md)')


def plan_file(request: ModelRequest) -> dict[str, Any]:
    """The input of a Write of the plan to the file that Claude Code named."""
    return {"file_path": _PLAN_FILE.findall(json.dumps(request.body))[-1], "content": PLAN}


def planner(*, approved: Reply = "The plan was approved.", carried: Reply = "Done.") -> list[Rule]:
    """Rules for a prompt that says "plan": ``approved`` follows in the same conversation,
    ``carried`` in a fresh one.
    """
    return [
        Rule(When(says="Carry out the following plan", step=0), carried),
        Rule(When(after_tool="ExitPlanMode"), approved),
        Rule(When(after_tool="ToolSearch"), [ToolUse("ExitPlanMode", {})]),
        Rule(
            When(after_tool="Write", says="plan it"),
            [ToolUse("ToolSearch", {"query": "select:ExitPlanMode"})],
        ),
        Rule(When(says="plan it", step=0), [ToolUse("Write", plan_file)]),
    ]


def pick(w: World, option: str) -> None:
    """Answer the question about the plan with the option of this id."""

    def choose(params: dict[str, Any]) -> dict[str, Any]:
        ids = [one["optionId"] for one in params["options"]]
        assert option in ids, ids
        return {"outcome": {"outcome": "selected", "optionId": option}}

    w.agent.on("session/request_permission", choose)


async def plan_mode(w: World, capabilities: dict[str, Any] | None = None) -> None:
    """Open a session that plans."""
    await w.open(capabilities)
    await w.agent.request("session/set_mode", sessionId=w.session, modeId="plan")


def settings(w: World, **more: Any) -> None:
    """Add to the settings that Claude Code finds."""
    path = w.cwd.parent / "config" / "settings.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))


def clis(w: World) -> list[int]:
    """The Claude Code processes of the agent."""
    return w.agent.started()
