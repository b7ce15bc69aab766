"""One agent process on the real CLI: a scripted model, a throw-away project, a raw ACP client.

It must not know what is tested.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from canopy_agent.demo.workspace import DemoEnvironment, demo_environment
from canopy_shared.ext import air, canopy
from oracle import complaints
from raw_client import RawClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from canopy_agent.demo.rules import Rule

NATIVE = {"_meta": air.client_meta(air.NATIVE_SUBAGENT_SESSIONS)}
BACKGROUND = {"_meta": air.client_meta(air.NATIVE_SUBAGENT_SESSIONS, air.BACKGROUND_SUBAGENTS)}
OURS = {"_meta": {**BACKGROUND["_meta"], **canopy.client_meta()}}
RFD = {"subagents": {}}
FORM = {"elicitation": {"form": {}}}


class World:
    """What a test holds: the agent, its model and its project."""

    def __init__(self, agent: RawClient, place: DemoEnvironment) -> None:
        self.agent = agent
        self.place = place
        self.model = place.model
        self.cwd = place.cwd
        self.config = place.config
        self.session = ""

    async def open(self, capabilities: Mapping[str, Any] | None = None) -> str:
        """Initialize as a client with ``capabilities`` and open a session in the project."""
        await self.agent.initialize(dict(capabilities or {}))
        self.session = await self.agent.new_session(self.cwd)
        return self.session

    async def load(self, capabilities: Mapping[str, Any], method: str = "session/load") -> None:
        """Open the session again as a client with ``capabilities``."""
        await self.agent.initialize(dict(capabilities))
        await self.agent.request(method, sessionId=self.session, cwd=str(self.cwd), mcpServers=[])

    @contextlib.asynccontextmanager
    async def later(self) -> AsyncIterator[World]:
        """The same project and model, served by another agent process, once this one is gone."""
        await self.agent.aclose()
        async with _spawn(self.place) as agent:
            again = World(agent, self.place)
            again.session = self.session
            yield again
            assert complaints(agent.frames) == []

    async def prompt(self, text: str) -> dict[str, Any]:
        """Prompt the session and wait for the answer."""
        return await self.agent.prompt(self.session, text)

    def place_of(self, frame: Mapping[str, Any]) -> int:
        """Where ``frame`` stands among all frames of the agent."""
        return next(at for at, one in enumerate(self.agent.frames) if one is frame)

    def place_of_answer(self, request_id: int) -> int:
        """Where the answer to our request stands."""
        return next(
            at
            for at, one in enumerate(self.agent.frames)
            if "method" not in one and one["id"] == request_id
        )

    def updates(self, session: str) -> list[dict[str, Any]]:
        """All updates of one session."""
        return self.agent.updates(session=session)


def _spawn(place: DemoEnvironment) -> contextlib.AbstractAsyncContextManager[RawClient]:
    return RawClient.spawn(env=place.env, cwd=str(place.cwd), whole_env=True)


@contextlib.asynccontextmanager
async def world(
    *rules: Rule | Sequence[Rule], env: Mapping[str, str] | None = None, pace: float = 0.0
) -> AsyncIterator[World]:
    """A world whose model follows ``rules``, with its pauses times ``pace``."""
    flat: list[Rule] = []
    for rule in rules:
        flat += [rule] if not isinstance(rule, (list, tuple)) else rule
    async with (
        demo_environment(flat, pace=pace, env=env) as place,
        _spawn(place) as agent,
    ):
        yield World(agent, place)
        assert complaints(agent.frames) == []
