"""The life of the agent when something of our own is broken."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from canopy_tui.host.agent_life import AgentLife
from canopy_tui.model.events import LinkChanged
from canopy_tui.model.reduce import reduce
from canopy_tui.model.state import ClientState
from fakes.inproc_agent import InProcessFake
from waiting import eventually


@pytest.mark.parametrize("fault", [RuntimeError("no module"), ImportError(), KeyError("x")])
async def test_a_fault_while_starting_is_a_failure_and_no_endless_start(
    fault: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Any] = []

    async def launch() -> Any:
        raise fault

    life = AgentLife(launch, "/", heard.append, ClientState, lambda: 0.0)
    await life.run()
    links = [event for event in heard if isinstance(event, LinkChanged)]
    assert [link.status for link in links] == ["starting", "failed"]
    assert "fault" in links[-1].detail
    assert "could not run the agent" in caplog.text
    assert not life.busy


async def test_b10_an_agent_that_never_answers_is_told_of_and_can_be_started_again() -> None:
    heard: list[Any] = []
    made: list[InProcessFake] = []

    async def launch() -> Any:
        made.append(InProcessFake())
        if len(made) == 1:
            made[0].silent = frozenset({"initialize"})
        return made[-1]

    state = ClientState()

    def take(event: Any) -> None:
        heard.append(event)
        reduce(state, event)

    life = AgentLife(launch, "/", take, lambda: state, lambda: 0.0, patience=0.01)
    running = asyncio.create_task(life.run())
    await eventually(lambda: "not answered" in state.link.detail, "a word", bound=60)
    assert state.link.status == "starting"
    life.run_again()
    await eventually(lambda: state.roots, "a session", bound=60)
    assert state.link.status == "ready"
    assert made[0].closed
    await life.aclose()
    await running
    assert [one.status for one in heard if isinstance(one, LinkChanged)][-1] == "ready"
