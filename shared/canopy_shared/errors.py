"""Errors that cross the JSON-RPC connection, each with its code, message and facts.

Codes follow JSON-RPC 2.0 and https://agentclientprotocol.com/protocol/schema#error; where an error
comes from is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022
REQUEST_CANCELLED = -32800


class AcpError(Exception):
    """An error response: ``code``, ``message`` and optional JSON ``data``."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def to_wire(self) -> dict[str, Any]:
        """The JSON-RPC error object."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return error

    @classmethod
    def from_wire(cls, error: Any) -> AcpError:
        """The error that a peer sent; anything malformed becomes an internal error."""
        if not isinstance(error, Mapping):
            return cls(INTERNAL_ERROR, "Internal error: malformed error object")
        code = error.get("code")
        message = error.get("message")
        return cls(
            code if isinstance(code, int) else INTERNAL_ERROR,
            message if isinstance(message, str) else "Internal error",
            error.get("data"),
        )


class ConnectionClosedError(AcpError):
    """The connection ended before an answer came."""

    def __init__(self, detail: str = "the connection is closed") -> None:
        super().__init__(INTERNAL_ERROR, f"Internal error: {detail}")


def detail_of(error: AcpError) -> str:
    """The words of an internal error without the phrase that stands for its code."""
    return error.message.removeprefix("Internal error: ")


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def parse_error(detail: str = "") -> AcpError:
    """-32700: the line is not JSON."""
    return AcpError(PARSE_ERROR, _with("Parse error", detail))


def invalid_request(detail: str = "", data: Any = None) -> AcpError:
    """-32600: not a request, or one that is not allowed now."""
    return AcpError(INVALID_REQUEST, _with("Invalid request", detail), data)


def method_not_found(method: str) -> AcpError:
    """-32601."""
    return AcpError(METHOD_NOT_FOUND, _with("Method not found", method), {"method": method})


def invalid_params(detail: str = "", data: Any = None) -> AcpError:
    """-32602: ``detail`` says which field and what would be right."""
    return AcpError(INVALID_PARAMS, _with("Invalid params", detail), data)


def internal_error(detail: str = "", data: Any = None) -> AcpError:
    """-32603."""
    return AcpError(INTERNAL_ERROR, _with("Internal error", detail), data)


def auth_required(detail: str = "", data: Any = None) -> AcpError:
    """-32000: the user has to log in."""
    return AcpError(AUTH_REQUIRED, _with("Authentication required", detail), data)


def resource_not_found(session_id: str) -> AcpError:
    """-32002: no such session."""
    return AcpError(RESOURCE_NOT_FOUND, "Resource not found", {"sessionId": session_id})


def request_cancelled(detail: str = "") -> AcpError:
    """-32800."""
    return AcpError(REQUEST_CANCELLED, _with("Request cancelled", detail))


def unsupported_version(requested: object, supported: list[int]) -> AcpError:
    """-32022: no common protocol version."""
    return AcpError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        {"requested": requested, "supported": supported},
    )
