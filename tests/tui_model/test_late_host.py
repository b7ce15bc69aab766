"""The host before there is a controller: what the person wants is kept, and a failure is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from canopy_tui.host.controller import Controller
from canopy_tui.host.late_host import LateHost
from canopy_tui.model.intents import Intent, OpenSession, RestartAgent, Watch
from canopy_tui.model.state import ClientState, Touched
from waiting import eventually


class Noted:
    """A controller that notes what happens to it."""

    def __init__(self, state: ClientState) -> None:
        self.state = state
        self.happened: list[Any] = []

    def start(self) -> None:
        self.happened.append("started")

    def act(self, intent: Intent) -> None:
        self.happened.append(intent)

    async def aclose(self) -> None:
        self.happened.append("closed")


def late_host(
    make: Callable[[ClientState], Noted], touched: list[Touched] | None = None
) -> LateHost:
    told = touched if touched is not None else []
    return LateHost(cast("Callable[[ClientState], Controller]", make), told.append)


async def test_intents_wait_for_the_controller_in_order() -> None:
    made: list[Noted] = []

    def make(state: ClientState) -> Noted:
        made.append(Noted(state))
        return made[0]

    host = late_host(make)
    host.act(OpenSession())
    host.act(Watch(frozenset({"S"})))
    assert made == []
    host.start()
    await eventually(lambda: made and len(made[0].happened) == 3, "the controller")
    assert made[0].state is host.state
    host.act(RestartAgent())
    await host.aclose()
    assert made[0].happened == [
        "started",
        OpenSession(),
        Watch(frozenset({"S"})),
        RestartAgent(),
        "closed",
    ]


async def test_a_controller_that_cannot_be_made_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def make(_state: ClientState) -> Noted:
        raise ImportError("half of it is gone")

    touched: list[Touched] = []
    host = late_host(make, touched)
    host.start()
    await eventually(lambda: touched, "the failure")
    assert touched[0].link
    assert host.state.link.status == "failed"
    assert "half of it is gone" in host.state.link.detail
    assert "could not be made" in caplog.text
    await host.aclose()


async def test_leaving_before_the_controller_is_there_makes_none() -> None:
    made: list[Noted] = []

    def make(state: ClientState) -> Noted:
        made.append(Noted(state))
        return made[-1]

    await late_host(make).aclose()
    host = late_host(make)
    host.start()
    await host.aclose()
    assert made == []
