"""The same client with an agent in this process: objects pass as they are, in the same order."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from canopy_shared.errors import internal_error
from canopy_shared.permission import parse_permission_request
from canopy_tui.agents.agent_connection import StartFailedError
from canopy_tui.agents.in_process_agent import InProcessAgent
from canopy_tui.model.entries import Role
from canopy_tui.model.intents import (
    AnswerPermission,
    CancelTurn,
    CloseSession,
    OpenSession,
    RestartAgent,
    SendPrompt,
    Watch,
)
from canopy_tui.model.state import Phase
from fakes.agent import child_ended, permission, said, spawned, tool
from fakes.inproc_agent import InProcessFake
from tui_model.client_world import World, notices, texts, world


class Launcher:
    """Launches fakes; ``refuse`` holds reasons not to."""

    def __init__(self) -> None:
        self.fakes: list[InProcessFake] = []
        self.refuse: list[str] = []

    async def __call__(self) -> InProcessFake:
        if self.refuse:
            raise StartFailedError(self.refuse.pop())
        self.fakes.append(InProcessFake())
        return self.fakes[-1]

    @property
    def fake(self) -> InProcessFake:
        return self.fakes[-1]


async def test_a_turn_with_a_child_that_goes_on(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "go"))
        await seen.until(lambda: launch.fake.prompts, "the prompt")
        fake = launch.fake
        for piece in ("I ", "split ", "it."):
            fake.update("S1", said(piece))
        fake.update("S1", spawned("a1"))
        fake.finish()
        fake.update("a1", said("still here", "k1"))
        fake.update("S1", said("It is done.", "m2"))
        fake.update("S1", child_ended("a1"))
        sessions = seen.state.sessions
        await seen.until(
            lambda: "a1" in sessions and sessions["a1"].phase is Phase.DONE, "the child"
        )
        assert [entry.after_turn for entry in root.entries] == [
            None, None, None, None, None, "background",
        ]  # fmt: skip
        assert texts(root) == "I split it.It is done."
        assert texts(seen.state.sessions["a1"]) == "still here"
        assert texts(root, Role.USER) == "go"
    assert launch.fake.closed


async def test_what_follows_an_answer_in_one_batch_is_after_the_turn(tmp_path: Path) -> None:
    """B26 without bytes: answer and text are received together."""
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "go"))
        await seen.until(lambda: launch.fake.prompts, "the prompt")
        launch.fake.update("S1", said("in", "m1"))
        launch.fake.finish()
        launch.fake.update("S1", said("out", "m1"))
        await seen.until(lambda: texts(root) == "inout", "all text")
        assert [entry.after_turn for entry in root.entries][-1] == "background"


async def test_the_next_message_goes_before_anything_else_is_read(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "A"))
        seen.act(SendPrompt(root.id, "B"))
        await seen.until(lambda: launch.fake.prompts, "the prompt")
        launch.fake.finish()
        launch.fake.update("S1", said("answer to B", "m2"))
        await seen.until(lambda: texts(root), "the answer")
        assert root.entries[-1].after_turn is None
        assert root.in_turn


async def test_permission_objects_pass_as_they_are(tmp_path: Path) -> None:
    launch = Launcher()
    answers: list[Any] = []
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        request = parse_permission_request(permission("S1", "t1"))
        launch.fake.peer.call("session/request_permission", request, answers.append)
        [pending] = await seen.asked()
        assert pending.payload is request
        seen.act(AnswerPermission(pending.key, "yes"))
        await seen.until(lambda: answers, "the answer")
        assert answers[0].result == {"outcome": {"outcome": "selected", "optionId": "yes"}}
        assert root.id == pending.session


async def test_a_request_is_painted_at_once(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        await seen.ready()
        launch.fake.update("S1", said("text"))
        launch.fake.peer.call("session/request_permission", permission("S1", "t1"), lambda _: None)
        painted = len(seen.painted)
        await seen.asked()
        assert any(touched.requests for touched in seen.painted[painted:])


async def test_watching_does_not_paint_by_itself(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(Watch(frozenset({root.id})))
        painted = len(seen.painted)
        seen.act(Watch(frozenset({root.id})))
        assert len(seen.painted) == painted


async def test_a_lost_agent_withdraws_its_questions_and_comes_back(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        seen.act(SendPrompt(root.id, "go"))
        launch.fake.peer.call("session/request_permission", permission("S1", "t1"), lambda _: None)
        [pending] = await seen.asked()
        await launch.fake.peer.aclose()
        await seen.until(lambda: seen.state.link.status == "lost", "the loss")
        assert seen.state.waiting() == []
        seen.act(AnswerPermission(pending.key, "yes"))
        seen.act(CancelTurn(root.id))
        launch.refuse = ["No room."]
        seen.act(RestartAgent())
        await seen.until(lambda: seen.state.link.status == "failed", "the refusal")
        assert seen.state.link.detail == "No room."
        seen.act(RestartAgent())
        await seen.until(lambda: root.successor, "a new session")
        assert notices(root)[-1].severity == "warning"


async def test_sessions_open_and_close(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        await seen.ready()
        seen.act(OpenSession("/elsewhere"))
        await seen.until(lambda: len(seen.state.roots) == 2, "a second session")
        assert seen.root.cwd == "/elsewhere"
        seen.act(CloseSession(seen.root.id))
        await seen.until(
            lambda: ("session/cancel", {"sessionId": "S2"}) in launch.fake.calls, "the cancel"
        )
        assert seen.state.roots == ["S1"]


async def test_leaving_while_the_agent_starts_waits_for_nothing(tmp_path: Path) -> None:
    async def launch() -> Any:
        await asyncio.Event().wait()

    made = World(launch, tmp_path, {})
    made.controller.start()
    await asyncio.sleep(0)
    await asyncio.wait_for(made.controller.aclose(), 10)


async def test_b28_calls_are_counted_where_they_belong(tmp_path: Path) -> None:
    launch = Launcher()
    async with world(launch, tmp_path) as seen:
        root = await seen.ready()
        for child in ("a1", "a2", "a3"):
            launch.fake.update("S1", spawned(child))
        for number in range(4):
            for child in ("a1", "a2", "a3"):
                launch.fake.update(child, tool(f"{child}-{number}"))
        await seen.until(lambda: len(seen.state.sessions.get("a3", root).tools) == 4, "all calls")
        assert [len(seen.state.sessions[child].tools) for child in root.children] == [4, 4, 4]
        assert root.tools == {}


# --- our own server's end -------------------------------------------------------------------------


class Server:
    """A server that does as the test wants."""

    def __init__(self, transport: Any, error: Exception | None = None) -> None:
        self.transport = transport
        self.error = error
        self.stopped = asyncio.Event()

    async def serve(self) -> None:
        await self.stopped.wait()
        await self.transport.aclose()
        if self.error is not None:
            raise self.error

    async def stop(self) -> None:
        self.stopped.set()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "The agent stopped."),
        (internal_error("x"), "The agent stopped because of a fault: Internal error: x"),
        (ValueError(), "The agent stopped because of a fault: ValueError"),
    ],
)
async def test_the_end_of_a_server_is_explained(error: Exception | None, reason: str) -> None:
    servers: list[Server] = []

    def make(transport: Any) -> Server:
        servers.append(Server(transport, error))
        return servers[0]

    agent = InProcessAgent(make)
    servers[0].stopped.set()
    assert await agent.transport.receive() == []
    assert (await agent.ending()).reason == reason
    await agent.aclose()


async def test_a_running_server_is_stopped() -> None:
    servers: list[Server] = []

    def make(transport: Any) -> Server:
        servers.append(Server(transport))
        return servers[0]

    agent = InProcessAgent(make)
    await agent.aclose()
    await agent.aclose()
    assert servers[0].stopped.is_set()
    assert await agent.transport.receive() == []
