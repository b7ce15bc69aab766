"""Orders to the CLI whose answer nobody waits for; without a CLI there is nothing to order.

When an order is given is decided by the core.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from canopy_agent.domain import events as e

if TYPE_CHECKING:
    from canopy_agent.session.link import CliLink


class Orders:
    """``link`` gives the CLI that runs; ``handle`` gets the receipt of an interrupt."""

    def __init__(
        self, link: Callable[[], CliLink | None], handle: Callable[[e.Event], None]
    ) -> None:
        self._link = link
        self._handle = handle

    def _send(self, subtype: str, **fields: Any) -> asyncio.Future[dict[str, Any]] | None:
        link = self._link()
        return None if link is None else link.control.send(subtype, **fields)

    def drop_queued(self, prompt: str) -> None:
        """Take a message back that the CLI has not begun."""
        self._send("cancel_async_message", message_uuid=prompt)

    def stop_task(self, task: str) -> None:
        """Stop one task."""
        self._send("stop_task", task_id=task)

    def interrupt(self) -> None:
        """Stop the turn that runs."""
        answer = self._send("interrupt")
        if answer is not None:
            answer.add_done_callback(self._receipt)

    def _receipt(self, done: asyncio.Future[dict[str, Any]]) -> None:
        if done.cancelled() or done.exception() is not None:
            return
        queued = done.result().get("still_queued")
        if isinstance(queued, list):
            held = tuple(one for one in queued if isinstance(one, str))
            self._handle(e.InterruptReceipt(held))
