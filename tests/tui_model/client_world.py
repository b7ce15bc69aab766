"""A controller with a real event loop and no user interface, for tests of the client's core."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from canopy_tui.agents.foreign_agent import launch_foreign
from canopy_tui.host.controller import Controller
from canopy_tui.model.entries import MessageEntry, NoticeEntry, Role, ToolEntry
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from canopy_tui.agents.agent_connection import Launch
    from canopy_tui.host.first_session import Beginning
    from canopy_tui.host.session_library import Recent
    from canopy_tui.model.events import Event
    from canopy_tui.model.state import ClientState, PendingRequest, SessionView, Touched
    from fakes.agent import FakeAgentScript


class World:
    """The controller, and what a person could see of its state."""

    def __init__(
        self,
        launch: Launch,
        directory: Path,
        environment: dict[str, str],
        beginning: Beginning | None = None,
        observe: Callable[[Event], None] | None = None,
        recent: Recent | None = None,
    ) -> None:
        self.painted: list[Touched] = []
        self.controller = Controller(
            launch,
            directory,
            schedule=lambda seconds, call: asyncio.get_running_loop().call_later(seconds, call),
            on_touched=self.painted.append,
            environment=environment,
            beginning=beginning,
            observe=observe,
            recent=recent,
        )

    @property
    def state(self) -> ClientState:
        return self.controller.state

    @property
    def root(self) -> SessionView:
        """The newest root."""
        return self.state.sessions[self.state.roots[-1]]

    def act(self, intent: Any) -> None:
        self.controller.act(intent)

    async def until(self, condition: Callable[[], Any], what: str) -> Any:
        return await eventually(condition, what, bound=20)

    async def ready(self) -> SessionView:
        """Wait for a session that takes prompts."""
        await self.until(
            lambda: self.state.link.status == "ready" and self.state.roots, "a session"
        )
        return self.root

    async def asked(self, number: int = 1) -> list[PendingRequest]:
        """Wait until so many requests wait."""
        await self.until(lambda: len(self.state.waiting()) >= number, f"{number} requests")
        return self.state.waiting()


@asynccontextmanager
async def world(
    launch: Launch,
    directory: Path,
    beginning: Beginning | None = None,
    observe: Callable[[Event], None] | None = None,
    **environment: str,
) -> AsyncIterator[World]:
    """A started world that is closed at the end."""
    made = World(launch, directory, environment, beginning, observe)
    made.controller.start()
    try:
        yield made
    finally:
        await made.controller.aclose()


@asynccontextmanager
async def foreign_world(script: FakeAgentScript, **environment: str) -> AsyncIterator[World]:
    """A world on FAKE-AGENT over real pipes."""

    async def launch() -> Any:
        return await launch_foreign(script.command, script.folder, os.environ)

    async with world(launch, script.folder, **environment) as made:
        yield made


def texts(view: SessionView, role: Role = Role.AGENT) -> str:
    """Everything that was said in this role."""
    return "".join(e.text for e in view.entries if isinstance(e, MessageEntry) and e.role is role)


def notices(view: SessionView) -> list[NoticeEntry]:
    return [entry for entry in view.entries if isinstance(entry, NoticeEntry)]


def tools(view: SessionView) -> list[ToolEntry]:
    return [entry for entry in view.entries if isinstance(entry, ToolEntry)]
