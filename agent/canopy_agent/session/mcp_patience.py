"""Says which MCP servers hold the first prompt, while Claude Code gives them their time to start.

It knows when a prompt was handed on and when the CLI began with it, nothing of what the prompt is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.claude.errors import ClaudeError
from canopy_agent.domain.facts import Noted
from canopy_agent.session.mcp_status import PENDING, code_span, servers_of

if TYPE_CHECKING:
    from canopy_agent.domain.facts import Fact

Json = Mapping[str, Any]

PATIENCE: Final = 3.0
"""Seconds in which a prompt that nobody holds has begun, with much room."""
_ANSWER: Final = 5.0

KIND: Final = "mcpServersStarting"
_WORDS: Final = (
    "Claude Code gives MCP servers about 30 seconds to start, then goes on without them."
)


class McpPatience:
    """Watches the first turn of a CLI. ``ask`` sends a control request, ``note`` shows a fact on
    the root, ``pause`` waits the given seconds.
    """

    def __init__(
        self,
        ask: Callable[[Json], Awaitable[Json]],
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]],
        note: Callable[[Fact], None],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._ask = ask
        self._spawn = spawn
        self._note = note
        self._pause = pause
        self._waiting: asyncio.Task[Any] | None = None
        self._has_begun = False
        self._told: set[str] = set()

    def started(self) -> None:
        """A CLI started; servers hold its first turn only."""
        self._stop()
        self._has_begun = False

    def prompted(self) -> None:
        """A prompt was queued."""
        if not self._has_begun and self._waiting is None:
            self._waiting = self._spawn(self._look())

    def rested(self) -> None:
        """No prompt is left."""
        self._stop()

    def frame(self, frame: Json) -> None:
        """One frame of the CLI: with ``system/init`` it begins a turn."""
        if (frame.get("type"), frame.get("subtype")) == ("system", "init"):
            self._has_begun = True
            self._stop()

    def _stop(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.cancel()

    async def _look(self) -> None:
        await self._pause(PATIENCE)
        try:
            async with asyncio.timeout(_ANSWER):
                answer = await self._ask({"subtype": "mcp_status"})
        except (ClaudeError, TimeoutError):
            return  # what holds the prompt is something else
        slow = [one.name for one in servers_of(answer) if one.status == PENDING]
        if not slow or self._told.issuperset(slow):
            return
        self._told.update(slow)
        what = "MCP server" if len(slow) == 1 else "MCP servers"
        named = ", ".join(code_span(name) for name in slow)
        self._note(Noted("info", f"Waiting for {what} {named}", _WORDS, {"kind": KIND}))
