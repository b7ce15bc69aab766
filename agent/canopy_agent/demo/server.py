"""A scripted Messages API on a loopback port: the model of the demo and of the tests.

It connects scripts to HTTP. What is said stands in the scripts; what Claude Code does with it is
not its business.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Self

from canopy_agent.demo.answering import Answering, Exchange
from canopy_agent.demo.http import DisconnectedError, HttpConnection, HttpError
from canopy_agent.demo.pulse import Gates, Pulse, Turns
from canopy_agent.demo.requests import BadRequestError, read_request
from canopy_agent.demo.rules import Rule, Script
from canopy_agent.demo.sse import error_body

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from canopy_agent.demo.http import HttpRequest
    from canopy_agent.demo.requests import ModelRequest

BOUND = 60.0  # seconds a test waits for something that normally takes far less
MODELS = ("claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5")


class ScriptedModel:
    """`async with ScriptedModel(rules) as model:` serves at `model.url` until the block ends.

    `pace` scales every pause of the script (0: none at all). Leaving the block breaks open answers
    off at once.
    """

    def __init__(self, script: Script | Sequence[Rule], *, pace: float = 0.0) -> None:
        self._pulse = Pulse()
        self._gates = Gates(self._pulse)
        self._script = script if isinstance(script, Script) else Script(tuple(script))
        self._answering = Answering(self._script, self._gates, Turns(self._pulse), pace)
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self.url = ""
        self.exchanges: list[Exchange] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        while self._serving:
            for task in self._serving:
                task.cancel()
            await asyncio.wait(self._serving)
        await self._server.wait_closed()

    @property
    def requests(self) -> list[ModelRequest]:
        """Every readable `POST /v1/messages` so far, auxiliary ones too, in order of arrival."""
        return [one.request for one in self.exchanges]

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
        await self._pulse.within(
            lambda: sum(map(wanted, self.requests)) >= count,
            bound,
            lambda: f"{count} such requests\n{self.log()}",
        )
        return [one for one in self.requests if wanted(one)]

    def log(self) -> str:
        """One line per request, for failure messages."""
        return "\n".join(f"{one.request.brief()} -> {one.outcome}" for one in self.exchanges)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(HttpConnection(reader, writer)))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, connection: HttpConnection) -> None:
        try:
            await self._converse(connection)
        except (DisconnectedError, asyncio.CancelledError):
            pass  # the peer is gone, or the model is being closed
        finally:
            await connection.aclose()

    async def _converse(self, connection: HttpConnection) -> None:
        try:
            while (request := await connection.next_request()) is not None:
                await self._answer(connection, request)
                if not request.keep_alive:
                    break
        except HttpError as error:
            await _refuse(connection, error.status, error.message)
        await connection.linger()

    async def _answer(self, connection: HttpConnection, request: HttpRequest) -> None:
        match request.method, request.path:
            case "POST", "/v1/messages":
                await self._message(connection, request)
            case "POST", "/v1/messages/count_tokens":
                await self._count(connection, request)
            case "GET", "/v1/models":
                await connection.respond(200, _model_list())
            case "HEAD", _:
                await connection.respond(200, b"", with_body=False)
            case _:
                await _refuse(connection, 404, f"no {request.method} {request.path} here")

    async def _count(self, connection: HttpConnection, request: HttpRequest) -> None:
        try:
            counted = read_request(0, request.headers, request.body)
        except BadRequestError as error:
            await _refuse(connection, 400, str(error))
            return
        tokens = {"input_tokens": max(1, counted.size // 4)}
        await connection.respond(200, json.dumps(tokens).encode())

    async def _message(self, connection: HttpConnection, request: HttpRequest) -> None:
        try:
            asked = read_request(len(self.exchanges) + 1, request.headers, request.body)
        except BadRequestError as error:
            await _refuse(connection, 400, str(error))
            return
        exchange = Exchange(asked)
        self.exchanges.append(exchange)
        self._answering.begin(exchange)
        self._pulse.beat()
        await self._while_connected(connection, exchange)

    async def _while_connected(self, connection: HttpConnection, exchange: Exchange) -> None:
        """Answer, but stop at once when the client hangs up."""
        answer = asyncio.ensure_future(self._answering.run(connection, exchange))
        watch = asyncio.ensure_future(connection.hung_up())
        try:
            await asyncio.wait([answer, watch], return_when=asyncio.FIRST_COMPLETED)
        finally:
            hung_up = watch.done() and not answer.done()
            for task in (answer, watch):
                task.cancel()
            await asyncio.wait([answer, watch])
            if exchange.outcome == "open":
                exchange.outcome = "gone"
        if hung_up:
            raise DisconnectedError
        answer.result()


async def _refuse(connection: HttpConnection, status: int, message: str) -> None:
    await connection.respond(status, error_body(status, message))


def _model_list() -> bytes:
    rows = [{"type": "model", "id": one, "display_name": one} for one in MODELS]
    return json.dumps({"data": rows, "has_more": False}).encode()
