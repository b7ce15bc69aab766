"""The life of the agent when something of our own is broken."""

from __future__ import annotations

from typing import Any

import pytest

from canopy_tui.agent_life import AgentLife
from canopy_tui.model.events import LinkChanged
from canopy_tui.model.state import ClientState


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
