"""A session loaded, forked, closed and resumed, again and again, on the real CLI.

``make lives`` runs it; ``SOAK_LIVES`` (default 200) is how many times. After each step there is one
CLI for each open session and no other, at the end none, and the memory of the agent stays flat.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.rules import Rule, When
from e2e.world import NATIVE, World, world
from soak.test_soak import memory
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Sequence

LIVES = int(os.environ.get("SOAK_LIVES", "200"))


class Lives:
    """One agent, and which of its sessions are open."""

    def __init__(self, w: World, first: str) -> None:
        self.w = w
        self.first = first
        self.open = {first}
        self.most = 0

    async def ask(self, method: str, session: str) -> str:
        """Open a session; gives its id."""
        setup: dict[str, Any] = {"sessionId": session, "cwd": str(self.w.cwd), "mcpServers": []}
        opened = (await self.w.agent.request(method, **setup)).get("sessionId", session)
        self.open.add(opened)
        await self.one_cli_each(method)
        return str(opened)

    async def end(self, session: str, *methods: str) -> None:
        """Close a session, or delete it."""
        for method in methods:
            assert await self.w.agent.request(method, sessionId=session) == {}
        self.open.discard(session)
        await self.one_cli_each(*methods)

    async def one_cli_each(self, *after: Sequence[str]) -> None:
        clis = lambda: len(self.w.agent.started())  # noqa: E731
        await eventually(lambda: clis() == len(self.open), f"{len(self.open)} CLIs after {after}")
        self.most = max(self.most, clis())

    async def round(self, number: int) -> None:
        """Everything that can happen to a session and a copy of it."""
        await self.end(self.first, "session/close")
        await self.ask("session/load", self.first)
        copy = await self.ask("session/fork", self.first)
        if number % 10 == 0:
            for session in (self.first, copy):
                answer = await self.w.agent.prompt(session, "go on")
                assert answer["stopReason"] == "end_turn"
        await self.end(self.first, "session/close", "session/close")
        await self.ask("session/resume", self.first)
        await self.end(copy, "session/close", "session/delete")
        self.w.agent.received.clear()


async def test_a_session_lives_again_and_again() -> None:
    began = time.monotonic()
    async with world(Rule(When(says="."), "Gone on.")) as w:
        first = await w.open(NATIVE)
        await w.prompt("begin")
        lives = Lives(w, first)
        warm = 0
        for number in range(LIVES):
            await lives.round(number)
            if number == LIVES // 4:
                warm = memory(w.agent.process.pid)
        grown = memory(w.agent.process.pid) - warm
        await lives.end(first, "session/close")
        left = len(w.agent.started())
        print(f"\n{LIVES} rounds of close, load, fork, close, resume, delete", end=" ")
        print(f"in {time.monotonic() - began:.0f} s")
        print(f"CLIs: at most {lives.most} (2 sessions open), {left} at the end;", end=" ")
        print(f"memory of the agent: {warm} kB after a quarter, then {grown:+} kB")
        assert (lives.most, left) == (2, 0)
        assert grown < 30_000
        (row,) = (await w.agent.request("session/list", cwd=str(w.cwd)))["sessions"]
        assert row["sessionId"] == first
