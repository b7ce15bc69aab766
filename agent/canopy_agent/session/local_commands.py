"""Better words for what two commands print: ``/mcp`` and ``/usage``.

It recognises their output among the CLI's frames and gives the frame with other text in it; the
rest of a turn is none of its business. Forms of output follow the CLI 2.1.332.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.session.mcp_command import Ask, McpCommand, carry_out, mcp_command
from canopy_agent.session.usage_markdown import usage_markdown

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

USAGE: Final = "/usage"
USAGE_PATIENCE: Final = 5.0
_SYNTHETIC: Final = "<synthetic>"
_STDOUT: Final = re.compile(r"<local-command-stdout>(.*?)</local-command-stdout>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class UsageCommand:
    """A prompt that is exactly ``/usage``."""


Command = McpCommand | UsageCommand


def recognised(sole_text: str | None) -> Command | None:
    """The command that a prompt of one text block is, None for all others."""
    if sole_text is None:
        return None
    return UsageCommand() if sole_text.strip() == USAGE else mcp_command(sole_text)


class LocalCommands:
    """The commands of one session that were sent and have printed nothing yet.

    ``ask`` sends a control request; ``reconnected`` is told of MCP servers after their words were
    delivered.
    """

    def __init__(self, ask: Ask, reconnected: Callable[[tuple[str, ...]], None]) -> None:
        self._ask = ask
        self._reconnected = reconnected
        self._sent: dict[str, Command] = {}
        self._begun: str | None = None

    def sent(self, prompt: str, sole_text: str | None) -> None:
        """A prompt went out under the id ``prompt``."""
        command = recognised(sole_text)
        if command is not None:
            self._sent[prompt] = command

    def rewrite(self, frame: Json) -> Awaitable[Json] | None:
        """For the output of one of our commands: what gives it in better words."""
        if frame.get("type") == "command_lifecycle":
            self._moved(frame)
            return None
        if not self._sent:
            return None
        prompt = self._printer(frame)
        words = None if prompt is None else printed(frame)
        if prompt is None or words is None:
            return None
        return self._reword(frame, words, self._sent.pop(prompt))

    def _moved(self, frame: Json) -> None:
        prompt, state = frame.get("command_uuid"), frame.get("state")
        if not isinstance(prompt, str):
            return
        if state == "started":
            self._begun = prompt
        elif state in ("completed", "cancelled", "discarded", "refused"):
            self._sent.pop(prompt, None)

    def _printer(self, frame: Json) -> str | None:
        """The command that the output of a frame is from."""
        named = frame.get("user_message_uuid")
        if frame.get("type") == "result" and isinstance(named, str):
            return named if named in self._sent else None
        if self._begun is not None:
            return self._begun if self._begun in self._sent else None
        return next(iter(self._sent))  # a CLI that does not say what it has begun

    async def _reword(self, frame: Json, words: str, command: Command) -> Json:
        try:
            match command:
                case UsageCommand():
                    text = await self._usage()
                case McpCommand():
                    report = await carry_out(command, words, self._ask)
                    text = report.text
                    if report.reconnected:
                        loop = asyncio.get_running_loop()
                        loop.call_soon(self._reconnected, report.reconnected)
        except (ClaudeError, TimeoutError) as error:
            log.warning("a command keeps the words of Claude Code: %s", error)
            return frame
        return frame if text is None else with_text(frame, text)

    async def _usage(self) -> str | None:
        async with asyncio.timeout(USAGE_PATIENCE):
            answer = await self._ask({"subtype": "get_usage"})
        return usage_markdown(answer, datetime.now().astimezone())


# --- output in frames ---------------------------------------------------------------------------


def printed(frame: Json) -> str | None:
    """The output of a local command that a frame of the main conversation holds."""
    if frame.get("parent_tool_use_id") is not None:
        return None
    match frame.get("type"), frame.get("subtype"):
        case "system", "local_command_output":
            return _words(frame.get("content"))
        case "result", _:
            return _words(frame.get("result")) if frame.get("is_error") is not True else None
        case "assistant", _:
            message = frame.get("message")
            if not isinstance(message, Mapping) or message.get("model") != _SYNTHETIC:
                return None
            return _words("".join(_texts(message.get("content"))))
        case "user", _:
            message = frame.get("message")
            content = message.get("content") if isinstance(message, Mapping) else None
            whole = content if isinstance(content, str) else "".join(_texts(content))
            found = _STDOUT.search(whole)
            return _words(found[1]) if found else None
    return None


def with_text(frame: Json, text: str) -> Json:
    """The same frame with ``text`` as its output."""
    match frame.get("type"), frame.get("subtype"):
        case "system", "local_command_output":
            return {**frame, "content": text}
        case "result", _:
            return {**frame, "result": text}
        case "assistant", _:
            message = {**frame["message"], "content": [{"type": "text", "text": text}]}
            return {**frame, "message": message}
        case _:
            inside = f"<local-command-stdout>{text}</local-command-stdout>"
            return {**frame, "message": {**frame["message"], "content": inside}}


def _texts(content: object) -> list[str]:
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, Mapping))
    return [text for text in texts if isinstance(text, str)]


def _words(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
