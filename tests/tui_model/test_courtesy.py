"""What an agent sends is taken in helpings, in order, and none of it right after a key."""

from __future__ import annotations

import asyncio

from canopy_shared.frames import Notification
from canopy_tui.host.courtesy import HELPING, REST, Courtesy, courteous
from fakes.inproc_agent import InProcessFake
from waiting import eventually


async def test_all_is_taken_in_order_and_others_go_on_between() -> None:
    fake = InProcessFake()

    async def launch() -> InProcessFake:
        return fake

    agent = await courteous(launch, Courtesy())()
    for number in range(HELPING * 5 + 3):
        fake.peer.notify("n", number)
    passes = 0

    async def count() -> None:
        nonlocal passes
        while True:
            passes += 1
            await asyncio.sleep(0)

    others = asyncio.create_task(count())
    taken: list[list[object]] = []
    while sum(map(len, taken)) < HELPING * 5 + 3:
        before = passes
        frames = await agent.transport.receive()
        assert passes > before
        taken.append([frame.params for frame in frames if isinstance(frame, Notification)])
    assert [number for helping in taken for number in helping] == list(range(HELPING * 5 + 3))
    assert max(map(len, taken)) == HELPING
    others.cancel()
    await agent.aclose()
    assert fake.closed
    assert await agent.transport.receive() == []


async def test_the_moment_after_a_key_belongs_to_the_key() -> None:
    now = 100.0
    courtesy = Courtesy(lambda: now)
    await courtesy.breathe()
    courtesy.key()
    waiting = asyncio.create_task(courtesy.breathe())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    await eventually(waiting.done, "the end of the rest")
    now += REST
    again = asyncio.create_task(courtesy.breathe())
    for _ in range(3):
        await asyncio.sleep(0)
    assert again.done()
