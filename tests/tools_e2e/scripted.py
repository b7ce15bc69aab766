"""A model that makes one tool call after another, for tests on the real CLI."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import Rule, Step, ToolUse, When

if TYPE_CHECKING:
    from canopy_agent.demo.requests import ModelRequest


def call(name: str, /, **tool_input: Any) -> ToolUse:
    """One call."""
    return ToolUse(name, tool_input)


def results(request: ModelRequest) -> int:
    """How many tool results the main agent has had, whatever the user said meanwhile."""
    blocks = [
        block
        for message in request.body["messages"]
        if message["role"] == "user" and isinstance(message["content"], list)
        for block in message["content"]
    ]
    return sum(block.get("type") == "tool_result" for block in blocks)


def sequence(*calls: ToolUse, end: str = "All done.") -> Rule:
    """The main agent makes ``calls`` one by one, each after the result of the one before."""

    def reply(request: ModelRequest) -> list[Step] | str:
        done = results(request)
        return [calls[done]] if done < len(calls) else end

    return Rule(When(), reply)


def last_result(request: ModelRequest) -> str:
    """What the newest tool result said."""
    return request.result_text


def merged(updates: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Each tool call as a client has it in the end, by id."""
    cards: dict[str, dict[str, Any]] = {}
    for update in updates:
        if update["sessionUpdate"] in ("tool_call", "tool_call_update"):
            card = cards.setdefault(update["toolCallId"], {})
            meta = {**card.get("_meta", {}), **update.get("_meta", {})}
            card.update(update, _meta=meta)
    return cards
