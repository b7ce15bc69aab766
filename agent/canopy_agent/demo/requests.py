"""The typed view of one request that Claude Code makes to the Messages API.

Pure: it turns a JSON body and headers into a `ModelRequest`, and knows neither rules nor sockets.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from canopy_agent.demo.conversation import plain_text, read_conversation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from canopy_agent.demo.conversation import Conversation, TaskNotice, ToolOutcome

Purpose = Literal["turn", "title", "suggestion", "summary"]

MAIN = "main"
UNNAMED = "subagent"
_ROLE = re.compile(r"\bRole: ([A-Za-z][\w-]*(?: [\w-]+)*)")
_CWD = re.compile(r"^ *-? *(?:Primary w|W)orking directory: (.+?)\s*$", re.MULTILINE)
_SUMMARY = re.compile(r"\bcreate a (?:detailed )?summary of (?:the|this) conversation")


class BadRequestError(ValueError):
    """A request that the Messages API would refuse; the text says why."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One `POST /v1/messages`.

    `agent` is "main", or for a subagent the role that its prompt names (`Role: test writer.`), or
    "subagent" when it names none. `size` is the length of the body in bytes. `purpose` tells a turn
    from the auxiliary requests of Claude Code. `number` counts from 1.
    """

    number: int
    size: int
    agent: str
    purpose: Purpose
    agent_id: str | None
    parent_agent_id: str | None
    session_id: str
    model: str
    stream: bool
    cwd: str
    system: str
    tools: tuple[str, ...]
    conversation: Conversation
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def says(self) -> str:
        """The last text of the human (for a subagent: of its parent)."""
        return self.conversation.says

    @property
    def results(self) -> tuple[ToolOutcome, ...]:
        """The tool results that this request brings back."""
        return self.conversation.latest

    @property
    def result_text(self) -> str:
        """All texts of `results`, joined by newlines."""
        return "\n".join(one.text for one in self.results)

    @property
    def step(self) -> int:
        """How many rounds of tool results came since `says`: 0 for the first request."""
        return self.conversation.rounds

    @property
    def notices(self) -> tuple[TaskNotice, ...]:
        """The background tasks that this request reports as stopped."""
        return self.conversation.notices

    def offers(self, tool: str) -> bool:
        """Whether the model may call this tool right now."""
        return tool in self.tools

    def last(self, tool: str) -> ToolOutcome | None:
        """The newest result of a tool since `says`."""
        return next((one for one in reversed(self.conversation.since) if one.name == tool), None)

    def brief(self) -> str:
        """One line for failure messages."""
        after = ",".join(one.name for one in self.results)
        said = self.says if len(self.says) <= 60 else self.says[:57] + "..."
        return (
            f"#{self.number} {self.agent}/{self.purpose} step={self.step} after=[{after}] {said!r}"
        )


def read_request(number: int, headers: Mapping[str, str], raw: bytes) -> ModelRequest:
    """Read a JSON body; `headers` have lower-case names. Raises `BadRequestError`."""
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise BadRequestError(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise BadRequestError("the body must be a JSON object")
    messages = body.get("messages")
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise BadRequestError("messages: a list of objects is required")
    if not isinstance(body.get("model"), str):
        raise BadRequestError("model: a string is required")
    conversation = read_conversation(messages)
    agent_id = headers.get("x-claude-code-agent-id") or None
    return ModelRequest(
        number=number,
        size=len(raw),
        agent=_agent(agent_id, conversation.opening),
        purpose=_purpose(body, conversation),
        agent_id=agent_id,
        parent_agent_id=headers.get("x-claude-code-parent-agent-id") or None,
        session_id=headers.get("x-claude-code-session-id", ""),
        model=body["model"],
        stream=body.get("stream") is True,
        cwd=_cwd(body),
        system=plain_text(body.get("system")),
        tools=_tools(body.get("tools")),
        conversation=conversation,
        headers=headers,
        body=body,
    )


def _agent(agent_id: str | None, opening: str) -> str:
    if agent_id is None:
        return MAIN
    role = _ROLE.search(opening)
    return role.group(1) if role else UNNAMED


def _cwd(body: Mapping[str, Any]) -> str:
    """Where Claude Code works, as it told the model: in the system prompt or a system message."""
    told = [one.get("content") for one in body["messages"] if one.get("role") == "system"]
    surroundings = "\n".join(plain_text(one) for one in (body.get("system"), *told))
    places = _CWD.findall(surroundings)
    return places[-1] if places else ""


def _tools(offered: object) -> tuple[str, ...]:
    tools = offered if isinstance(offered, list) else []
    named = [one.get("name") for one in tools if isinstance(one, dict)]
    return tuple(name for name in named if isinstance(name, str))


def _purpose(body: Mapping[str, Any], conversation: Conversation) -> Purpose:
    if conversation.is_suggestion:
        return "suggestion"
    config = body.get("output_config")
    wanted = config.get("format") if isinstance(config, dict) else None
    if isinstance(wanted, dict) and "title" in str(wanted.get("schema")):
        return "title"
    if _SUMMARY.search(conversation.says):
        return "summary"
    return "turn"
