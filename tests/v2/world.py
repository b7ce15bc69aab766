"""One agent process on the real CLI and a raw client of ACP v2; every frame is judged at the end.

It must not know what is tested.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.workspace import DemoEnvironment, demo_environment
from fakes.nursery import AgentProcess
from raw_client import BOUND, RawClient
from v2.schema import complaints

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from canopy_agent.demo.rules import Rule

Json = dict[str, Any]
INFO = {"name": "raw", "version": "1"}


class V2Client(RawClient):
    """A raw client that speaks version 2."""

    def __init__(self, process: asyncio.subprocess.Process | AgentProcess) -> None:
        super().__init__(process)
        self.methods: dict[Any, str] = {}

    def _send(self, frame: Json) -> None:
        if "method" in frame and "id" in frame:
            self.methods[frame["id"]] = frame["method"]
        super()._send(frame)

    async def hello(self, capabilities: Mapping[str, Any] | None = None) -> Json:
        """``initialize``."""
        return await self.request(  # type: ignore[no-any-return]
            "initialize", protocolVersion=2, info=INFO, capabilities=dict(capabilities or {})
        )

    def states(self, session: str) -> list[Json]:
        """The states of one session so far."""
        return self.updates("state_update", session)

    async def idle(self, session: str, after: int = 0) -> Json:
        """The first idle of the session with a stop reason after ``after`` states."""

        def found() -> Json | None:
            told = self.states(session)[after:]
            return next((one for one in told if one.get("stopReason")), None)

        return await self._until(found, f"the end of work of {session}")

    async def turn(self, session: str, text: str) -> Json:
        """Prompt and wait for the end of the work."""
        before = len(self.states(session))
        async with asyncio.timeout(BOUND):
            receipt = await self.begin_prompt(session, text)
        assert receipt["messageId"]
        return await self.idle(session, before)

    def complaints(self) -> list[str]:
        """What the schema says."""
        return complaints(self.frames, self.methods)


class World:
    """What a test holds: the agent, its model and its project."""

    def __init__(self, agent: V2Client, place: DemoEnvironment) -> None:
        self.agent = agent
        self.place = place
        self.model = place.model
        self.cwd = place.cwd
        self.session = ""

    async def open(self, capabilities: Mapping[str, Any] | None = None) -> str:
        """Initialize and open a session in the project."""
        await self.agent.hello(capabilities)
        self.session = await self.agent.new_session(self.cwd)
        return self.session

    async def turn(self, text: str) -> Json:
        """Prompt the session and wait for the end of the work."""
        return await self.agent.turn(self.session, text)

    def kinds(self, session: str | None = None) -> list[str]:
        """The kinds of all updates of a session, in order."""
        return [one["sessionUpdate"] for one in self.agent.updates(session=session or self.session)]

    @contextlib.asynccontextmanager
    async def later(self) -> AsyncIterator[World]:
        """The same project and model, served by another agent process, once this one is gone."""
        await self.agent.aclose()
        async with _spawn(self.place) as agent:
            again = World(agent, self.place)
            again.session = self.session
            yield again
            assert agent.complaints() == []


@contextlib.asynccontextmanager
async def _spawn(place: DemoEnvironment) -> AsyncIterator[V2Client]:
    async with V2Client.spawn(env=place.env, cwd=str(place.cwd), whole_env=True) as client:
        assert isinstance(client, V2Client)
        yield client


@contextlib.asynccontextmanager
async def world(
    *rules: Rule | Sequence[Rule], env: Mapping[str, str] | None = None
) -> AsyncIterator[World]:
    """A world whose model follows ``rules``."""
    flat: list[Rule] = []
    for rule in rules:
        flat += [rule] if not isinstance(rule, (list, tuple)) else rule
    async with demo_environment(flat, pace=0.0, env=env) as place, _spawn(place) as agent:
        yield World(agent, place)
        assert agent.complaints() == []
