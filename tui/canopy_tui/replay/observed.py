"""A connection seen from outside: the messages of both sides become what the client made of them.

The events are those that ``client`` and ``agent_life`` give while they take part; here nobody takes
part, so that a recording of any client can be shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from canopy_shared import methods, record
from canopy_shared.codec import (
    decode_config_options,
    decode_content,
    decode_session_update,
)
from canopy_shared.content import ContentBlock, TextContent
from canopy_shared.errors import AcpError, ConnectionClosedError
from canopy_shared.ext.canopy import at_of
from canopy_shared.frames import Frame, Notification, Request, Response
from canopy_shared.permission import PermissionOutcome
from canopy_shared.unset import UNSET
from canopy_shared.updates import ConfigOptionUpdate, CurrentModeUpdate
from canopy_tui.model import events as e
from canopy_tui.model.state import QueuedPrompt
from canopy_tui.wire import answers as wire_answers
from canopy_tui.wire.answers import mapping
from canopy_tui.wire.requests import READERS

if TYPE_CHECKING:
    from canopy_shared.record import Step

Events = Iterator[e.Event]


class ObservedConnection:
    """Takes steps in order, over any number of connections one after the other."""

    def __init__(self) -> None:
        self._keys = itertools.count(1)
        self._calls: dict[Any, tuple[str, Any]] = {}
        self._asked: dict[Any, int] = {}
        self._greeted = False
        self._opened: set[str] = set()

    def take(self, step: Step, at: float) -> list[e.Event]:
        """What ``step`` means; ``at`` is its time in epoch seconds."""
        if step.event:
            return list(self._happened(step, at))
        events = list(self._message(step.sender, step.frame, at))
        self._opened |= {one.session for one in events if isinstance(one, e.SessionOpened)}
        return events

    # --- the connection -------------------------------------------------------------------------

    def _happened(self, step: Step, at: float) -> Events:
        match step.event:
            case "connected":
                self._begin()
                yield e.LinkChanged(status="starting", at=at)
            case "closed":
                yield from self._cut_off(at)
                reason, stderr = step.facts.get("reason"), step.facts.get("stderr")
                yield e.LinkChanged(
                    status="lost" if self._greeted else "failed",
                    detail=reason if isinstance(reason, str) else "",
                    stderr=stderr if isinstance(stderr, str) else "",
                    at=at,
                )
                self._begin()

    def _begin(self) -> None:
        self._calls.clear()
        self._asked.clear()
        self._greeted = False

    def _cut_off(self, at: float) -> Events:
        """Open calls fail and open requests are withdrawn, as the end of a connection does it."""
        for method, params in self._calls.values():
            closed = Response(None, error=ConnectionClosedError())
            yield from _answered(method, params, closed, at)
        for key in self._asked.values():
            yield e.RequestWithdrawn(key)

    # --- messages -------------------------------------------------------------------------------

    def _message(self, sender: str, frame: Frame | None, at: float) -> Events:
        match sender, frame:
            case record.CLIENT, Request(id_, method, params):
                self._calls[id_] = (method, params)
                yield from _called(method, mapping(params), at)
            case record.AGENT, Response(id_) if id_ in self._calls and isinstance(frame, Response):
                method, params = self._calls.pop(id_)
                self._greeted |= method == methods.INITIALIZE and frame.error is None
                yield from _answered(method, params, frame, at)
            case record.AGENT, Request(id_, method, params) if method in READERS:
                try:
                    asked = READERS[method](params, next(self._keys), at)
                except AcpError:
                    return
                self._asked[id_] = asked.request.key
                yield asked
            case record.CLIENT, Notification(methods.CANCEL_REQUEST, params):
                method, params = self._calls.pop(mapping(params).get("requestId"), ("", None))
                yield from self._given_up(method, params)
            case record.CLIENT, Response(id_, result) if id_ in self._asked:
                option = PermissionOutcome.parse(result).option_id
                yield e.RequestAnswered(self._asked.pop(id_), option, at)
            case record.AGENT, Notification(methods.CANCEL_REQUEST, params):
                key = self._asked.pop(mapping(params).get("requestId"), None)
                if key is not None:
                    yield e.RequestWithdrawn(key)
            case record.AGENT, Notification(methods.SESSION_UPDATE, params):
                update = decode_session_update(params)
                if update is not None:
                    happened = at_of(update.meta) or at
                    yield e.UpdateArrived(update.session_id, update.update, happened)

    def _given_up(self, method: str, params: Any) -> Events:
        """The client no longer waits for an answer; a session that was being loaded is gone."""
        session = mapping(params).get("sessionId")
        if method == methods.SESSION_LOAD and isinstance(session, str):
            yield e.ReplayFailed(session=session)
            if session not in self._opened:
                yield e.SessionClosed(session=session)


# --- what the client asks -------------------------------------------------------------------------


def _called(method: str, params: Any, at: float) -> Events:
    session = params.get("sessionId")
    if not isinstance(session, str):
        return
    match method:
        case methods.SESSION_PROMPT:
            text, blocks = _prompt(params.get("prompt"))
            yield e.PromptSent(session=session, text=text, blocks=blocks, at=at)
        case methods.SESSION_LOAD:
            yield e.ReplayStarted(session=session, at=at, cwd=_cwd(params))
        case methods.SESSION_CLOSE:
            yield e.SessionClosed(session=session)


def _prompt(given: object) -> tuple[str, tuple[ContentBlock, ...]]:
    """Text and further blocks, as ``AcpClient.prompt`` puts them together."""
    blocks = [decode_content(block) for block in given if block] if isinstance(given, list) else []
    blocks = [block for block in blocks if block is not UNSET]
    if blocks and isinstance(blocks[0], TextContent):
        return blocks[0].text, tuple(blocks[1:])
    return "", tuple(blocks)


def _cwd(params: Any) -> str:
    cwd = params.get("cwd")
    return cwd if isinstance(cwd, str) else ""


# --- what the agent answers -----------------------------------------------------------------------

Answered = Callable[[Any, Response, float], Events]


def _answered(method: str, params: Any, response: Response, at: float) -> Events:
    read = _ANSWERS.get(method)
    if read is not None:
        yield from read(mapping(params), response, at)


def _greeted(_params: Any, response: Response, at: float) -> Events:
    try:
        if response.error is not None:
            raise response.error
        facts = wire_answers.read_initialize(response.result)
    except ConnectionClosedError:
        return
    except (AcpError, wire_answers.UnusableAgentError) as error:
        yield e.LinkChanged(status="failed", detail=str(error), at=at)
    else:
        yield e.LinkChanged(
            status="ready",
            name=facts.name,
            capabilities=facts.capabilities,
            at=at,
            meta=facts.meta,
        )


def _opened(params: Any, response: Response, at: float) -> Events:
    """A session is there: new, taken up, or a fork, which has an id of its own."""
    known = params.get("sessionId")
    told = mapping(response.result).get("sessionId")
    session = told if isinstance(told, str) else known
    if response.error is not None:
        if isinstance(known, str):
            yield e.ReplayFailed(session=known)
        return
    try:
        yield wire_answers.read_session(response.result, session, _cwd(params), at)
    except wire_answers.UnusableAgentError:
        return


def _turn_over(params: Any, response: Response, at: float) -> Events:
    session = params.get("sessionId")
    if isinstance(session, str):
        yield wire_answers.read_turn(response, session, at)


def _steered(params: Any, response: Response, at: float) -> Events:
    """A message is shown when it went into the turn; a queue it went back to is not on the wire."""
    session = params.get("sessionId")
    if isinstance(session, str):
        over = wire_answers.read_steer(response, session, 0, at)
        if over.outcome == "taken":
            text, blocks = _prompt(params.get("prompt"))
            yield e.SteerSent(session, QueuedPrompt(0, text, blocks))
            yield over


def _mode_set(params: Any, response: Response, at: float) -> Events:
    session, mode = params.get("sessionId"), params.get("modeId")
    if response.error is None and isinstance(session, str) and isinstance(mode, str):
        yield e.UpdateArrived(session, CurrentModeUpdate(mode), at)


def _option_set(params: Any, response: Response, at: float) -> Events:
    session = params.get("sessionId")
    options = decode_config_options(mapping(response.result).get("configOptions"))
    if isinstance(session, str) and options:
        yield e.UpdateArrived(session, ConfigOptionUpdate(options), at)


_ANSWERS: dict[str, Answered] = {
    methods.INITIALIZE: _greeted,
    methods.SESSION_NEW: _opened,
    methods.SESSION_LOAD: _opened,
    methods.SESSION_RESUME: _opened,
    methods.SESSION_FORK: _opened,
    methods.SESSION_PROMPT: _turn_over,
    methods.STEERING: _steered,
    methods.SESSION_SET_MODE: _mode_set,
    methods.SESSION_SET_CONFIG_OPTION: _option_set,
}
