"""A scripted Messages API on a loopback port: the model of the demo and of the tests.

It has a beginning, an end, and ways to wait; scripts say what is said, `api` how it is served.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from canopy_agent.demo.answering import Answering, Exchange
from canopy_agent.demo.api import MessagesApi
from canopy_agent.demo.pulse import Gates, Pulse, Turns
from canopy_agent.demo.rules import Rule, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from canopy_agent.demo.requests import ModelRequest

BOUND = 60.0  # seconds a test waits for something that normally takes far less


class ScriptedModel:
    """`async with ScriptedModel(rules) as model:` serves at `model.url` until the block ends.

    `pace` scales every pause of the script (0: none at all). Leaving the block breaks open answers
    off at once.
    """

    def __init__(self, script: Script | Sequence[Rule], *, pace: float = 0.0) -> None:
        told = script if isinstance(script, Script) else Script(tuple(script))
        self._pulse = Pulse()
        self._gates = Gates(self._pulse)
        answering = Answering(told, self._gates, Turns(self._pulse), pace)
        self._api = MessagesApi(answering, self._pulse)
        self._server: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._api.accept, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self._api.aclose()
        await self._server.wait_closed()

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """Every readable `POST /v1/messages` so far, auxiliary ones too, in order of arrival."""
        return self._api.exchanges

    @property
    def requests(self) -> list[ModelRequest]:
        """The requests of the exchanges."""
        return [one.request for one in self.exchanges]

    @property
    def turns(self) -> list[ModelRequest]:
        """The requests of conversations, without titles, summaries and other auxiliary ones, which
        come at a time of their own.
        """
        return [one for one in self.requests if one.purpose == "turn"]

    @property
    def unscripted(self) -> list[ModelRequest]:
        """The turns that no rule answers; the fallback of the script does."""
        return [
            one.request
            for one in self.exchanges
            if one.rule is None and one.fault is None and one.request.purpose == "turn"
        ]

    @property
    def faults(self) -> list[Exception]:
        """What callables of the script raised."""
        return [one.fault for one in self.exchanges if one.fault is not None]

    def release(self, gate: str) -> None:
        """Open a gate for good; answers that are held there go on."""
        self._gates.release(gate)

    async def reached(self, gate: str, count: int = 1, bound: float = BOUND) -> None:
        """Wait until answers have come to a gate that often. Raises `TimeoutError` with the log."""
        await self._pulse.within(
            lambda: self._gates.arrivals(gate) >= count, bound, lambda: f"gate {gate}\n{self.log()}"
        )

    async def saw(
        self, wanted: Callable[[ModelRequest], bool], count: int = 1, bound: float = BOUND
    ) -> list[ModelRequest]:
        """Wait until that many requests fit, and return them; `TimeoutError` tells the log."""
        found = await self.had(lambda one: wanted(one.request), count, bound)
        return [one.request for one in found]

    async def had(
        self, wanted: Callable[[Exchange], bool], count: int = 1, bound: float = BOUND
    ) -> list[Exchange]:
        """The same for exchanges, so also for how they ended."""
        await self._pulse.within(
            lambda: sum(map(wanted, self.exchanges)) >= count,
            bound,
            lambda: f"{count} of those\n{self.log()}",
        )
        return [one for one in self.exchanges if wanted(one)]

    def log(self) -> str:
        """One line per request, for failure messages."""
        return "\n".join(f"{one.request.brief()} -> {one.outcome}" for one in self.exchanges)
