"""An agent on a fake CLI that echoes, and transcripts for it. It must not know what is tested."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from canopy_agent.history.store import folder_name
from oracle import complaints
from raw_client import RawClient, RpcError
from store.writing import Transcript

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from fakes.cli import FakeCli

Json = dict[str, Any]


class Desk:
    """An agent on a fake CLI, and the folder in which it finds transcripts."""

    def __init__(self, agent: RawClient, fake: FakeCli, home: Path) -> None:
        self.agent = agent
        self.fake = fake
        self.cwd = home / "project"
        self.cwd.mkdir()
        self.projects = home / ".claude" / "projects"

    def transcript(self) -> Transcript:
        """A stored session of the project."""
        name = folder_name(str(self.cwd))
        return Transcript(self.projects, folder=name, cwd=str(self.cwd))

    def open(self, method: str, session: str, **more: Any) -> Any:
        """A request that opens a session."""
        given = {"sessionId": session, "cwd": str(self.cwd), "mcpServers": [], **more}
        return self.agent.request(method, **given)

    async def refused(self, method: str, **params: Any) -> tuple[int, Any]:
        """Code and data of the error that ``method`` ends with."""
        with pytest.raises(RpcError) as error:
            await self.agent.request(method, **params)
        return error.value.code, error.value.data


@contextlib.asynccontextmanager
async def desk(fake: FakeCli, home: Path, capabilities: Json | None = None) -> AsyncIterator[Desk]:
    env = {**fake.env, "HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    async with RawClient.spawn(env=env) as agent:
        await agent.initialize(capabilities)
        yield Desk(agent, fake, home)
        assert complaints(agent.frames) == []
