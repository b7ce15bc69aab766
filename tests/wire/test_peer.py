"""The JSON-RPC peer over pipes and in process: order, one answer per call, cancellation, the
end.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from canopy_shared.content import TextContent
from canopy_shared.errors import AcpError, ConnectionClosedError, invalid_params
from canopy_shared.frames import Notification, Response
from canopy_shared.inproc import HIGH_WATER, linked_pair
from canopy_shared.peer import MOST_NOISE, IncomingRequest, Peer
from canopy_shared.stdio import StdioTransport, open_sink, open_source
from canopy_shared.unpolled import ThreadSink
from canopy_shared.unset import UNSET
from canopy_shared.updates import AgentMessageChunk, AgentThoughtChunk, SessionUpdate
from waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from canopy_shared.transport import Transport


async def piped() -> tuple[Transport, Transport]:
    there, back = os.pipe(), os.pipe()
    a = StdioTransport(await open_source(there[0]), await open_sink(back[1]))
    b = StdioTransport(await open_source(back[0]), await open_sink(there[1]))
    return a, b


async def in_process() -> tuple[Transport, Transport]:
    return linked_pair()


class Pair:
    """Two peers that talk; ``heard`` is what the first one heard, in order."""

    def __init__(self, a: Transport, b: Transport) -> None:
        self.heard: list[Any] = []
        self.requests: list[IncomingRequest] = []
        self.on_request: Callable[[IncomingRequest], None] = self.requests.append
        self.near = Peer(a, on_request=self._request, on_notification=self._note)
        self.far = Peer(b)
        self.runs = [asyncio.create_task(peer.run()) for peer in (self.near, self.far)]

    def _request(self, request: IncomingRequest) -> None:
        self.heard.append(request.method)
        self.on_request(request)

    def _note(self, method: str, params: Any) -> None:
        self.heard.append((method, params))

    async def aclose(self) -> None:
        await self.far.aclose()
        await self.near.aclose()
        async with asyncio.timeout(10):
            await asyncio.gather(*self.runs)


@pytest.fixture(params=[piped, in_process], ids=["pipes", "in process"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    made = Pair(*await request.param())
    yield made
    await made.aclose()


def echo(request: IncomingRequest) -> None:
    request.respond(request.params)


async def test_a_call_gets_its_answer(pair: Pair) -> None:
    pair.on_request = echo
    assert await pair.far.request("echo", {"x": 1}) == {"x": 1}


async def test_notifications_and_requests_keep_their_order(pair: Pair) -> None:
    pair.on_request = echo
    for number in range(200):
        pair.far.notify("n", {"i": number})
    await pair.far.request("last", {})
    assert [one[1]["i"] for one in pair.heard[:-1]] == list(range(200))
    assert pair.heard[-1] == "last"


async def test_b26_an_answer_is_handled_before_what_came_after_it(pair: Pair) -> None:
    order: list[Any] = []
    far = Peer(pair.far._transport, on_notification=lambda m, p: order.append(p["i"]))
    pair.far._on_notification = far._on_notification

    def answer(request: IncomingRequest) -> None:
        pair.near.notify("n", {"i": 1})
        request.respond("answer")
        pair.near.notify("n", {"i": 2})

    pair.on_request = answer
    pair.far.call("go", {}, lambda response: order.append(response.result))
    await eventually(lambda: len(order) == 3, "three things")
    assert order == [1, "answer", 2]


async def test_errors_travel(pair: Pair) -> None:
    def refuse(request: IncomingRequest) -> None:
        raise invalid_params("x must be y", {"x": 1})

    pair.on_request = refuse
    with pytest.raises(AcpError) as refused:
        await pair.far.request("bad", {})
    assert (refused.value.code, refused.value.data) == (-32602, {"x": 1})


async def test_a_fault_in_a_handler_is_an_internal_error_without_its_words(pair: Pair) -> None:
    def fail(request: IncomingRequest) -> None:
        raise RuntimeError("a secret")

    pair.on_request = fail
    with pytest.raises(AcpError) as failed:
        await pair.far.request("bad", {})
    assert failed.value.code == -32603
    assert "secret" not in str(failed.value)
    pair.on_request = echo
    assert await pair.far.request("echo", {"still": "here"}) == {"still": "here"}


async def test_a_second_answer_is_dropped(pair: Pair) -> None:
    def twice(request: IncomingRequest) -> None:
        request.respond(1)
        request.respond(2)
        request.fail(invalid_params())

    pair.on_request = twice
    assert await pair.far.request("x", {}) == 1
    pair.on_request = echo
    assert await pair.far.request("y", {"a": 1}) == {"a": 1}


async def test_cancelling_the_wait_withdraws_the_request(pair: Pair) -> None:
    withdrawn: list[str] = []

    def hold(request: IncomingRequest) -> None:
        request.on_cancel(lambda: withdrawn.append(request.method))
        pair.requests.append(request)

    pair.on_request = hold
    waiting = asyncio.create_task(pair.far.request("slow", {}))
    await eventually(lambda: pair.requests, "the request")
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    await eventually(lambda: withdrawn, "the withdrawal")
    assert withdrawn == ["slow"]
    pair.requests[0].respond("too late")
    pair.on_request = echo
    assert await pair.far.request("next", {"x": 2}) == {"x": 2}


async def test_open_calls_fail_when_the_connection_ends(pair: Pair) -> None:
    pair.on_request = lambda request: None
    waiting = asyncio.create_task(pair.far.request("slow", {}))
    await eventually(lambda: pair.heard, "the request")
    await pair.near.aclose()
    with pytest.raises(ConnectionClosedError):
        await waiting
    with pytest.raises(ConnectionClosedError):
        await pair.far.request("later", {})


def chunk(text: str, message: str = "m", kind: Any = AgentMessageChunk) -> SessionUpdate:
    return SessionUpdate("s", kind(TextContent(text), message))


async def test_neighbouring_deltas_are_joined_and_nothing_else_moves(pair: Pair) -> None:
    pair.on_request = echo
    sent = [chunk("a"), chunk("b"), chunk("c", "other"), chunk("d", "other", AgentThoughtChunk)]
    for update in sent:
        pair.far.notify("session/update", update)
    pair.far.notify("barrier", {})
    pair.far.notify("session/update", chunk("e", "other", AgentThoughtChunk))
    await pair.far.request("end", {})
    from canopy_shared.codec import decode_session_update

    texts = []
    for one in pair.heard[:-1]:
        update = decode_session_update(one[1]) if one[0] == "session/update" else None
        texts.append(update.update.content.text if update else "|")  # type: ignore[union-attr]
    assert texts == ["ab", "c", "d", "|", "e"]


async def test_an_unserialisable_result_is_an_internal_error() -> None:
    a, b = await piped()
    pair = Pair(a, b)
    pair.on_request = lambda request: request.respond({"x": object()})
    with pytest.raises(AcpError) as failed:
        await pair.far.request("x", {})
    assert failed.value.code == -32603
    await pair.aclose()


async def test_a_request_without_a_handler_is_method_not_found(pair: Pair) -> None:
    with pytest.raises(AcpError) as failed:
        await pair.near.request("who/knows", {})
    assert failed.value.code == -32601


async def test_in_process_objects_pass_as_they_are_and_a_slow_reader_is_waited_for() -> None:
    a, b = linked_pair()
    update = chunk("same object", UNSET)  # type: ignore[arg-type]
    a.send(Notification("session/update", update))
    (frame,) = await b.receive()
    assert frame.params is update  # type: ignore[union-attr]
    for number in range(HIGH_WATER):
        a.send(Response(number))
    held = asyncio.create_task(a.drained())
    await asyncio.sleep(0)
    assert not held.done()
    assert len(await b.receive()) == HIGH_WATER
    await asyncio.wait_for(held, 5)
    await a.aclose()
    assert await b.receive() == []


async def test_regular_files_serve_as_stdin_and_stdout(tmp_path: Any) -> None:
    given = tmp_path / "in"
    given.write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":1}}\n\n[]\n{"x"')
    taken = tmp_path / "out"
    source = await open_source(os.open(given, os.O_RDONLY))
    sink = await open_sink(os.open(taken, os.O_WRONLY | os.O_CREAT))
    peer = Peer(StdioTransport(source, sink), on_request=echo)
    async with asyncio.timeout(10):
        await peer.run()
    await peer.aclose()
    lines = taken.read_bytes().splitlines()
    assert b'"result":{"a":1}' in lines[0]
    assert b"-32600" in lines[1]
    assert b"-32700" in lines[2]


async def test_output_that_is_full_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    sink = await open_sink(os.open("/dev/full", os.O_WRONLY))
    for _ in range(3):
        sink.write(b"line\n")
    await sink.aclose()
    (told,) = caplog.messages
    assert told == "our output takes nothing more: No space left on device"


async def test_noise_without_end_is_not_answered_without_end() -> None:
    there, back = os.pipe(), os.pipe()
    near = StdioTransport(await open_source(there[0]), await open_sink(back[1]))
    answers = await open_source(back[0])
    peer = Peer(near, on_request=echo)
    run = asyncio.create_task(peer.run())
    heard = b""
    os.write(there[1], b"noise\n" * (MOST_NOISE + 500))
    os.write(there[1], b'{"jsonrpc": "2.0", "id": 7, "method": "echo", "params": {}}\n')
    os.close(there[1])
    while b'"id":7' not in heard:
        heard += await answers.read()
    assert heard.count(b"\n") == MOST_NOISE + 1
    await run
    await peer.aclose()
    answers.close()


async def test_a_sink_on_a_thread_waits_for_its_reader_and_the_loop_does_not() -> None:
    reading, writing = os.pipe()
    sink = ThreadSink(writing)
    sent = [b"%d " % number * 200_000 for number in range(3)]  # more than a pipe holds
    for part in sent:
        sink.write(part)
    draining = asyncio.create_task(sink.drain())
    read = [await asyncio.to_thread(os.read, reading, 1 << 16)]
    assert not draining.done()
    while sum(map(len, read)) < sum(map(len, sent)):
        read.append(await asyncio.to_thread(os.read, reading, 1 << 16))
    assert b"".join(read) == b"".join(sent)
    await draining
    await sink.aclose()
    assert os.read(reading, 1) == b""
    os.close(reading)


async def test_a_sink_on_a_thread_gives_up_a_reader_that_is_gone_or_never_reads() -> None:
    reading, writing = os.pipe()
    sink = ThreadSink(writing)
    os.close(reading)
    for _ in range(3):
        sink.write(b"x" * 2_000_000)
        await sink.drain()
    await sink.aclose()
    reading, writing = os.pipe()
    sink = ThreadSink(writing, close_timeout=0.01)
    sink.write(b"x" * 2_000_000)
    await sink.aclose()
    while os.read(reading, 1 << 20):  # so that its thread ends too
        pass
    os.close(reading)
