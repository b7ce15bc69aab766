"""Frames beside the conversation to domain events: requests sent again, the goal and its checks.

It reads fields and knows no rule about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from canopy_agent.claude.fields import count, section, text
from canopy_agent.domain import events as e
from canopy_shared.ext.goal import Goal

Json = Mapping[str, Any]
Events = list[e.Event]

_STOP_HOOK = "Stop hook feedback:"


def api_retry(frame: Json) -> Events:
    """A request failed and is sent again."""
    attempt, most = count(frame.get("attempt")), count(frame.get("max_retries"))
    if attempt is None or most is None:
        return []
    waits = count(section(frame.get("no_response")).get("retry_wait_ms"))
    status, error = count(frame.get("error_status")), text(frame.get("error"))
    return [e.ApiRetried(attempt, most, status, error, waits)]


def refusal(frame: Json) -> Events:
    """The model declined, and no other one takes over."""
    why = text(frame.get("api_refusal_explanation")) or text(frame.get("content"))
    return [e.RefusalExplained(why)] if why and why.strip() else []


def active_goal(frame: Json) -> Events:
    """The goal was checked, or is gone; the CLI says so only in some of its modes."""
    value = section(frame.get("value"))
    condition = text(value.get("condition"))
    if condition is None:
        return [e.GoalReported(None)]
    checks, since = count(value.get("iterations")), count(value.get("set_at"))
    return [e.GoalReported(Goal(condition, checks or 0, text(value.get("last_reason")), since))]


def hook_feedback(frame: Json, words: str) -> Events:
    """Words of a Stop hook, which the CLI puts into the conversation as a user's."""
    if frame.get("isSynthetic") is not True or frame.get("isReplay") is True:
        return []
    return [e.HookFeedback(words)] if words.startswith(_STOP_HOOK) else []
