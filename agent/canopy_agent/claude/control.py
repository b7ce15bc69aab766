"""Control requests to the CLI and their answers, matched by id.

It must not know what a request means. It writes frames and never reads: the session's frame loop
hands it each ``control_response``. Envelopes: stream-json of Claude Code 2.1.332.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from canopy_agent.claude.errors import ControlFailed, ControlTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from canopy_agent.claude.process import ProcessExit

PATIENCE = 60.0
"""Seconds to wait for an answer, as in the SDK."""

ENDED = "process_ended"
"""The ``code`` of a request that the CLI can no longer answer."""

_PREFIX = "canopy_"


class ControlPeer:
    """Our requests to one CLI process, and our answers to its own. Lives as long as the process.

    ``write`` takes a frame and must not block.
    """

    def __init__(self, write: Callable[[Mapping[str, Any]], None]) -> None:
        self._write = write
        self._count = 0
        self._pending: dict[str, tuple[str, asyncio.Future[dict[str, Any]]]] = {}
        self._ended: str | None = None

    def send(self, subtype: str, /, **fields: Any) -> asyncio.Future[dict[str, Any]]:
        """Write a request now. The future gives the response, or raises ControlFailed.

        Nobody has to await it.
        """
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_retrieve)
        if self._ended is not None:
            future.set_exception(ControlFailed(subtype, self._ended, ENDED))
            return future
        self._count += 1
        request_id = f"{_PREFIX}{self._count}"
        self._pending[request_id] = (subtype, future)
        # Who cancels the future or lets it time out does not wait any more.
        future.add_done_callback(lambda _: self._pending.pop(request_id, None))
        request = {"subtype": subtype, **fields}
        self._write({"type": "control_request", "request_id": request_id, "request": request})
        return future

    async def request(
        self,
        subtype: str,
        /,
        *,
        timeout: float = PATIENCE,  # noqa: ASYNC109 - the error says what was asked
        **fields: Any,
    ) -> dict[str, Any]:
        """Send a request and wait for its response, ``{}`` when that is empty.

        Raises ControlFailed, or ControlTimeout after ``timeout`` seconds. Must not be awaited by
        the loop that reads frames.
        """
        try:
            return await asyncio.wait_for(self.send(subtype, **fields), timeout)
        except TimeoutError:
            raise ControlTimeout(subtype, timeout) from None

    def resolve(self, frame: Mapping[str, Any]) -> bool:
        """Take a ``control_response``. False when it answers nothing of ours.

        The CLI also repeats the answers it got from us, under its own ids. A late answer is ours
        and dropped.
        """
        response = frame.get("response")
        if not isinstance(response, dict):
            return False
        request_id = response.get("request_id")
        if not isinstance(request_id, str) or not request_id.startswith(_PREFIX):
            return False
        subtype, future = self._pending.pop(request_id, ("", None))
        if future is None or future.done():
            return True
        if response.get("subtype") == "success":
            payload = response.get("response")
            future.set_result(payload if isinstance(payload, dict) else {})
        else:
            error, code = response.get("error"), response.get("error_code")
            future.set_exception(
                ControlFailed(
                    subtype,
                    error if isinstance(error, str) else "refused without a reason",
                    code if isinstance(code, str) else None,
                )
            )
        return True

    def answer(self, request_id: str, response: Mapping[str, Any]) -> None:
        """Answer a request of the CLI."""
        body = {"subtype": "success", "request_id": request_id, "response": dict(response)}
        self._write({"type": "control_response", "response": body})

    def refuse(self, request_id: str, error: str) -> None:
        """Answer a request of the CLI with an error."""
        body = {"subtype": "error", "request_id": request_id, "error": error}
        self._write({"type": "control_response", "response": body})

    def fail_all(self, ended: ProcessExit | None) -> None:
        """The stream is over: fail what waits and what comes. ``ended`` says how, if known."""
        how = f" ({ended.describe()})" if ended is not None else ""
        self._ended = f"Claude Code ended{how}"
        pending, self._pending = self._pending, {}
        for subtype, future in pending.values():
            if not future.done():
                future.set_exception(ControlFailed(subtype, self._ended, ENDED))


def _retrieve(future: asyncio.Future[dict[str, Any]]) -> None:
    # asyncio would report an error that nobody asked for.
    if not future.cancelled():
        future.exception()
