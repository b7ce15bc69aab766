"""The client in ACP v2 with our own agent on the real CLI: the same scenes give the same model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from canopy_agent.demo.workspace import demo_environment
from canopy_agent.server import AgentServer
from canopy_tui.agents.in_process_agent import InProcessAgent
from canopy_tui.v2.transport import speaking_v2
from tui_model.client_world import world
from v2.scenes import SCENES, SCRIPT, Stage, play

TODO_TOOLS = {"CLAUDE_CODE_ENABLE_TASKS": "0", "CLAUDE_CODE_ENABLE_TODO_TOOLS": "1"}


async def _played(*, newest: bool) -> dict[str, list[Any]]:
    async with demo_environment(SCRIPT, pace=0.0, env=TODO_TOOLS) as place:

        async def launch() -> InProcessAgent:
            return InProcessAgent(lambda transport: AgentServer(transport, environ=place.env))

        started = speaking_v2(launch) if newest else launch
        async with world(started, place.cwd) as seen:
            return await play(Stage(seen, place))


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """The models after each scene, in both versions."""

    async def played() -> Any:
        return await asyncio.gather(_played(newest=False), _played(newest=True))

    first, second = asyncio.run(played())
    return first, second


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_scene_gives_the_same_model(scene: str, both: Any) -> None:
    first, second = both
    assert first[scene]
    assert second[scene] == first[scene]
