"""The methods of ACP v2, as the commands that the server knows, and its results on the way back.

The server's commands are spelled as in version 1; a method that only version 2 has is a command of
its own. What a command does is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from canopy_agent.wire import v2_shapes as shapes
from canopy_agent.wire.v2_content import check_servers, read_prompt
from canopy_shared import methods as m
from canopy_shared.errors import method_not_found
from canopy_shared.params import Params
from canopy_shared.peer import IncomingRequest

if TYPE_CHECKING:
    from canopy_agent.wire.v2_outbound import V2Outbound
    from canopy_shared.errors import AcpError

Json = Mapping[str, Any]
Command = tuple[str, Any]
Answer = Callable[[Any], Any]


class TranslatedRequest(IncomingRequest):
    """A request under another name, whose result is put in other words."""

    __slots__ = ("_answer", "_request")

    def __init__(self, request: IncomingRequest, command: Command, answer: Answer) -> None:
        super().__init__(request._peer, request.id, *command)
        self._request = request
        self._answer = answer

    def respond(self, result: Any) -> None:
        """Answer with ``result`` in the caller's words."""
        self._request.respond(self._answer(result))

    def fail(self, error: AcpError) -> None:
        """Answer with ``error``."""
        self._request.fail(error)

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once when the caller withdraws the request."""
        self._request.on_cancel(callback)


class Requests:
    """The requests of one connection."""

    def __init__(self, outbound: V2Outbound) -> None:
        self._outbound = outbound

    def translated(self, request: IncomingRequest) -> IncomingRequest:
        """``request`` as the server knows it. Raises method not found, and invalid params."""
        read = _READERS.get(request.method)
        if read is None:
            raise method_not_found(request.method)
        method, params = read(_understood(request.params))
        answer = self._answer_to(request.method, params)
        return TranslatedRequest(request, (method, params), answer)

    def _answer_to(self, method: str, params: Any) -> Answer:
        if method == m.SESSION_SET_CONFIG_OPTION:
            session = params["sessionId"]
            return lambda result: {
                "configOptions": self._outbound.options_before(session, result["configOptions"])
            }
        return _ANSWERS.get(method, _as_it_is)


# --- on the way in --------------------------------------------------------------------------------


def _understood(params: Any) -> Any:
    """Without metadata that is none: it counts as absent."""
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    if meta is None or isinstance(meta, Mapping):
        return params
    return {key: value for key, value in params.items() if key != "_meta"}


def _same(method: str) -> Callable[[Any], Command]:
    return lambda params: (method, params)


def _setup(method: str) -> Callable[[Any], Command]:
    def read(params: Any) -> Command:
        check_servers(Params(params).objects("mcpServers"))
        return method, params

    return read


def _resume(params: Any) -> Command:
    """With a cursor it is what version 1 calls loading; only the start is a cursor."""
    method, params = _setup(m.SESSION_RESUME)(params)
    values = Params(params)
    cursor = values.optional_object("replayFrom")
    if cursor is None:
        return method, params
    if Params(cursor, "replayFrom.").text("type") != "start":
        raise Params(cursor, "replayFrom.").wrong("type", "start")
    return m.SESSION_LOAD, params


def _prompt(params: Any) -> Command:
    blocks = Params(params).objects("prompt", required=True)
    return m.SESSION_PROMPT, {**params, "prompt": read_prompt(blocks)}


def _option(params: Any) -> Command:
    """The type is always said, and is that of the value."""
    values = Params(params)
    values.text("sessionId")
    match values.text("type"):
        case "id":
            values.text("value")
            return m.SESSION_SET_CONFIG_OPTION, {k: v for k, v in params.items() if k != "type"}
        case "boolean":
            return m.SESSION_SET_CONFIG_OPTION, params
        case _:
            raise values.wrong("type", "id or boolean")


def _none_needed(method: str) -> Callable[[Any], Command]:
    def read(params: Any) -> Command:
        given = {} if params is None else params
        Params(given)
        return method, given

    return read


_READERS: Final[dict[str, Callable[[Any], Command]]] = {
    m.AUTH_LOGIN: _same(m.AUTHENTICATE),
    m.AUTH_LOGOUT: _none_needed(m.LOGOUT),
    m.PROVIDERS_LIST: _none_needed(m.PROVIDERS_LIST),
    m.PROVIDERS_SET: _same(m.PROVIDERS_SET),
    m.PROVIDERS_DISABLE: _same(m.PROVIDERS_DISABLE),
    m.SESSION_NEW: _setup(m.SESSION_NEW),
    m.SESSION_RESUME: _resume,
    m.SESSION_FORK: _setup(m.SESSION_FORK),
    m.SESSION_LIST: _none_needed(m.SESSION_LIST),
    m.SESSION_CLOSE: _same(m.SESSION_CLOSE),
    m.SESSION_DELETE: _same(m.SESSION_DELETE),
    m.SESSION_SET_CONFIG_OPTION: _option,
    m.SESSION_PROMPT: _prompt,
    m.TERMINAL_CANCEL: _same(m.TERMINAL_CANCEL),
    m.TOOL_CALL_CANCEL: _same(m.TOOL_CALL_CANCEL),
}


# --- on the way out -------------------------------------------------------------------------------


def _as_it_is(result: Any) -> Any:
    return result


def _opened(result: Json) -> dict[str, Any]:
    told: dict[str, Any] = {
        "sessionId": result["sessionId"],
        "configOptions": shapes.config_options(result["configOptions"]),
    }
    if result.get("availableCommands"):
        told["availableCommands"] = shapes.commands(result["availableCommands"])
    return told


def _resumed(result: Json) -> dict[str, Any]:
    told = _opened(result)
    del told["sessionId"]
    return told


_ANSWERS: Final[dict[str, Answer]] = {
    m.SESSION_NEW: _opened,
    m.SESSION_FORK: _opened,
    m.SESSION_RESUME: _resumed,
}
