"""One line and one message: what is read, what is refused, what is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canopy_shared.errors import AcpError, invalid_params
from canopy_shared.frames import (
    Malformed,
    Notification,
    Request,
    Response,
    decode_line,
    encode_line,
    oversized,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
IDS = st.integers() | st.text()


@given(IDS, st.text(), st.dictionaries(st.text(), JSON, max_size=3))
def test_a_request_survives_the_way(id_: Any, method: str, params: dict[str, Any]) -> None:
    line = encode_line(Request(id_, method, params))
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    read = decode_line(line)
    assert isinstance(read, Request)
    assert (read.id, read.method) == (id_, method)
    assert read.params == json.loads(json.dumps(params, default=str))


@given(st.binary(max_size=60))
def test_no_line_raises(line: bytes) -> None:
    decode_line(line.replace(b"\n", b" "))


@given(JSON)
def test_no_json_value_raises(value: Any) -> None:
    frame = decode_line(json.dumps(value).encode())
    assert frame is not None


@pytest.mark.parametrize(
    ("line", "code", "reply"),
    [
        (b"{", -32700, True),
        (b"[]", -32600, True),
        (b"5", -32600, True),
        (b'{"id":true,"method":"x"}', -32600, True),
        (b'{"id":[],"method":"x"}', -32600, True),
        (b'{"method":5}', -32600, False),
        (b'{"id":1}', -32600, True),
    ],
)
def test_what_is_no_message(line: bytes, code: int, reply: bool) -> None:
    frame = decode_line(line)
    assert isinstance(frame, Malformed)
    assert (frame.error.code, frame.reply) == (code, reply)


def test_blank_lines_are_nothing() -> None:
    assert decode_line(b"  \r ") is None


def test_deep_nesting_is_a_parse_error_and_no_crash() -> None:
    frame = decode_line(b"[" * 200_000)
    assert isinstance(frame, Malformed)
    assert frame.error.code == -32700


def test_a_null_result_is_an_answer() -> None:
    assert decode_line(b'{"id":3,"result":null}') == Response(3, None)


def test_errors_keep_code_message_and_data() -> None:
    sent = invalid_params("cwd must be absolute", {"cwd": "x"})
    read = decode_line(encode_line(Response(1, error=sent)))
    assert isinstance(read, Response)
    assert read.error is not None
    assert (read.error.code, read.error.message) == (-32602, "Invalid params: cwd must be absolute")
    assert read.error.data == {"cwd": "x"}


@pytest.mark.parametrize("error", ["text", None, {"code": "x"}, {}])
def test_a_malformed_error_is_still_an_error(error: Any) -> None:
    read = decode_line(json.dumps({"id": 1, "error": error}).encode())
    assert isinstance(read, Response)
    assert isinstance(read.error, AcpError)
    assert read.error.code == -32603


def test_a_lone_surrogate_does_not_stop_a_message() -> None:
    line = encode_line(Notification("m", {"text": "a\ud800b"}))
    read = decode_line(line)
    assert isinstance(read, Notification)
    assert read.params["text"].startswith("a")


def test_a_byte_that_is_no_utf8_costs_one_character_and_not_the_line() -> None:
    read = decode_line(b'{"method":"m","params":{"text":"caf\xe9 \xed\xa0\x80 \xc3\xbc"}}')
    assert isinstance(read, Notification)
    text = read.params["text"]
    assert text.startswith("caf\ufffd ")
    assert text.endswith(" \xfc")


def test_an_unreadable_line_keeps_its_beginning() -> None:
    lines = (b"Server listening", b"[1]", b'{"id":1}')
    read = [decode_line(line + b" " * 9000) for line in lines]
    for line, frame in zip(lines, read, strict=True):
        assert isinstance(frame, Malformed)
        assert frame.said.startswith(line)
        assert len(frame.said) <= 400


@pytest.mark.parametrize(
    ("head", "want"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"x":"', Malformed),
        (b'{"id":"abc","result":{"x":"', Response),
        (b'{"method":"session/update","params":{"x":"', Malformed),
    ],
)
def test_an_oversized_line_answers_whom_it_can(head: bytes, want: type) -> None:
    frame = oversized(head, 100)
    assert type(frame) is want
    assert frame.error is not None  # type: ignore[union-attr]
    assert "100" in frame.error.message  # type: ignore[union-attr]
