"""The routes of the Messages API that Claude Code uses, over one HTTP connection after the other.

It hands messages to the script and answers the rest itself; it keeps only what is under way and a
log.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from canopy_agent.demo.answering import Answering, Exchange
from canopy_agent.demo.http import HttpConnection
from canopy_agent.demo.incoming import DisconnectedError, HttpError
from canopy_agent.demo.requests import BadRequestError, read_request
from canopy_agent.demo.sse import error_body

if TYPE_CHECKING:
    from canopy_agent.demo.http import HttpRequest
    from canopy_agent.demo.pulse import Pulse

MODELS = ("claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5")


class MessagesApi:
    """Serves connections; every readable message request goes into `exchanges`."""

    def __init__(self, answering: Answering, pulse: Pulse) -> None:
        self._answering = answering
        self._pulse = pulse
        self._serving: set[asyncio.Task[None]] = set()
        self.exchanges: list[Exchange] = []

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a new connection, in a task of its own."""
        task = asyncio.ensure_future(self._serve(HttpConnection(reader, writer)))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def aclose(self) -> None:
        """Break every connection off; open answers end as "gone"."""
        while self._serving:
            for task in self._serving:
                task.cancel()
            await asyncio.wait(self._serving)

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
                await self._route(connection, request)
                if not request.keep_alive:
                    break
        except HttpError as error:
            await _refuse(connection, error.status, error.message)
        await connection.linger()

    async def _route(self, connection: HttpConnection, request: HttpRequest) -> None:
        try:
            match request.method, request.path:
                case "POST", "/v1/messages":
                    await self._message(connection, request)
                case "POST", "/v1/messages/count_tokens":
                    counted = read_request(0, request.headers, request.body)
                    tokens = {"input_tokens": max(1, counted.size // 4)}
                    await connection.respond(200, json.dumps(tokens).encode())
                case "GET", "/v1/models":
                    await connection.respond(200, _model_list())
                case "HEAD", _:
                    await connection.respond(200, b"", with_body=False)
                case _:
                    await _refuse(connection, 404, f"no {request.method} {request.path} here")
        except BadRequestError as error:
            await _refuse(connection, 400, str(error))

    async def _message(self, connection: HttpConnection, request: HttpRequest) -> None:
        asked = read_request(len(self.exchanges) + 1, request.headers, request.body)
        exchange = Exchange(asked)
        self.exchanges.append(exchange)
        self._answering.begin(exchange)
        self._pulse.beat()
        try:
            await self._while_connected(connection, exchange)
        finally:
            if exchange.outcome == "open":
                exchange.outcome = "gone"
            self._pulse.beat()

    async def _while_connected(self, connection: HttpConnection, exchange: Exchange) -> None:
        """Answer, but stop at once when the client hangs up."""
        answer = asyncio.ensure_future(self._answering.run(connection, exchange))
        watch = asyncio.ensure_future(connection.hung_up())
        try:
            await asyncio.wait([answer, watch], return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_answered = answer.done()
            for task in (answer, watch):
                task.cancel()
            await asyncio.wait([answer, watch])
        if not is_answered:
            raise DisconnectedError
        answer.result()


async def _refuse(connection: HttpConnection, status: int, message: str) -> None:
    await connection.respond(status, error_body(status, message))


def _model_list() -> bytes:
    rows = [{"type": "model", "id": one, "display_name": one} for one in MODELS]
    return json.dumps({"data": rows, "has_more": False}).encode()
