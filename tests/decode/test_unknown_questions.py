"""Every control request of the CLI gets an answer, also one that this host does not know."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import pytest

from canopy_agent.claude.process import ProcessExit
from canopy_agent.domain import events as e
from canopy_agent.session.link import CliLink
from waiting import eventually


class Cli:
    """A process that says what it is told to."""

    def __init__(self) -> None:
        self.pid = 1
        self.exit: ProcessExit | None = None
        self.said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.heard: list[Mapping[str, Any]] = []

    async def start(self) -> None:
        return

    async def read(self) -> list[dict[str, Any]]:
        frame = await self.said.get()
        return [frame] if frame else []

    def write(self, frame: Mapping[str, Any]) -> None:
        self.heard.append(frame)
        if frame.get("type") == "control_request":
            response = {"subtype": "success", "request_id": frame["request_id"], "response": {}}
            self.said.put_nowait({"type": "control_response", "response": response})

    async def drain(self) -> None:
        return

    async def aclose(self, *, grace: float = 5.0) -> ProcessExit:
        self.exit = ProcessExit(0, None, "")
        self.said.put_nowait({})
        return self.exit

    def answers(self) -> list[Any]:
        return [frame["response"] for frame in self.heard if frame["type"] == "control_response"]


@pytest.mark.parametrize("mishandled", [False, True])
async def test_a_question_that_nobody_knows_is_refused(
    mishandled: bool, caplog: pytest.LogCaptureFixture
) -> None:
    cli, events = Cli(), []

    def take(event: e.Event) -> None:
        events.append(event)
        if mishandled:
            raise RuntimeError("a fault of ours")

    async def relieve() -> None:
        return

    link = CliLink(
        cli,
        on_event=take,
        on_frame=lambda frame: None,
        on_end=lambda *_: None,
        relieve=relieve,
    )
    subtype = "elicitation" if mishandled else "brand_new"
    with caplog.at_level(logging.CRITICAL):
        await link.start({})
        request = {"subtype": subtype}
        cli.said.put_nowait({"type": "control_request", "request_id": "r1", "request": request})
        await eventually(lambda: bool(cli.answers()), "an answer")
    (answer,) = cli.answers()
    assert (answer["subtype"], answer["request_id"]) == ("error", "r1")
    assert answer["error"]
    assert len(events) == mishandled
    # the conversation goes on
    cli.said.put_nowait({"type": "system", "subtype": "session_state_changed", "state": "idle"})
    await eventually(lambda: len(events) == mishandled + 1, "the next event")
    await link.aclose()
