"""How the main agent of the demo speaks of background agents that have stopped.

A notice opens a turn of its own, or comes in the middle of another scene: then it is told there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from canopy_agent.demo.requests import MAIN
from canopy_agent.demo.rules import Text, steps_of

if TYPE_CHECKING:
    from canopy_agent.demo.conversation import TaskNotice
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Rule, Steps


def news(request: ModelRequest) -> str:
    """The agents that this request reports as stopped, and how many are left."""
    rows = [_told(notice) for notice in request.notices]
    match _still_running(request):
        case 0:
            rows.append("All agents are done.")
        case 1:
            rows.append("One agent is still at work.")
        case left:
            rows.append(f"{left} agents are still at work.")
    return "\n\n".join(rows)


def with_news(rule: Rule) -> Rule:
    """The same rule, but the main agent begins with the news if there are any."""
    if rule.when.agent != MAIN or rule.when.notified is not None or rule.error is not None:
        return rule

    def reply(request: ModelRequest) -> Steps:
        steps = steps_of(rule.reply, request)
        return [Text(f"{news(request)}\n\n"), *steps] if request.notices else steps

    return replace(rule, reply=reply)


def _told(notice: TaskNotice) -> str:
    """One stopped agent in a paragraph."""
    name = notice.summary.partition('"')[2].rpartition('"')[0] or "The background task"
    match notice.status:
        case "completed":
            return f"**{name}** has finished. {notice.result}".rstrip()
        case "failed":
            return f"**{name}** has failed and brought no result."
        case _:
            return f"**{name}** was stopped before it finished. Nothing else depends on it."


def _still_running(request: ModelRequest) -> int:
    """How many agents were launched in the background and have not been reported back."""
    talk = request.conversation
    launched = {
        one.id
        for one in talk.outcomes
        if one.name == "Agent" and not one.is_error and one.input.get("run_in_background") is True
    }
    return len(launched - {one.tool_use_id for one in (*talk.past_notices, *talk.notices)})
