"""Play a script over one HTTP exchange: choose the rule, wait where it says so, send its events.

It knows rules and connections, but neither how connections come about nor what the scripts say.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from canopy_agent.demo.auxiliary import auxiliary_answer
from canopy_agent.demo.incoming import DisconnectedError
from canopy_agent.demo.rules import (
    AfterTurn,
    ApiError,
    Drop,
    Garble,
    Gate,
    Pause,
    Reply,
    Rule,
    Usage,
    matches,
    steps_of,
)
from canopy_agent.demo.sse import (
    Answer,
    Event,
    assemble,
    encode,
    encode_garbled,
    error_body,
    held_back,
    play,
)

if TYPE_CHECKING:
    from canopy_agent.demo.http import HttpConnection
    from canopy_agent.demo.pulse import Gates, Turns
    from canopy_agent.demo.requests import ModelRequest
    from canopy_agent.demo.rules import Interlude, Script, Steps

Outcome = Literal["open", "answered", "refused", "dropped", "gone", "failed"]

ID_LENGTH = 22  # characters behind the "01" of an id
_STREAM_HEADERS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


@dataclass(slots=True)
class Exchange:
    """One request, the rule that answers it (None: no rule matched), and how it ended.

    "refused": an `ApiError`; "dropped": a `Drop`; "gone": the client hung up first; "failed": a
    callable of the script raised, see `fault`.
    """

    request: ModelRequest
    rule: Rule | None = None
    outcome: Outcome = "open"
    fault: Exception | None = None


class Answering:
    """The state of one script: how often rules answered, and which ids were given out."""

    def __init__(self, script: Script, gates: Gates, turns: Turns, pace: float) -> None:
        self._script = script
        self._gates = gates
        self._turns = turns
        self._pace = pace
        self._answered: Counter[int] = Counter()
        self._ids: Counter[tuple[str, str]] = Counter()

    def begin(self, exchange: Exchange) -> None:
        """Choose the rule of a request; must be called in the order of arrival."""
        request = exchange.request
        if request.agent_id is not None:
            self._turns.seen(request.agent_id)
        try:
            exchange.rule = self._choose(request)
        except Exception as fault:  # a callable of the script may raise anything
            exchange.fault = fault

    async def run(self, connection: HttpConnection, exchange: Exchange) -> None:
        """Answer an exchange; raises `DisconnectedError` when the connection is spent."""
        try:
            if exchange.fault is not None:
                raise exchange.fault
            await self._play(connection, exchange)
        except DisconnectedError:
            raise
        except Exception as fault:
            exchange.fault, exchange.outcome = fault, "failed"
            await connection.fail(error_body(400, f"the script failed: {fault!r}"))

    async def _play(self, connection: HttpConnection, exchange: Exchange) -> None:
        request, rule = exchange.request, exchange.rule
        steps = steps_of(self._reply(exchange), request)
        if rule is not None and rule.error is not None:
            for wait in held_back(steps)[0]:
                await self._wait(wait, request)
            exchange.outcome = "refused"
            await _refuse(connection, rule.error)
            return
        answer = self._answer(request, rule, steps)
        if request.stream:
            await self._stream(connection, answer, exchange)
        else:
            await self._whole(connection, answer, exchange)

    async def _stream(self, connection: HttpConnection, answer: Answer, exchange: Exchange) -> None:
        for action in play(answer):
            match action:
                case Event():
                    if not connection.streaming:
                        await connection.start_stream(
                            {**_STREAM_HEADERS, "request-id": f"req_{answer.message_id}"}
                        )
                    await connection.send_chunk(encode(action))
                case Garble():
                    await connection.send_chunk(encode_garbled())
                case Drop():
                    _break_off(connection, exchange)
                case _:
                    await self._wait(action, answer.request)
        exchange.outcome = "answered"
        self._note_turn(answer)
        await connection.end_stream()

    async def _whole(self, connection: HttpConnection, answer: Answer, exchange: Exchange) -> None:
        events: list[Event] = []
        for action in play(answer):
            match action:
                case Event():
                    events.append(action)
                case Drop(always=True):
                    _break_off(connection, exchange)
                case _:
                    await self._wait(action, answer.request)
        exchange.outcome = "answered"
        self._note_turn(answer)
        await connection.respond(200, json.dumps(assemble(events)).encode())

    async def _wait(self, action: Interlude, request: ModelRequest) -> None:
        match action:
            case Pause(seconds) if self._pace * seconds > 0:
                await asyncio.sleep(self._pace * seconds)
            case Gate(name):
                await self._gates.enter(name)
            case AfterTurn(at_most, grace) if request.agent_id is not None:
                await self._turns.after(request.session_id, request.agent_id, at_most, grace)
            case _:
                pass

    def _choose(self, request: ModelRequest) -> Rule | None:
        for place, rule in enumerate(self._script.rules):
            if rule.times is not None and self._answered[place] >= rule.times:
                continue
            if matches(rule.when, request):
                self._answered[place] += 1
                return rule
        return None

    def _reply(self, exchange: Exchange) -> Reply:
        request = exchange.request
        if exchange.rule is not None:
            return exchange.rule.reply
        if request.purpose != "turn":
            return auxiliary_answer(request, self._script)
        return self._script.fallback or f"UNSCRIPTED {request.brief()}"

    def _answer(self, request: ModelRequest, rule: Rule | None, steps: Steps) -> Answer:
        usage = rule.usage if rule is not None else None
        if usage is None:
            usage = self._script.usage(request) if self._script.usage else Usage()
        return Answer(
            request=request,
            message_id=self._new_id("msg", request),
            steps=steps,
            new_tool_id=lambda: self._new_id("toolu", request),
            stop=rule.stop if rule is not None else None,
            usage=usage,
            delay=rule.delay if rule is not None else 0.0,
        )

    def _new_id(self, kind: str, request: ModelRequest) -> str:
        agent = request.agent if request.purpose == "turn" else request.purpose
        tag = re.sub(r"[^A-Za-z0-9]", "", agent)[: ID_LENGTH - 6]
        self._ids[kind, tag] += 1
        return f"{kind}_01{tag}{self._ids[kind, tag]:0{ID_LENGTH - len(tag)}d}"

    def _note_turn(self, answer: Answer) -> None:
        request = answer.request
        if request.purpose == "turn" and request.agent_id is None and not answer.calls_tool:
            self._turns.ended(request.session_id)


def _break_off(connection: HttpConnection, exchange: Exchange) -> None:
    exchange.outcome = "dropped"
    connection.reset()
    raise DisconnectedError


async def _refuse(connection: HttpConnection, error: ApiError) -> None:
    headers = dict(error.headers)
    if error.retry_after is not None:
        headers["retry-after"] = f"{error.retry_after:g}"
    await connection.respond(
        error.status, error_body(error.status, error.message, error.type), headers
    )
