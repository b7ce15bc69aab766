"""The ``_meta.claudeCode`` extension: facts of Claude Code that ACP has no field for.

Source: ``@agentclientprotocol/claude-agent-acp`` 0.101.0; both sides spell its keys only through
this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMESPACE = "claudeCode"
TOOL_NAME = "toolName"
MODEL_KEY = "_claude/model"
ORIGIN_KEY = "_claude/origin"
RATE_LIMIT_KEY = "_claude/rateLimit"
SDK_MESSAGE_METHOD = "_claude/sdkMessage"
SUBAGENT_TRANSCRIPT = "subagent-transcript"
QUESTION_OPTION_KEY = "_claude/askUserQuestionOption"
CUSTOM_ANSWER_KEY = "_askUserQuestionCustomAnswer"

AUTONOMOUS_ORIGINS = frozenset(
    {"task-notification", "peer", "coordinator", "observer", "observer-activity"}
)
"""Origins of a result that Claude Code began by itself, not a prompt of the user."""


def wrap(**payload: Any) -> dict[str, Any]:
    """A ``_meta`` object with ``payload``; keys whose value is None are left out."""
    return {NAMESPACE: {key: value for key, value in payload.items() if value is not None}}


def payload_of(meta: object) -> Mapping[str, Any]:
    """The payload of a ``_meta`` object, empty when there is none."""
    if isinstance(meta, Mapping):
        payload = meta.get(NAMESPACE)
        if isinstance(payload, Mapping):
            return payload
    return {}


def _text(meta: object, key: str) -> str | None:
    value = payload_of(meta).get(key)
    return value if isinstance(value, str) else None


def tool_name(meta: object) -> str | None:
    """The Claude name of the tool, such as ``Bash``."""
    return _text(meta, TOOL_NAME)


def parent_tool_use_id(meta: object) -> str | None:
    """The Agent call that the update's subagent was started by."""
    return _text(meta, "parentToolUseId")


def origin_kind(meta: object) -> str | None:
    """Why the turn behind a ``usage_update`` ran: ``human``, ``task-notification``, …"""
    origin = meta.get(ORIGIN_KEY) if isinstance(meta, Mapping) else None
    kind = origin.get("kind") if isinstance(origin, Mapping) else None
    return kind if isinstance(kind, str) else None
