"""JSON-RPC 2.0 messages as classes, and one line of bytes to a message and back.

Lines follow https://agentclientprotocol.com/protocol/transports (newline-delimited JSON, no
batches); methods and their meaning are not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from canopy_shared import jsonio
from canopy_shared.errors import AcpError, invalid_request, parse_error

if TYPE_CHECKING:
    from canopy_shared.ids import RequestId


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants exactly one response. ``params`` is a dict or a wire object."""

    id: RequestId | None
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """A message without an answer. ``params`` is a dict or a wire object."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Response:
    """An answer: ``error`` is set when the call failed, else ``result`` counts."""

    id: RequestId | None
    result: Any = None
    error: AcpError | None = None


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no message; ``reply`` says whether the sender waits for an answer, ``said``
    is how the line begins.
    """

    id: RequestId | None
    error: AcpError
    reply: bool = True
    said: bytes = field(default=b"", compare=False)


Frame = Request | Notification | Response | Malformed

_SAID = 400
"""Bytes of an unreadable line that are kept."""

_ID_FIELD = re.compile(rb'"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")')
_METHOD_FIELD = re.compile(rb'"method"\s*:\s*"')
_RESULT_FIELD = re.compile(rb'"(?:result|error)"\s*:')


def encode_line(frame: Frame) -> bytes:
    """One line with its newline. Raises ``TypeError``/``ValueError`` for unserialisable
    parameters.
    """
    match frame:
        case Request(id_, method, params):
            message: dict[str, Any] = {"jsonrpc": "2.0", "id": id_, "method": method}
            if params is not None:
                message["params"] = params
        case Notification(method, params):
            message = {"jsonrpc": "2.0", "method": method}
            if params is not None:
                message["params"] = params
        case Response(id_, result, None):
            message = {"jsonrpc": "2.0", "id": id_, "result": result}
        case Response(id_, _, error) if error is not None:
            message = {"jsonrpc": "2.0", "id": id_, "error": error.to_wire()}
        case _:
            raise TypeError(f"cannot send {type(frame).__name__}")
    return jsonio.dumps(message) + b"\n"


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, (int, str)) and not isinstance(value, bool))


def decode_line(line: bytes) -> Frame | None:
    """The message on one line; :class:`Malformed` for anything else, None for a blank line."""
    if not line.strip():
        return None
    try:
        value = jsonio.loads_foreign(line)
    except ValueError:
        return Malformed(None, parse_error("the line is not valid JSON"), said=line[:_SAID])
    if not isinstance(value, dict):
        what = "batches are not part of ACP" if isinstance(value, list) else "not an object"
        return Malformed(None, invalid_request(what), said=line[:_SAID])
    frame = message_of(value)
    return replace(frame, said=line[:_SAID]) if isinstance(frame, Malformed) else frame


def message_of(value: dict[str, Any]) -> Frame:
    """The message that a JSON object is; :class:`Malformed` for one that is none."""
    method, id_ = value.get("method"), value.get("id")
    if "id" in value and not _is_id(id_):
        return Malformed(None, invalid_request("id must be a string or an integer"))
    if isinstance(method, str):
        params = value.get("params")
        if "id" in value:
            return Request(id_, method, params)
        return Notification(method, params)
    if "method" in value:
        return Malformed(id_, invalid_request("method must be a string"), reply="id" in value)
    if "error" in value:
        return Response(id_, error=AcpError.from_wire(value["error"]))
    if "result" in value:
        return Response(id_, value["result"])
    return Malformed(id_, invalid_request("neither a request nor a response"))


def oversized(head: bytes, limit: int) -> Frame:
    """What stands for a line above ``limit`` bytes, of which only the ``head`` is known.

    A request gets an error under its id when that can be read; an oversized response fails its
    call.
    """
    found = _ID_FIELD.search(head)
    id_: RequestId | None = jsonio.loads_foreign(found.group(1)) if found else None
    error = invalid_request(f"the message is larger than {limit} bytes")
    if found and _RESULT_FIELD.search(head) and not _METHOD_FIELD.search(head):
        return Response(id_, error=error)
    return Malformed(id_, error, said=head[:_SAID])
