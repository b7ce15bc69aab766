"""A JSON-RPC endpoint over any transport: calls, answers, notifications, cancellation, all in
order.

Handlers run synchronously in the order of the wire and must not block; the peer knows no ACP method
but ``$/cancel_request`` (https://agentclientprotocol.com/rfds/request-cancellation).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_shared.errors import AcpError, ConnectionClosedError, internal_error, method_not_found
from canopy_shared.frames import Frame, Malformed, Notification, Request, Response

if TYPE_CHECKING:
    from canopy_shared.ids import RequestId
    from canopy_shared.transport import Transport

log = logging.getLogger(__name__)

CANCEL_REQUEST = "$/cancel_request"
MOST_NOISE = 200
"""Lines that are no messages and name no request, until no more of them are answered."""


class IncomingRequest:
    """A call of the other side. It must get exactly one of :meth:`respond` and :meth:`fail`, at any
    time.
    """

    __slots__ = ("_on_cancel", "_peer", "answered", "cancelled", "id", "method", "params")

    def __init__(self, peer: Peer, id_: RequestId | None, method: str, params: Any) -> None:
        self._peer = peer
        self._on_cancel: Callable[[], None] | None = None
        self.id = id_
        self.method = method
        self.params = params
        self.answered = False
        self.cancelled = False

    def respond(self, result: Any) -> None:
        """Answer with ``result``. A second answer is a fault of ours: it is logged and dropped."""
        self._peer._answer(self, Response(self.id, result))

    def fail(self, error: AcpError) -> None:
        """Answer with ``error``."""
        self._peer._answer(self, Response(self.id, error=error))

    def on_cancel(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once when the caller withdraws the request before it is answered."""
        self._on_cancel = callback
        if self.cancelled and not self.answered:
            callback()

    def _withdraw(self) -> None:
        if self.cancelled or self.answered:
            return
        self.cancelled = True
        if self._on_cancel is not None:
            self._on_cancel()


RequestHandler = Callable[[IncomingRequest], None]
NotificationHandler = Callable[[str, Any], None]
AnswerHandler = Callable[[Response], None]


class Peer:
    """One end of a JSON-RPC connection."""

    def __init__(
        self,
        transport: Transport,
        *,
        on_request: RequestHandler | None = None,
        on_notification: NotificationHandler | None = None,
        on_batch_end: Callable[[], None] | None = None,
        on_malformed: Callable[[Malformed], None] | None = None,
    ) -> None:
        self._transport = transport
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_batch_end = on_batch_end
        self._on_malformed = on_malformed
        self._next_id = 1
        self._calls: dict[RequestId, AnswerHandler] = {}
        self._incoming: dict[RequestId, IncomingRequest] = {}
        self._noise = 0
        self.closed = False

    async def run(self) -> None:
        """Receive until the connection ends; every open call then fails with
        ``ConnectionClosedError``.
        """
        try:
            while frames := await self._transport.receive():
                for frame in frames:
                    self._dispatch(frame)
                if self._on_batch_end is not None:
                    self._on_batch_end()
        finally:
            self._end()

    async def aclose(self) -> None:
        """Close the transport and fail every open call."""
        self._end()
        await self._transport.aclose()

    async def drained(self) -> None:
        """Wait until the other side keeps up; see :meth:`Transport.drained`."""
        await self._transport.drained()

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._transport.send(Notification(method, params))

    def call(self, method: str, params: Any, on_answer: AnswerHandler) -> RequestId:
        """Send a request; ``on_answer`` runs in wire order, before anything that came after the
        answer.

        Use :meth:`cancel` with the returned id to withdraw it.
        """
        id_ = self._next_id
        self._next_id += 1
        if self.closed:
            on_answer(Response(id_, error=ConnectionClosedError()))
            return id_
        self._calls[id_] = on_answer
        try:
            self._transport.send(Request(id_, method, params))
        except (TypeError, ValueError):
            del self._calls[id_]
            raise
        return id_

    def cancel(self, id_: RequestId) -> None:
        """Withdraw a call of ours: the other side is told, and a late answer is ignored."""
        if self._calls.pop(id_, None) is not None and not self.closed:
            self.notify(CANCEL_REQUEST, {"requestId": id_})

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result. Raises :class:`AcpError`.

        Cancelling the wait withdraws the request.
        """
        answer: asyncio.Future[Response] = asyncio.get_running_loop().create_future()

        def arrived(response: Response) -> None:
            if not answer.done():
                answer.set_result(response)

        id_ = self.call(method, params, arrived)
        try:
            response = await answer
        except asyncio.CancelledError:
            self.cancel(id_)
            raise
        if response.error is not None:
            raise response.error
        return response.result

    # --- incoming --------------------------------------------------------------------------------

    def _dispatch(self, frame: Frame) -> None:
        match frame:
            case Notification(method, params):
                self._notification(method, params)
            case Response(id_, _, _):
                self._response(id_, frame)
            case Request(id_, method, params):
                self._request(id_, method, params)
            case Malformed():
                self._malformed(frame)

    def _malformed(self, line: Malformed) -> None:
        """Answer a line that is no message; noise without end is neither answered nor told."""
        self._noise += 1
        if line.id is None and self._noise > MOST_NOISE:
            return
        log.warning("dropped a malformed message: %s", line.error.message)
        if line.reply:
            self._transport.send(Response(line.id, error=line.error))
        handler = self._on_malformed
        if handler is not None:
            self._guard(lambda: handler(line))

    def _notification(self, method: str, params: Any) -> None:
        if method == CANCEL_REQUEST:
            id_ = params.get("requestId") if isinstance(params, dict) else None
            request = self._incoming.get(id_) if isinstance(id_, (int, str)) else None
            if request is not None:
                self._guard(request._withdraw)
        elif self._on_notification is not None:
            handler = self._on_notification
            self._guard(lambda: handler(method, params))

    def _response(self, id_: RequestId | None, response: Response) -> None:
        handler = self._calls.pop(id_, None) if id_ is not None else None
        if handler is None:
            log.debug("ignored an answer to no open call")
            return
        self._guard(lambda: handler(response))

    def _request(self, id_: RequestId | None, method: str, params: Any) -> None:
        request = IncomingRequest(self, id_, method, params)
        if id_ is not None:
            self._incoming[id_] = request
        if self._on_request is None:
            request.fail(method_not_found(method))
            return
        try:
            self._on_request(request)
        except AcpError as error:
            request.fail(error)
        except Exception:
            log.exception("the handler of %s failed", method)
            request.fail(internal_error())

    @staticmethod
    def _guard(action: Callable[[], None]) -> None:
        """Run a handler; a fault in it must not end the connection."""
        try:
            action()
        except Exception:
            log.exception("a handler failed")

    def _answer(self, request: IncomingRequest, response: Response) -> None:
        if request.answered:
            log.error("dropped a second answer to %s", request.method)
            return
        request.answered = True
        if request.id is not None and self._incoming.get(request.id) is request:
            del self._incoming[request.id]
        try:
            self._transport.send(response)
        except (TypeError, ValueError):
            log.exception("the result of %s cannot be sent", request.method)
            error = internal_error("the result cannot be serialised")
            self._transport.send(Response(request.id, error=error))

    def _end(self) -> None:
        if self.closed:
            return
        self.closed = True
        calls, self._calls = self._calls, {}
        for id_, handler in calls.items():
            self._guard(lambda h=handler, i=id_: h(Response(i, error=ConnectionClosedError())))  # type: ignore[misc]
        incoming, self._incoming = self._incoming, {}
        for request in incoming.values():
            self._guard(request._withdraw)
