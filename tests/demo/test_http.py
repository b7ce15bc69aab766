from __future__ import annotations

import asyncio
import json

import pytest

from canopy_agent.demo.incoming import BODY_LIMIT, HEAD_LIMIT, Head, HttpError, parse_head
from canopy_agent.demo.rules import Rule, When
from canopy_agent.demo.server import ScriptedModel
from demo.wire import BOUND, ask, connected, question, text_of

HELLO = [Rule(When(says="hello"), "good day")]


async def test_two_requests_share_a_connection() -> None:
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        for _ in range(2):
            connection.request(question("hello"))
            response = await connection.response()
            assert (response.status, text_of(response)) == (200, "good day")


async def test_a_request_that_came_too_early_is_answered_after_the_first() -> None:
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        connection.request(question("hello"))
        connection.request(question("hello there"))
        assert text_of(await connection.response()) == "good day"
        assert text_of(await connection.response()) == "good day"
    assert [one.says for one in model.requests] == ["hello", "hello there"]


async def test_a_chunked_body_is_put_together() -> None:
    raw = json.dumps(question("hello")).encode()
    cut = len(raw) // 3
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        connection.send(
            b"POST /v1/messages?beta=true HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for part in (raw[:cut], raw[cut:]):
            connection.send(b"%x;ext=1\r\n%b\r\n" % (len(part), part))
        connection.send(b"0\r\nTrailer: yes\r\n\r\n")
        assert text_of(await connection.response()) == "good day"
        connection.request(question("hello"))
        assert (await connection.response()).status == 200


async def test_a_client_that_waits_for_continue_is_told_to() -> None:
    raw = json.dumps(question("hello")).encode()
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        head = f"POST /v1/messages HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {len(raw)}"
        connection.send(f"{head}\r\n\r\n".encode())
        assert (await connection.head())[0] == 100
        connection.send(raw)
        assert text_of(await connection.response()) == "good day"


async def test_connection_close_is_honoured() -> None:
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        connection.request(question("hello"), headers={"connection": "close"})
        assert (await connection.response()).status == 200
        async with asyncio.timeout(BOUND):
            assert await connection.reader.read() == b""


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"HELLO\r\n\r\n", 400),
        (b"GET nowhere HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: many\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: -5\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % (BODY_LIMIT + 1), 413),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabXY", 400),
        (b"POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-2\r\n", 413),
        (b"GET / HTTP/1.1\r\nlong: " + b"x" * (HEAD_LIMIT + 9), 431),
        (b"GET /elsewhere HTTP/1.1\r\n\r\n", 404),
        (b"DELETE /v1/messages HTTP/1.1\r\n\r\n", 404),
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: 3\r\n\r\n{}}", 400),
        (b"POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]", 400),
        (b"POST /v1/messages HTTP/1.1\r\n\r\n", 400),
    ],
)
async def test_what_cannot_be_served_gets_a_json_error(raw: bytes, status: int) -> None:
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        connection.send(raw)
        response = await connection.response()
        assert response.status == status
        assert response.json()["type"] == "error"
        assert response.json()["error"]["message"]
        assert text_of(await ask(model, "hello")) == "good day"


async def test_a_request_that_stops_midway_does_no_harm() -> None:
    async with ScriptedModel(HELLO) as model:
        for raw in (b"POST /v1", b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{"):
            async with connected(model) as connection:
                connection.send(raw)
                connection.writer.write_eof()
                async with asyncio.timeout(BOUND):
                    assert await connection.reader.read() == b""
        assert text_of(await ask(model, "hello")) == "good day"


async def test_models_tokens_and_a_head_request() -> None:
    async with ScriptedModel(HELLO) as model, connected(model) as connection:
        connection.send(b"GET /v1/models?limit=5 HTTP/1.1\r\n\r\n")
        assert [one["type"] for one in (await connection.response()).json()["data"]] == [
            "model"
        ] * 3
        connection.request(question("hello"), path="/v1/messages/count_tokens")
        assert (await connection.response()).json()["input_tokens"] > 0
        connection.request({"model": 1}, path="/v1/messages/count_tokens")
        assert (await connection.response()).status == 400
        connection.send(b"HEAD / HTTP/1.1\r\n\r\n")
        assert await connection.head() == (
            200,
            {"content-type": "application/json", "content-length": "0"},
        )
    assert model.requests == []


def test_header_names_do_not_depend_on_case() -> None:
    head = b"POST /x?y=1 HTTP/1.1\r\nX-Claude-Code-Agent-Id:  a1 \r\nHost: here"
    assert parse_head(head) == Head(
        "POST",
        "/x?y=1",
        "HTTP/1.1",
        {"x-claude-code-agent-id": "a1", "host": "here"},
    )
    with pytest.raises(HttpError):
        parse_head(b"POST /x HTTP/2")
