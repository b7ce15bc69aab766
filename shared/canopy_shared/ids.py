"""Names for the strings that identify things, so that one cannot be passed for another.

This module knows no shapes: an id is opaque, and nothing may be read out of its letters.
"""

from __future__ import annotations

from typing import NewType

SessionId = NewType("SessionId", str)
"""An ACP session: a root that the client created, or a child that stands for a subagent."""

ToolCallId = NewType("ToolCallId", str)
"""A tool call; the Anthropic ``tool_use`` id."""

MessageId = NewType("MessageId", str)
"""A message of the transcript: an Anthropic message id, or the uuid of a CLI record."""

PromptId = NewType("PromptId", str)
"""The uuid we give the user message of one ``session/prompt``."""

AgentId = NewType("AgentId", str)
"""A subagent of the CLI; equal to the id of its task and to the suffix of its transcript file."""

TaskId = NewType("TaskId", str)
"""A background or foreground task of the CLI."""

RunId = NewType("RunId", str)
"""One run of a task; a later run of the same task compares greater."""

RequestKey = NewType("RequestKey", str)
"""A request that the CLI put to its host and that we carry to the client."""

RequestId = int | str
"""A JSON-RPC request id."""
